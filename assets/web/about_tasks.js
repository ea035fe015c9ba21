// What the tasks are. Every number is counted in the tasks in use, and leads to the list of those it counts.
import {bars} from './charts.js';
import {sideways} from './sideways.js';
import {FILTERS, address, count, h, workbench} from './workbench.js';

const KAGGLE = 'https://www.kaggle.com/datasets/';

export function mount(pane, server) {
  let asked = '';   // the filters the numbers shown were counted under, as JSON

  /** The tasks' list under the filters in use, some of them changed. */
  function list(changes) {
    address.set({...changes, p: '', task: '', view: ''}, {push: true});
    dispatchEvent(new PopStateEvent('popstate'));  // view and list are read from the address, as after Back
    scrollTo({top: 0});
  }

  const number = (tasks, filters, label) => tasks
    ? h('button', {type: 'button', class: 'number', 'aria-label': `${label}: show ${count(tasks)} tasks`, onclick: () => list(filters)}, count(tasks)) : '0';
  const table = (label, head, rows) => sideways(h('div', {class: 'about-table', tabindex: 0, role: 'group', 'aria-label': label}, h('table', {},
    h('thead', {}, h('tr', {}, head.map(each => h('th', {scope: 'col'}, each)))),
    h('tbody', {}, rows.map(([name, ...cells]) => h('tr', {}, h('th', {scope: 'row'}, name), cells.map(each => h('td', {}, each))))))));
  const link = ({label, url}) => h('a', {href: url, target: '_blank', rel: 'noopener noreferrer'}, label);

  function numbers(title, note, label, head, rows, labels, series, choose) {
    const chart = h('div', {class: 'chart', role: 'img', 'aria-label': `${title}: the numbers of the table beside it, as bars`});
    const box = h('section', {class: 'card', 'aria-label': title}, h('h2', {}, title), note && h('p', {class: 'small muted'}, note),
      h('div', {class: 'about-numbers'}, chart, table(label, head, rows)));
    return {box, draw: () => bars(chart, labels, series, {choose})};
  }

  function show(about) {
    const {tiers, splits, modes, top_datasets: top} = about;
    const sum = values => values.reduce((all, each) => all + each, 0);
    const charts = [
      numbers('Splits and tiers', 'A click on a number or a bar lists its tasks.', 'Tasks by split and tier', ['Split', ...tiers, 'All'],
        splits.map(([split, values]) => [split, ...values.map((tasks, at) => number(tasks, {split, tier: tiers[at]}, `${split}, ${tiers[at]}`)), number(sum(values), {split}, split)]),
        splits.map(([split]) => split), tiers.map((name, at) => ({name, values: splits.map(([, values]) => values[at])})), (split, tier) => list({split, tier})),
      numbers('Reward modes', 'What each wants of an answer stands under “The dataset”.', 'Tasks by reward mode', ['Reward mode', 'Tasks'],
        modes.map(([mode, tasks]) => [mode || 'none', number(tasks, {mode}, mode || 'none')]),
        modes.map(([mode]) => mode || 'none'), [{name: 'Tasks', values: modes.map(([, tasks]) => tasks)}], mode => list({mode: mode === 'none' ? '' : mode})),
      numbers('Datasets with the most tasks', `The first ${top.length} of ${count(about.datasets)}.`, 'Tasks by dataset', ['Dataset', 'Tasks', ''],
        top.map(([name, tasks]) => [name, number(tasks, {dataset: name}, name), about.on_kaggle && h('a', {href: KAGGLE + name.split('/').map(encodeURIComponent).join('/'), target: '_blank', rel: 'noopener noreferrer', 'aria-label': `${name} on Kaggle`}, 'Kaggle')]),
        top.map(([name]) => name), [{name: 'Tasks', values: top.map(([, tasks]) => tasks)}], dataset => list({dataset})),
    ];
    const filters = under(about), boxes = charts.map(({box}) => box);
    pane.replaceChildren(h('div', {class: 'about'}, filters ? [filters, ...boxes, facts(about)] : [facts(about), ...boxes]));
    charts.forEach(({draw}) => draw());
  }

  const NAMES = {q: 'search', mode: 'reward mode', file_type: 'file type', package_tier: 'package tier'};
  function under(about) {
    const used = Object.entries(workbench.filters).filter(([name]) => !['order', 'seed', 'unsolved'].includes(name));
    if (!used.length) return null;
    return h('section', {class: 'card', 'aria-label': 'Filters in use'}, h('h2', {}, `${count(about.matching)} of ${count(about.tasks)} tasks pass your filters`),
      h('p', {}, used.map(([name, value]) => `${NAMES[name] ?? name}: ${value}`).join(' · ')),
      h('p', {class: 'small muted'}, 'The numbers below are counted under them. A chart leaves its own filter out, so that you see what another choice would give.'),
      h('div', {class: 'row'}, h('button', {type: 'button', class: 'btn', onclick: () => list({})}, 'List them'),
        h('button', {type: 'button', class: 'btn', onclick: countAll}, 'Count all tasks')));
  }

  function countAll() {
    address.set({...Object.fromEntries(FILTERS.map(name => [name, ''])), p: ''}, {push: true});
    dispatchEvent(new PopStateEvent('popstate'));
  }

  function facts(about) {
    return h('section', {class: 'card', 'aria-label': 'The dataset'}, h('h2', {}, 'The dataset'),
      h('p', {}, `${about.status} They ask about ${count(about.datasets)} ${about.on_kaggle ? 'Kaggle datasets' : 'datasets'}.`),
      h('dl', {},
        ...fact('A task', 'One or several tables, a question, a gold answer, and how an answer is compared with it.'),
        ...fact('Splits', 'train is for training; test is a held-out benchmark, harder on purpose; eval is for a quick look during a run.'),
        ...fact('Tiers', 'easy, medium and hard. A curriculum goes from easiest to hardest: by tier, then level, then id.'),
        ...fact('Reward modes', h('ul', {}, about.mode_formats.map(([mode, format]) => h('li', {}, h('span', {class: 'mono'}, mode), `: ${format}`)))),
        ...fact('Verification', about.on_kaggle
          ? 'Strong agents had to solve each task in a live sandbox and come to its gold answer under the deterministic grader. A few golds are still known to be doubtful.'
          : 'Tasks of the bundled suite have a program each whose output is graded right. What another folder holds is not known.'),
        ...fact('Grader', 'A ladder without a model: exact, numeric, list, symbolic. The dataset’s own grader.py has the MIT licence; the tables keep theirs.'),
        ...fact('Data files', about.on_kaggle ? 'They lie in a bucket that has no revisions: the revision below fixes the rows, not the files.' : 'They lie beside the rows on this machine.'),
        about.revision && fact('Revision', h('code', {}, about.revision)),
        about.sha256.length > 0 && fact('Files read', h('ul', {}, about.sha256.map(([name, hash]) => h('li', {}, h('span', {class: 'mono'}, name), ' ', h('code', {title: 'sha256'}, hash)))))),
      about.links.length > 0 && h('p', {class: 'row small'}, about.links.map(link)));
  }

  const fact = (name, value) => [h('dt', {}, name), h('dd', {}, value)];

  async function ask() {
    if (workbench.view !== 'about') return;
    const filters = workbench.filters, mine = JSON.stringify(filters);
    if (asked === mine) return;
    asked = mine;
    pane.replaceChildren(h('p', {class: 'muted'}, 'Counting the tasks…'));
    try {
      const about = await server.about_source({filters});
      if (asked === mine) show(about);
    } catch {
      if (asked !== mine) return;
      asked = '';
      pane.replaceChildren(h('p', {}, 'The numbers did not come: the app did not answer. ', h('button', {type: 'button', class: 'btn', onclick: ask}, 'Try again')));
    }
  }

  workbench.addEventListener('view', ask);
  workbench.addEventListener('source', () => { asked = ''; ask(); });
  ask();
}
