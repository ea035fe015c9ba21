// The numbers of a batch: rates with their intervals, rungs, what to look at, two runs compared, and files to keep.
import {bars} from './charts.js';
import {sideways} from './sideways.js';
import {count, counted, h, save, workbench} from './workbench.js';

const FACETS = {split: 'split', tier: 'tier', level: 'level', mode: 'reward mode', dataset: 'Kaggle dataset'};
const BARS = 20;
let facet = 'tier';   // kept while the numbers are drawn anew

const percent = value => value === null ? '–' : `${(100 * value).toFixed(1)}%`;
const interval = rate => rate.rate === null ? 'no tasks' : `95% interval ${percent(rate.low)} to ${percent(rate.high)}, over ${counted(rate.of, 'task')}`;
const lostRows = group => group.rows - group.outcomes.right - group.outcomes.wrong;
const words = kind => kind.replaceAll('_', ' ');

/** What is not final about the rates. */
function partly({runs, state}) {
  const sum = part => runs.reduce((all, run) => all + run[part], 0);
  const left = sum('ungraded'), graded = sum('queued') - left;
  if (left) return graded ? `Not all rows are graded: these rates are over the ${counted(graded, 'row')} graded first, in a shuffled order of tasks.` : 'No row is graded, so there are no rates.';
  return state === 'retrying' && 'All rows are graded. Those that could not be are tried once more, so these rates may change.';
}

/** Draw `report` into `box`; a click on a number asks `rows` for the rows behind it. */
export function numbers(box, report, rows) {
  const {runs, comparison, versions} = report;
  if (!runs.length) { box.replaceChildren(h('p', {class: 'notice warn'}, 'No row of the files was picked, so there are no numbers.')); return; }
  const several = runs.length > 1;
  const link = (text, filters, label) => h('button', {type: 'button', class: 'number', 'aria-label': label, onclick: () => rows.filter(filters)}, text);
  const table = (label, head, body) => sideways(h('div', {class: 'batch-table', tabindex: 0, role: 'group', 'aria-label': label}, h('table', {}, h('thead', {}, h('tr', {}, head.map(each => h('th', {scope: 'col'}, each)))), h('tbody', {}, body))));
  const line = (name, cells) => h('tr', {}, h('th', {scope: 'row'}, name), cells.map(each => h('td', {}, each)));
  const ofRun = (run, more) => ({...(several && {run: run.run}), ...more});

  const partial = partly(report);
  const headline = h('section', {class: 'card', 'aria-label': 'Result'}, h('div', {class: 'row spread'}, h('h2', {}, 'Result'), exports()),
    partial && h('p', {class: 'notice warn'}, partial),
    h('div', {class: 'batch-runs'}, runs.map(run => h('div', {class: 'batch-run'}, several && h('h3', {class: 'mono'}, run.run),
      run.pass_at_k.map(({k, all, answered, fewer_samples: fewer}) => h('div', {}, h('p', {class: 'rate'}, h('b', {}, percent(all.rate)), ` pass@${k}`),
        h('p', {class: 'small muted'}, interval(all), lostRows(run) > 0 && '; a row without a gradable answer counts as not right'),
        answered.of !== all.of || answered.rate !== all.rate ? h('p', {class: 'small'}, `${percent(answered.rate)} where only gradable answers count, over ${counted(answered.of, 'task')} with at least ${k} of them`) : null,
        fewer > 0 && k > 1 && h('p', {class: 'small muted'}, `${counted(fewer, 'task')} with fewer than ${k} samples left out`))),
      h('p', {class: 'row'}, h('span', {class: 'small muted'}, `Of ${counted(run.queued, 'row')}:`), Object.entries(run.outcomes).filter(([, number]) => number).map(([name, number]) => h('span', {class: 'small'}, link(count(number), ofRun(run, {outcome: name}), `Rows of ${run.run} that are ${name}`), ` ${name}`)),
        run.counted_missing > 0 && h('span', {class: 'small'}, `${counted(run.counted_missing, 'missing task')} counted as wrong`),
        run.ungraded > 0 && report.state !== 'grading' && h('span', {class: 'small muted'}, `${count(run.ungraded)} not graded`))))));

  const chart = h('div', {class: 'chart', role: 'img', 'aria-label': 'The rates of the table below as bars'});
  const facetTable = h('div');
  const chosen = h('select', {id: 'batch-facet', onchange: () => { facet = chosen.value; drawFacet(); }}, Object.entries(FACETS).map(([name, label]) => h('option', {value: name}, label)));
  chosen.value = facet;

  function drawFacet() {
    const found = runs.map(run => new Map(run.groups[facet].map(group => [group.value, group])));
    const values = [...new Set(runs.flatMap(run => run.groups[facet].map(group => group.value)))];
    const shown = values.slice(0, BARS);
    const rate = (at, value, part) => found[at].get(value)?.all[part] ?? null;
    bars(chart, shown, runs.map((run, at) => ({name: run.run, values: shown.map(value => rate(at, value, 'rate')), low: shown.map(value => rate(at, value, 'low')), high: shown.map(value => rate(at, value, 'high'))})),
      {percent: true, choose: (value, name) => rows.filter({...(several && {run: name}), [facet]: value})});
    facetTable.replaceChildren(h('div', {}, table(`pass@1 by ${FACETS[facet]}`, [FACETS[facet], ...runs.flatMap(run => [several ? `${run.run}: pass@1` : 'pass@1', '95% interval', 'tasks', 'rows without a gradable answer'])],
      values.map(value => line(value || '(none)', found.flatMap((groups, at) => {
        const group = groups.get(value);
        if (!group) return ['–', '', '0', ''];
        return [link(percent(group.all.rate), ofRun(runs[at], {[facet]: value}), `Rows of ${value}`), group.all.rate === null ? '' : `${percent(group.all.low)} – ${percent(group.all.high)}`, count(group.all.of), count(lostRows(group))];
      })))), values.length > BARS && h('p', {class: 'small muted'}, `The chart shows the first ${BARS}.`)));
  }
  const byFacet = h('section', {class: 'card', 'aria-label': 'Pass rate by group'}, h('div', {class: 'row spread'}, h('h2', {}, 'Pass rate'), h('div', {class: 'row'}, h('label', {for: 'batch-facet', class: 'small muted'}, 'by'), chosen)), chart, facetTable);

  const rungChart = h('div', {class: 'chart', role: 'img', 'aria-label': 'The counts of the table below as bars'});
  const methods = Object.keys(runs[0].methods);
  const byRung = h('section', {class: 'card', 'aria-label': 'Rungs'}, h('h2', {}, 'Which rung decided'), h('p', {class: 'small muted'}, 'Every graded row counts here. A miss is a row that no rung matched: a wrong one, or one set apart below.'), rungChart,
    table('Rows by rung', ['Rung', ...runs.map(run => several ? run.run : 'Rows')], methods.map(method => line(method, runs.map(run => link(count(run.methods[method]), ofRun(run, {method}), `Rows of ${run.run} by ${method}`))))));

  const kinds = (title, name, filter, why) => {
    const all = [...new Set(runs.flatMap(run => Object.keys(run[name])))];
    return h('div', {}, h('h3', {}, title), h('p', {class: 'small muted'}, why), all.length ? table(title, ['', ...runs.map(run => several ? run.run : 'Rows')],
      all.map(kind => line(words(kind), runs.map(run => link(count(run[name][kind] ?? 0), ofRun(run, {[filter]: kind}), `${words(kind)}, ${run.run}`))))) : h('p', {class: 'small'}, report.state === 'done' ? 'None.' : 'None so far.'));
  };
  const look = h('section', {class: 'card', 'aria-label': 'Rows to look at'}, h('h2', {}, 'Rows to look at'), h('div', {class: 'batch-kinds'},
    kinds('Matches to doubt', 'cautions', 'caution', 'They count as right; the match hides something.'),
    kinds('Near misses', 'near_misses', 'near_miss', 'They count as wrong; a small change would pass.'),
    runs.some(run => Object.keys(run.reference).length) && kinds('The dataset’s own grader', 'reference', 'reference', 'Whether it agrees with the reward and method shown here.'),
    kinds('Set apart', 'apart', 'apart', 'No answer, or what looks like a failure of the infrastructure: not right in pass@k, and left out where only gradable answers count.')));

  box.replaceChildren(headline, ...(comparison ? [compared(comparison, rows, table, line)] : []), byFacet, byRung, look,
    h('p', {class: 'small muted'}, `Graded by ${versions.app}, ${versions.grader}, on ${versions.tasks}${versions.revision ? ` at revision ${versions.revision}` : ''}.`));
  drawFacet();
  bars(rungChart, methods, runs.map(run => ({name: run.run, values: methods.map(method => run.methods[method])})), {choose: (method, name) => rows.filter({...(several && {run: name}), method})});

  function exports() {
    const note = h('span', {class: 'small muted', role: 'status'});
    const saving = (label, kind, name, title) => h('button', {type: 'button', class: 'btn', title, onclick: async () => {
      note.textContent = 'Writing…';
      note.textContent = await download(kind, name, report);
    }}, label);
    return h('div', {class: 'row'}, note, saving('Rows as CSV', 'csv', 'batch.csv', 'Answers stand in it as they are: in a spreadsheet, import its columns as text, or one that begins with = runs as a formula.'), saving('Rows as JSONL', 'jsonl', 'batch.jsonl'), saving('Report', 'md', 'batch.md'), saving('Report as JSON', 'json', 'batch.json'));
  }
}

function compared(both, rows, table, line) {
  const show = won => h('button', {type: 'button', class: 'number', onclick: () => rows.flips(both.first, both.second, won), 'aria-label': `Tasks only ${won === 'first' ? both.first : both.second} got right`}, count(won === 'first' ? both.only_first : both.only_second));
  const groups = Object.entries(both.groups).filter(([name]) => name !== 'dataset').flatMap(([name, found]) => found.map(group => [`${FACETS[name]} ${group.value}`, group]));
  return h('section', {class: 'card', 'aria-label': 'Two runs'}, h('h2', {}, 'Who won where'),
    table('Both runs, task by task', ['Tasks', `${both.second} right`, `${both.second} wrong`], [line(`${both.first} right`, [count(both.both_right), show('first')]), line(`${both.first} wrong`, [show('second'), count(both.both_wrong)])]),
    h('p', {class: 'small'}, `McNemar’s exact test, two-sided: p = ${both.p_value.toPrecision(3)}. `, h('span', {class: 'muted'}, `Tasks only one run has: ${count(both.only_in_first)} and ${count(both.only_in_second)}. Left out, as one of the two has no gradable answer: ${count(both.left_out)}. Of several samples the first counts.`)),
    h('div', {class: 'row'}, h('button', {type: 'button', class: 'btn', onclick: () => rows.flips(both.first, both.second, '')}, 'Show the tasks that flipped')),
    h('details', {}, h('summary', {class: 'small'}, 'By group'), table('Two runs by group', ['', `only ${both.first}`, `only ${both.second}`, 'both right', 'both wrong'],
      groups.map(([name, group]) => line(name, [group.only_first, group.only_second, group.both_right, group.both_wrong].map(count))))));
}

/** Save a file; the sentence says how it went. */
async function download(kind, name, report) {
  let blob;
  if (kind === 'json') blob = new Blob([JSON.stringify(report, null, 2)], {type: 'application/json'});
  else {
    try {
      const answer = await fetch('batch/export', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify({token: workbench.token, kind})});
      if (!answer.ok) return (await answer.json().catch(() => ({}))).detail ?? `Not written: the app answered ${answer.status}.`;
      blob = await answer.blob();
    } catch { return 'Not written: the app did not answer. Try again.'; }
  }
  save(name, blob);
  return `Saved as ${name}.`;
}
