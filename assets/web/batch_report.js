// The batch pane: files of predictions, what there is of them, grading with progress, then the numbers and the rows.
import {filesCard} from './batch_files.js';
import {numbers} from './batch_numbers.js';
import {rowsCard} from './batch_rows.js';
import {sideways} from './sideways.js';
import {count, counted, h, rest, workbench} from './workbench.js';

const ASK_EVERY = 700;   // ms between looks at the progress
const DRAW_EVERY = 4000;   // ms between reports while the state stays
const ENDED = ['ready', 'stopped', 'failed', 'done'];

export function mount(pane, server) {
  const ask = (name, request = {}) => server[name]({token: workbench.token, ...request})
    .catch(() => ({error: 'The app did not answer. What was graded is kept; try again.'}));
  function say(box, text, look = 'bad') {
    if (box.textContent === (text ?? '')) return;   // said already: an alert would be read out again
    box.replaceChildren(...(text ? [h('p', {class: `notice ${look}`, role: 'alert'}, text)] : []));
  }
  const button = (label, act, look = '') => h('button', {type: 'button', class: `btn ${look}`, onclick: act}, label);

  const plan = h('section', {class: 'card', 'aria-label': 'Before grading', hidden: true});
  const progress = h('section', {class: 'card batch-progress', 'aria-label': 'Grading', hidden: true});
  const report = h('section', {'aria-label': 'Report', class: 'batch-numbers'});
  const rows = rowsCard(ask, say);
  const files = filesCard({ask, say, read: state => showPlan(state), changed: forget});
  const unreached = h('div');
  pane.replaceChildren(h('div', {class: 'batch'}, files.element, plan, progress, unreached, report, rows.element));

  let watched = 0;

  function forget() {
    watched += 1;
    plan.hidden = progress.hidden = true;
    report.replaceChildren();
    say(unreached, '');
    rows.hide();
  }

  function showPlan({counts, policy, progress: at}) {
    plan.hidden = false;
    const note = h('div');
    const table = h('div', {class: 'batch-table', tabindex: 0, role: 'group', 'aria-label': 'What the files hold'});
    const chosen = {duplicates: 'first', missing: 'leave out', splits: [], ...policy};
    const splits = ['train', 'test', 'eval'];
    const box = split => h('label', {class: 'row small'}, h('input', {type: 'checkbox', checked: counts.splits.includes(split), onchange: async event => {
      const on = new Set(counts.splits);
      if (event.target.checked) on.add(split); else on.delete(split);
      if (!on.size) { event.target.checked = true; return; }
      chosen.splits = splits.filter(each => on.has(each));
      const answer = await ask('count_again', {policy: chosen});
      if (answer.error) { say(note, answer.error); return; }
      counts = answer.counts;
      fill();
      stale();
    }}), split);
    const choice = (name, value, text) => h('label', {class: 'row small'}, h('input', {type: 'radio', name: `batch-${name}`, checked: chosen[name] === value, onchange: () => { chosen[name] = value; stale(); }}), text);

    /** What was graded, was by other choices. */
    const stale = () => { if (report.hasChildNodes()) say(note, 'The numbers below are of the choices before. Grade again for these.', 'warn'); };
    function fill() {
      table.replaceChildren(countsTable(counts));
    }
    fill();
    const sampled = counts.runs.some(run => run.samples > run.tasks);
    const several = counts.runs.some(run => run.duplicates.count);
    const absent = counts.runs.some(run => run.missing.count);
    const start = button('Grade', async () => {
      rest(start, true);
      const answer = await ask('grade_batch', {policy: chosen});
      rest(start, false);
      if (answer.error) { say(note, answer.error); return; }
      say(note, '');
      rows.hide();
      report.replaceChildren();
      watch(true);
    }, 'primary');
    plan.replaceChildren(...[h('h2', {}, 'Before grading'), sideways(table), broken(counts.broken),
      h('fieldset', {class: 'row'}, h('legend', {class: 'small muted'}, 'Splits that count'), splits.map(box)),
      sampled && h('p', {class: 'small'}, 'Rows of one task with different sample numbers are its samples: all of them are graded.'),
      several && h('fieldset', {}, h('legend', {class: 'small muted'}, sampled ? 'Several rows of one task and sample number' : 'Several rows of one task'), choice('duplicates', 'first', 'Grade the first'),
        choice('duplicates', 'last', 'Grade the last'), choice('duplicates', 'samples', 'Grade all, as samples (pass@k)')),
      absent && h('fieldset', {}, h('legend', {class: 'small muted'}, 'Tasks without a row'), choice('missing', 'leave out', 'Leave them out'),
        choice('missing', 'count as wrong', 'Count them as wrong')),
      h('div', {class: 'row'}, start), note].filter(Boolean));
    if (at) watch();
  }

  /** Follow the grading to its end; the numbers so far are shown meanwhile. `reveal` brings it into view with the first. */
  async function watch(reveal = false) {
    const mine = ++watched;
    let drawn = 0, state = '';
    for (;;) {
      let answer = await ask('batch_progress');
      if (mine !== watched) return;
      const at = answer.progress;
      const begun = at && (at.state !== 'grading' || at.done > 0);
      if (begun && (at.state !== state || Date.now() - drawn > DRAW_EVERY)) answer = await ask('read_report');   // both are drawn at once, so that they tell the same
      if (mine !== watched) return;
      if (answer.gone) { say(progress, answer.error); progress.hidden = false; return; }
      if (answer.progress) showProgress(answer.progress);
      say(unreached, answer.error);
      if (answer.report) {
        ({state} = answer.progress);
        drawn = Date.now();
        numbers(report, answer.report, rows);
        rows.show(answer.report);
        if (reveal) progress.scrollIntoView({block: 'start', behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth'});
        reveal = false;
        if (ENDED.includes(state)) return;
      }
      await new Promise(done => { setTimeout(done, ASK_EVERY); });
      if (mine !== watched) return;
    }
  }

  function showProgress(at) {
    progress.hidden = false;
    const running = !ENDED.includes(at.state);
    const act = async name => {
      const answer = await ask(name);
      if (answer.error) say(note, answer.error); else watch();
    };
    const note = h('div');
    const focused = progress.contains(document.activeElement);
    const end = running ? button('Stop', () => act('stop_batch')) : at.state !== 'done' && button('Go on', () => act('go_on'));
    progress.replaceChildren(h('div', {class: 'row spread'}, h('h2', {}, running ? 'Grading' : at.state === 'done' ? 'Graded' : 'Grading stopped'), end || null),
      h('progress', {max: at.total || 1, value: String(at.done), 'aria-label': 'Rows graded'}),
      h('p', {class: 'small', role: 'status'}, at.sentence, running && at.rate >= 0.5 ? ` ${counted(Math.round(at.rate), 'row')} a second.` : ''), note);
    if (focused && end) end.focus();
  }

  (async () => {
    const state = await ask('batch_state');
    if (state.error) { say(unreached, state.error); return; }
    files.show(state.files);
    if (state.counts) showPlan(state);
  })();
}

function countsTable(counts) {
  const cell = ({count: number, examples}) => h('td', {title: examples.join('\n')}, count(number), number > 0 && h('span', {class: 'small muted mono'}, ` ${examples[0]}${number > 1 ? ' …' : ''}`));
  return h('table', {}, h('thead', {}, h('tr', {}, ['Run', 'Rows', 'Matched', 'Tasks', 'Samples', 'Duplicates', 'Missing', 'Unknown ids', 'Of other splits'].map(name => h('th', {scope: 'col'}, name)))),
    h('tbody', {}, counts.runs.map(run => h('tr', {}, h('th', {scope: 'row', class: 'mono'}, run.run), h('td', {}, count(run.rows)), h('td', {}, count(run.matched)), h('td', {}, count(run.tasks)), h('td', {}, count(run.samples)),
      cell(run.duplicates), cell(run.missing), cell(run.unknown), cell(run.other_splits)))));
}

const broken = ({count: number, examples}) => number > 0 && h('details', {open: true}, h('summary', {class: 'small'}, number === 1 ? '1 record can’t be read' : `${count(number)} records can’t be read`),
  h('ul', {class: 'small'}, examples.map(each => h('li', {}, each)), number > examples.length && h('li', {class: 'muted'}, `and ${count(number - examples.length)} more`)));
