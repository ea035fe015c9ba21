// The profile of a whole table: each column's numbers, with a chart of one column, of two, or of how the numeric ones go together.
import {chartOf} from './data_charts.js';
import {visible} from './data_names.js';
import {isNumeric, number, summaryOf} from './data_summary.js';
import {sideways} from './sideways.js';
import {count, h} from './workbench.js';

const ASK_AGAIN = 500;   // ms
const LISTED = 100;      // columns at a time
const [WIDE, HIGH] = [96, 22];
const SVG = 'http://www.w3.org/2000/svg';

const [FIGURES, EXACT] = [6, 15];   // of a number worked out; those before its point all stand, as far as they are true

const rounded = value => number(typeof value === 'number' ? Number(value.toPrecision(Math.min(EXACT, Math.max(FIGURES, Math.floor(Math.log10(Math.abs(value))) + 1)))) : value);

/** The counts as a row of bars, without text: its numbers stand beside it. */
function bars(counts) {
  const most = Math.max(...counts, 1);
  const wide = WIDE / counts.length;
  const picture = document.createElementNS(SVG, 'svg');
  for (const [name, value] of [['viewBox', `0 0 ${WIDE} ${HIGH}`], ['aria-hidden', 'true'], ['class', 'sparkline'], ['preserveAspectRatio', 'none']]) picture.setAttribute(name, value);
  counts.forEach((each, at) => {
    const high = each ? Math.max(1, each / most * HIGH) : 0;
    const bar = document.createElementNS(SVG, 'rect');
    for (const [name, value] of [['x', at * wide], ['y', HIGH - high], ['width', Math.max(0.5, wide - 0.6)], ['height', high]]) bar.setAttribute(name, value);
    picture.append(bar);
  });
  return picture;
}

const countsOf = ({bins, top}) => bins?.counts ?? top?.map(([, times]) => times) ?? [];

/** `ask(name, request)` asks the server about the table shown; `columns()` are its columns; `changed()` when sparklines are new. */
export function profilePanel({ask, columns, changed}) {
  const state = h('div', {role: 'status', class: 'state'});
  const list = h('div', {class: 'profile-table', tabindex: 0, role: 'group', 'aria-label': 'Columns'});
  const frame = sideways(list);
  frame.hidden = true;
  const search = h('input', {type: 'search', 'aria-label': 'Search the profile', placeholder: 'Search columns', oninput: () => draw()});
  const more = h('button', {type: 'button', class: 'btn', onclick: () => { listed += LISTED; draw(); }}, `Show ${LISTED} more`);
  const other = h('select', {'aria-label': 'Second column', onchange: () => chart([one, ...(other.value ? [Number(other.value)] : [])])});
  const title = h('h4', {});
  const note = h('p', {class: 'small muted'});
  const plot = h('div', {class: 'chart', role: 'img'});
  const chartBox = h('section', {class: 'profile-chart', 'aria-label': 'Chart', hidden: true}, h('div', {class: 'row spread'}, title, h('label', {class: 'row small muted'}, 'with', other)), plot, note);
  const element = h('section', {class: 'profile', 'aria-label': 'Profile', hidden: true},
    h('div', {class: 'row spread'}, h('h3', {tabindex: -1}, 'Profile'), h('div', {class: 'row'}, search, h('button', {type: 'button', class: 'btn', onclick: () => chart([])}, 'Correlations'))), state, chartBox, frame, more);
  let found = new Map(), one = 0, asked = 0, charted = 0, listed = LISTED, running = false, done = false;

  async function start(again = false) {
    if (running || done) return;
    running = true;
    const mine = ++asked;
    for (;;) {
      const answer = await ask('profile', {again});
      again = false;
      if (mine !== asked) return;
      if (answer.columns && answer.columns.length !== found.size) {
        found = new Map(answer.columns.map(each => [each.column, each]));
        draw();
        changed();
      }
      say(answer);
      if (answer.state !== 'profiling' && answer.state !== 'copying') { running = false; done = answer.state === 'ready'; return; }
      await new Promise(next => { setTimeout(next, ASK_AGAIN); });
      if (mine !== asked) return;
    }
  }

  function say(answer) {
    const goOn = label => h('button', {type: 'button', class: 'btn', onclick: () => start(true)}, label);
    if (answer.error) state.replaceChildren(h('div', {class: 'notice bad row spread'}, answer.error, goOn('Try again')));
    else if (answer.state === 'stopped') state.replaceChildren(h('div', {class: 'notice row spread'}, `The profile was stopped: ${count(found.size)} of ${count(columns().length)} columns are done.`, goOn('Go on')));
    else if (answer.state === 'ready') state.replaceChildren(h('p', {class: 'small muted'}, 'Of the whole file, every row. Means and percentiles are rounded to six figures, or to whole numbers.'));
    else {
      const copying = answer.state === 'copying';
      state.replaceChildren(h('div', {class: 'small muted row spread'}, h('span', {}, copying ? 'Reading the whole file…' : `${count(answer.done)} of ${count(answer.total)} columns…`),
        answer.total > 0 && h('progress', {max: answer.total, value: answer.done, 'aria-label': 'What is done of the profile'}), h('button', {type: 'button', class: 'btn', onclick: () => stop(copying ? 'whole' : 'profile')}, 'Stop')));
    }
  }

  async function stop(what) {
    const answer = await ask('stop', {what});
    if (answer.error) say(answer);
  }

  const nameOf = column => visible(columns()[column].name) || `(no name, column ${column + 1})`;

  function line(each) {
    const about = what => each.approximate.includes(what) ? 'about ' : '';
    const quantiles = each.quantiles ? about('quantiles') + each.quantiles.map(rounded).join(' · ') : '';
    const cell = text => h('td', {}, text);
    const end = value => h('td', {}, isNumeric(each) ? number(value) : h('span', {class: 'value', title: value}, visible(value ?? '')));
    return h('tr', {}, h('th', {scope: 'row'}, h('button', {type: 'button', class: 'link mono', onclick: () => chart([each.column])}, nameOf(each.column))),
      cell(each.type), cell(`${each.missing}${each.blank ? ` (${each.blank} blank)` : ''}`), cell(`${about('distinct')}${each.distinct}`), end(each.min), end(each.max), cell(rounded(each.mean)),
      h('td', {class: 'spark'}, bars(countsOf(each))), cell(quantiles),
      h('td', {class: 'top'}, (each.top ?? []).map(([value, times]) => h('span', {class: 'chip', title: value}, h('span', {class: isNumeric(each) ? 'value numeric' : 'value'}, visible(String(value)) || 'blank'), ` ${times}`))));
  }

  function draw() {
    const wanted = search.value.toLowerCase();
    const all = [...found.values()].filter(({column}) => columns()[column].name.toLowerCase().includes(wanted));
    more.hidden = all.length <= listed;
    frame.hidden = !found.size;
    list.replaceChildren(h('table', {}, h('thead', {}, h('tr', {}, ['Column', 'Type', 'Missing to pandas', 'Distinct', 'Min', 'Max', 'Mean', 'Spread', '5 · 25 · 50 · 75 · 95 %', 'Most frequent'].map(name => h('th', {scope: 'col'}, name)))),
      h('tbody', {}, all.slice(0, listed).map(line))));
  }

  /** Draw one column, two, or with none the correlations of the numeric ones. */
  async function chart(chosen) {
    const mine = ++charted;
    [one] = chosen;
    chartBox.hidden = false;
    other.parentElement.hidden = !chosen.length;
    other.replaceChildren(h('option', {value: ''}, 'nothing'), ...columns().map((_, column) => column).filter(column => column !== one).slice(0, 2000)
      .map(column => h('option', {value: column, selected: column === chosen[1]}, nameOf(column))));
    title.textContent = chosen.length ? chosen.map(nameOf).join(' and ') : 'Correlations';
    note.textContent = 'Drawing…';
    chartBox.scrollIntoView({block: 'nearest'});
    let answer;
    do {
      answer = await ask('chart', {columns: chosen});
      if (answer.state && answer.state !== 'stopped') await new Promise(next => { setTimeout(next, ASK_AGAIN); });
      if (mine !== charted) return;
    } while (answer.state && answer.state !== 'stopped');
    plot.hidden = Boolean(answer.error || answer.state);
    note.textContent = answer.error || (answer.state ? 'The whole file is not read, so there is nothing to draw.' : answer.note || '');
    if (plot.hidden) return;
    title.textContent = visible(answer.title);
    plot.setAttribute('aria-label', visible(answer.title));
    await chartOf(plot, answer);
  }

  return {
    element, start, chart,
    /** Whether every column is done. */
    get complete() { return found.size === columns().length; },
    /** The summary of a column over every row, once its profile is there. */
    summary: column => found.has(column) ? summaryOf(found.get(column)) : null,
    /** The sparkline of a column, once its profile is there. */
    sparkline: column => found.has(column) ? bars(countsOf(found.get(column))) : null,
    close() {
      asked += 1; charted += 1; running = done = false; found = new Map(); listed = LISTED;
      search.value = ''; chartBox.hidden = true; frame.hidden = true; list.replaceChildren(); state.replaceChildren(); more.hidden = true;
    },
  };
}
