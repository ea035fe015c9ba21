// The ladder of a graded answer, every rung drawn: what it read, how it compared, and what came of it.
import {sideways} from './sideways.js';
import {count, h} from './workbench.js';

const TITLES = {
  exact: 'Same text',
  numeric: 'Number within tolerance',
  numeric_scaled: 'Percent for fraction',
  list: 'List, item by item',
  math_verify: 'Symbolic',
};
// icon, words, look
const STATES = {
  'matched': ['✓', 'matched', 'good'],
  'failed': ['✕', 'no match', 'bad'],
  'not tried': ['–', 'not tried', 'idle'],
  'could not run': ['!', 'could not run', 'warn'],
  'would have matched': ['✓', 'would have matched', 'later'],
  'would have failed': ['✕', 'would not have matched', 'later'],
};
const AROUND = 60;
const FIRST_PAIRS = 12;

/** The rungs of `verdict`, for the answer `prediction`; `verdict.gold` is the gold's whole text. */
export function ladder(verdict, prediction) {
  return h('ol', {class: 'ladder'}, verdict.rungs.map(rung => {
    const [icon, words, look] = STATES[rung.state];
    return h('li', {class: look, 'data-rung': rung.name, 'data-state': rung.state},
      h('span', {class: 'rung-icon', 'aria-hidden': 'true'}, icon),
      h('div', {class: 'rung'},
        h('b', {}, TITLES[rung.name]),
        h('p', {class: 'rung-state'}, words, ' ', h('span', {class: 'mono muted'}, rung.name)),
        h('p', {class: 'small muted'}, rung.detail),
        rung.state !== 'not tried' && readings(rung, verdict.gold, prediction),
        rung.closeness && closeness(rung.closeness, rung.name === 'numeric_scaled'),
        rung.pairs.length > 0 && pairs(rung)));
  }));
}

/** A number as a person reads it; one too large for JSON came as text. */
export const figure = number => typeof number === 'number' ? String(Number(number.toPrecision(5))) : number;

/** `text` for reading: its middle cut out when it is long. */
export function excerpt(text) {
  const characters = Array.from(text);
  if (characters.length <= 2.5 * AROUND) return text;
  return `${characters.slice(0, AROUND).join('')} … ${characters.slice(-AROUND).join('')}`;
}

const quote = (...parts) => h('q', {class: 'mono quote'}, parts);

function readings(rung, gold, prediction) {
  if (!rung.gold && !rung.prediction) return null;
  const side = (label, reading, whole) => [h('dt', {}, label), h('dd', {}, reading ? read(rung.name, reading, whole) : h('span', {class: 'muted'}, 'nothing read'))];
  return h('dl', {class: 'readings'}, side('Gold', rung.gold, gold), side('Answer', rung.prediction, prediction));
}

function read(rung, reading, whole) {
  if ('start' in reading) {
    const characters = Array.from(whole);   // the server counts characters, not the browser's half pairs
    const before = characters.slice(Math.max(0, reading.start - AROUND), reading.start).join('');
    const after = characters.slice(reading.end, reading.end + AROUND).join('');
    return [quote(reading.start > AROUND && '… ', before, h('mark', {}, excerpt(reading.text)), after, reading.end + AROUND < characters.length && ' …'),
      ' read as ', h('span', {class: 'mono'}, String(reading.value))];
  }
  if (rung === 'math_verify') {
    return [quote(excerpt(whole)), ' read as ', reading.text ? h('span', {class: 'mono'}, excerpt(reading.text)) : h('span', {class: 'muted'}, 'nothing')];
  }
  return quote(excerpt(reading.text));
}

function closeness(found, scaled) {
  const line = (name, value, tolerance, limit) => {
    const passes = typeof value === 'number' && value <= limit;
    return h('li', {class: passes ? 'row passes' : 'row'}, h('span', {class: 'muted'}, name), h('span', {class: 'mono'}, figure(value)),
      h('span', {class: 'mono'}, `${passes ? '≤' : '>'} ${figure(limit)} ${tolerance}`));
  };
  return h('ul', {class: 'closeness', 'aria-label': 'Difference against tolerance'},
    line(scaled ? 'scaled difference' : 'difference', found.difference, 'atol', found.atol),
    line('relative', found.relative, 'rtol', found.rtol));
}

function pairs(rung) {
  const rows = rung.pairs.map((pair, index) => h('tr', {class: pair.matched_by ? '' : 'bad'}, h('td', {class: 'muted'}, count(index + 1)),
    h('td', {}, quote(excerpt(pair.gold))), h('td', {}, quote(excerpt(pair.prediction))), h('td', {}, pairResult(pair))));
  const table = some => sideways(h('div', {class: 'pairs', tabindex: 0, role: 'group', 'aria-label': 'Pairs compared'}, h('table', {},
    h('thead', {}, h('tr', {}, ['', 'Gold', 'Answer', 'Result'].map(name => h('th', {scope: 'col'}, name)))), h('tbody', {}, some))));
  const order = h('p', {class: 'small muted'}, rung.order === 'sorted' ? 'Both sides sorted:' : 'In the given order:');
  const left = rung.pair_count - rung.pairs.length;
  return [order, table(rows.slice(0, FIRST_PAIRS)),
    rows.length > FIRST_PAIRS && h('details', {}, h('summary', {class: 'small'}, `${count(rows.length - FIRST_PAIRS)} more pairs`), table(rows.slice(FIRST_PAIRS))),
    left > 0 && h('p', {class: 'small muted'}, `${count(left)} further pairs were compared and aren’t shown.`)];
}

function pairResult(pair) {
  if (pair.matched_by === 'text') return '✓ same text';
  if (pair.matched_by === 'number') return `✓ within ${pair.closeness.within}, off by ${figure(pair.closeness.difference)}`;
  if (!pair.closeness) return '✕ different text';
  const {difference, relative, atol, rtol} = pair.closeness;
  const allowed = Math.max(atol, rtol * difference / relative);   // a relative difference is one over the gold
  return `✕ off by ${figure(difference)}${Number.isFinite(allowed) ? `, allowed ${figure(allowed)}` : ''}`;
}
