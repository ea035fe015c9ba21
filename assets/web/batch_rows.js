// The rows of a batch behind a number, page by page, and one row's verdict with its ladder.
import {excerpt} from './ladder.js';
import {sideways} from './sideways.js';
import {goldLine, inLab, outcome, rungs, visible} from './verdict.js';
import {count, counted, h, rest} from './workbench.js';

const NAMES = {run: 'run', outcome: 'outcome', method: 'rung', apart: 'set apart', caution: 'caution', near_miss: 'near miss', reference: 'dataset’s own grader', split: 'split', tier: 'tier', level: 'level', mode: 'mode', dataset: 'dataset', task_id: 'task'};

export function rowsCard(ask, say) {
  const chips = h('p', {class: 'row'});
  const list = h('div', {class: 'batch-table', tabindex: 0, role: 'group', 'aria-label': 'Rows'});
  const note = h('div');
  const place = h('span', {class: 'small muted', role: 'status'});
  const step = (label, by) => h('button', {type: 'button', class: 'btn', onclick: () => { page += by; load(); }}, label);
  const previous = step('← Previous', -1), next = step('Next →', 1);
  const element = h('section', {class: 'card batch-rows', 'aria-label': 'Rows', hidden: true}, h('h2', {tabindex: -1}, 'Rows'), chips, sideways(list), h('div', {class: 'row'}, previous, place, next), note);
  let filters = {}, flips = null, page = 0, asked = 0, shown = '', going = false;

  /** `quiet`: what is being read stays as it is. */
  async function load(quiet = false) {
    const mine = ++asked;
    const wanted = JSON.stringify([flips, filters, page]);
    list.setAttribute('aria-busy', 'true');
    const answer = await ask('batch_rows', flips ? {flips, page} : {filters, page});
    if (mine !== asked) return;
    list.removeAttribute('aria-busy');
    say(note, answer.error);
    if (answer.error) return;
    drawChips();
    const pages = Math.max(1, Math.ceil(answer.total / answer.page_size));
    place.textContent = `${counted(answer.total, flips ? 'task' : 'row')}${going ? ' so far' : ''} · page ${count(page + 1)} of ${count(pages)}`;
    rest(previous, page === 0);
    rest(next, page + 1 >= pages);
    if (quiet && shown === wanted && (page > 0 || list.querySelector('.opened'))) return;
    shown = wanted;
    list.replaceChildren(flips ? flipTable(answer.flips) : rowTable(answer.rows));
  }

  function drawChips() {
    const chip = (text, without) => h('button', {type: 'button', class: 'chip', onclick: without, 'aria-label': `Remove the filter ${text}`}, text, ' ✕');
    chips.replaceChildren(...(flips ? [chip(flips.won ? `only ${flips[flips.won]} right` : 'flipped', () => filter({}))]
      : Object.entries(filters).map(([name, value]) => chip(`${NAMES[name]}: ${value.replaceAll('_', ' ')}`, () => { delete filters[name]; page = 0; load(); }))));
    chips.hidden = !chips.childElementCount;
  }

  const cell = text => h('td', {}, text);
  const answerOf = row => row.prediction === null ? h('span', {class: 'muted'}, 'no value') : h('q', {class: 'mono quote'}, visible(excerpt(row.prediction)));
  const opener = row => h('button', {type: 'button', class: 'number mono', 'aria-expanded': 'false', onclick: event => open(row, event.currentTarget)}, row.task_id);

  const sampled = rows => rows.some(row => row.sample);
  const rowTable = rows => h('table', {}, h('thead', {}, h('tr', {}, ['Task', 'Outcome', 'Answer', 'Rung', 'Why', 'Run', ...(sampled(rows) ? ['Sample'] : []), 'Line'].map(name => h('th', {scope: 'col'}, name)))),
    h('tbody', {}, rows.length ? rows.map(row => h('tr', {}, h('td', {}, opener(row)), cell(row.outcome), h('td', {class: 'answer'}, answerOf(row)), h('td', {class: 'mono'}, row.method),
      h('td', {class: 'small'}, h('span', {class: 'why', title: row.reason}, row.reason), [...row.cautions, ...row.near_misses].map(kind => h('span', {class: 'chip'}, kind.replaceAll('_', ' ')))), h('td', {class: 'mono'}, row.run), ...(sampled(rows) ? [h('td', {class: 'mono'}, row.sample)] : []), cell(count(row.line))))
      : h('tr', {}, h('td', {colspan: 7}, 'No row passes these filters.'))));

  const flipTable = found => h('table', {}, h('thead', {}, h('tr', {}, ['Task', flips.first, flips.second].map(name => h('th', {scope: 'col'}, name)))),
    h('tbody', {}, found.length ? found.map(({first, second}) => h('tr', {}, h('td', {class: 'mono'}, first.task_id), [first, second].map(row => h('td', {class: 'answer'}, h('span', {class: row.outcome === 'right' ? 'good' : 'bad'}, row.outcome === 'right' ? '✓ ' : '✕ '), answerOf(row), ' ', h('button', {type: 'button', class: 'btn quiet', 'aria-expanded': 'false', onclick: event => open(row, event.currentTarget)}, 'Ladder')))))
      : h('tr', {}, h('td', {colspan: 3}, 'No task flipped.'))));

  /** A row's verdict below it, or closed again. */
  async function open(row, button) {
    const line = button.closest('tr');
    if (button.getAttribute('aria-expanded') === 'true') { line.nextElementSibling.remove(); button.setAttribute('aria-expanded', 'false'); return; }
    if (line.nextElementSibling?.classList.contains('opened')) { line.nextElementSibling.remove(); line.querySelector('[aria-expanded=true]').setAttribute('aria-expanded', 'false'); }
    const box = h('td', {colspan: line.childElementCount}, h('p', {class: 'muted'}, 'Grading it again…'));
    line.after(h('tr', {class: 'opened'}, box));
    button.setAttribute('aria-expanded', 'true');
    const answer = await ask('batch_row', {row: row.row});
    if (answer.error) { say(box, answer.error); return; }
    box.replaceChildren(h('div', {class: 'batch-verdict'}, row.apart && h('p', {class: 'notice warn'}, `Counted as ${row.outcome}, not as wrong. What the grader says of the text as it stands:`), outcome(answer, answer.prediction), h('div', {class: 'row'}, h('a', {href: `?task=${encodeURIComponent(row.task_id)}`, target: '_blank'}, 'Open the task'), inLab(answer, answer.prediction)),
      goldLine(answer.gold), ...rungs(answer, answer.prediction)));
  }

  function filter(wanted) {
    filters = {...wanted};
    flips = null;
    page = 0;
    show();
  }

  function show() {
    element.hidden = false;
    load();
    element.scrollIntoView({block: 'nearest'});
    element.querySelector('h2').focus({preventScroll: true});
  }

  return {
    element, filter,
    flips(first, second, won) { flips = {first, second, won}; page = 0; show(); },
    hide() { element.hidden = true; filters = {}; flips = null; page = 0; },
    /** The rows as they are now, without moving the page. */
    show(report) { going = report.state === 'grading'; load(!element.hidden); element.hidden = false; },
  };
}
