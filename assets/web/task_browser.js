// The task browser. The address holds every choice, so a link, a reload and Back all show the same list.
import {filterChips} from './filter_chips.js';
import {onLetters} from './keys.js';
import {listScroll} from './list_scroll.js';
import {progress} from './progress.js';
import {progressView} from './progress_view.js';
import {taskSteps} from './task_steps.js';
import {FILTERS, PACKAGES, address, count, h, rest, rests, withCode, workbench} from './workbench.js';

const SELECTS = ['split', 'tier', 'mode', 'level', 'file_type', 'package_tier'];
const TYPING_PAUSE_MS = 120;

export function mount(pane, server) {
  const select = (name, label) => h('label', {class: 'field'}, label, h('select', {name}));
  const datasetOptions = h('datalist', {id: 'dataset-options'});
  const seed = h('input', {name: 'seed', type: 'number', min: 0, step: 1, placeholder: '0'});
  const seedField = h('label', {class: 'field', hidden: true}, 'Seed', seed);
  const form = h('form', {id: 'task-filters', role: 'search', 'aria-label': 'Filter tasks', class: 'filters'},
    h('label', {class: 'field wide'}, 'Search',
      h('input', {name: 'q', type: 'search', placeholder: 'Question, id, dataset or file…', autocomplete: 'off', spellcheck: 'false'})),
    select('split', 'Split'), select('tier', 'Tier'), select('mode', 'Reward mode'),
    h('label', {class: 'field wide'}, 'Kaggle dataset',
      h('input', {name: 'dataset', list: 'dataset-options', placeholder: 'Type to find one…', autocomplete: 'off', spellcheck: 'false'})),
    datasetOptions,
    h('details', {class: 'wide'}, h('summary', {class: 'small muted'}, 'More filters and order'),
      h('div', {class: 'filters'}, select('level', 'Level'), select('file_type', 'File type'), select('package_tier', 'Packages'),
        h('label', {class: 'field'}, 'Order', h('select', {name: 'order'},
          h('option', {value: ''}, 'As listed'), h('option', {value: 'curriculum', title: 'From easiest to hardest'}, 'Curriculum'), h('option', {value: 'shuffled'}, 'Shuffled'))),
        seedField)));
  const unsolved = h('label', {class: 'row small unsolved'},
    h('input', {form: form.id, name: 'unsolved', type: 'checkbox', value: '1', oninput: () => filter(true)}), 'Unsolved only');
  const total = h('p', {'aria-live': 'polite', class: 'small'}, 'Loading tasks…');
  const overview = h('button', {type: 'button', class: 'btn quiet', title: 'These tasks in charts, under the filters', onclick: () => workbench.show('about')}, 'Charts');
  const chips = filterChips(removeFilter, clearFilters);
  const list = h('ul', {role: 'listbox', tabindex: 0, 'aria-label': 'Tasks', class: 'tasks'});
  const scroll = listScroll(list, () => workbench.chosen);
  const steps = taskSteps(server, () => rows);
  const previous = h('button', {type: 'button', class: 'btn'}, 'Previous');
  const next = h('button', {type: 'button', class: 'btn'}, 'Next');
  const place = h('span', {class: 'small muted'});
  const status = h('p', {class: 'small muted source'});
  const again = h('button', {type: 'button', class: 'btn', onclick: tryAgain}, 'Try again');
  const advice = h('p', {class: 'small', role: 'status'});
  const source = h('div', {class: 'row notice warn', hidden: true}, advice, again);
  const leftOut = h('details', {class: 'small muted', hidden: true});
  pane.append(h('div', {class: 'card'}, form, chips.list, h('div', {class: 'row spread'}, total, unsolved, overview), steps.above, list,
    h('nav', {'aria-label': 'Pages of tasks', class: 'row spread'}, previous, place, next),
    status, source, leftOut, progressView(server), steps.below));

  let filters = {}, page = '', pages = 1, rows = [], active = -1, asked = 0;
  let entered = null;   // the task that Enter was pressed on: its question gets the focus

  function readAddress() {
    filters = workbench.filters;
    page = address.get('p');  // `page` is Gradio's own
  }

  function writeAddress(push) {
    address.set({...Object.fromEntries(FILTERS.map(name => [name, filters[name] ?? ''])), p: page}, {push});
  }

  let brought = document.getElementById('first-list');
  /** The list for the address the page was opened with, which came with it; only once. The server does not know what is solved. */
  function broughtAlong() {
    const answer = brought && !filters.unsolved ? JSON.parse(brought.textContent) : null;
    brought = null;
    return answer;
  }

  /** `keepPlace` finds the page of the chosen task where the address names none; `restoring` scrolls to where it was left. */
  async function load({keepPlace = false, restoring = false} = {}) {
    const mine = ++asked, task = workbench.chosen;
    pane.setAttribute('aria-busy', 'true');
    let answer;
    try {
      answer = broughtAlong() ?? await server.search({...progress.asked(filters), page: page || (keepPlace ? '' : '1'), task});
    } catch {
      if (mine !== asked) return;
      total.replaceChildren('The list did not load: the app did not answer. ',
        h('button', {type: 'button', class: 'btn', onclick: () => load({keepPlace})}, 'Try again'));
      return;
    } finally {
      if (mine === asked) pane.removeAttribute('aria-busy');
    }
    if (mine !== asked) return;
    show(answer, restoring);
    if (answer.neighbours && task === workbench.chosen) workbench.placed(answer.neighbours);
  }

  function show(answer, restoring) {
    list.scrollTop = 0;  // before anything changes: after, it would have all of it laid out at once
    rows = answer.rows;
    pages = answer.pages;
    page = answer.page ? String(answer.page + 1) : '';
    total.textContent = answer.total === 1 ? '1 task' : `${count(answer.total)} tasks`;
    place.textContent = `Page ${answer.page + 1} of ${count(pages)}`;
    rest(previous, answer.page === 0);
    rest(next, answer.page + 1 >= pages);
    chips.show(filters);
    showSource(answer);
    leftOut.hidden = !answer.left_out.length;
    leftOut.replaceChildren(h('summary', {}, `Left out: ${count(answer.left_out.length)}`), ...answer.left_out.map(line => h('p', {}, line)));
    for (const name of SELECTS) fillSelect(name, answer.facets[name]);
    list.replaceChildren(...(rows.length ? rows.map(item) : [emptyItem()]));
    const same = scroll.shown(JSON.stringify([FILTERS.map(name => filters[name] ?? ''), answer.page]));
    const restored = restoring && scroll.restore();
    const open = rows.findIndex(row => row.task_id === workbench.chosen);
    mark(open < 0 && list.matches(':focus-visible') ? 0 : open, {scroll: same || !restored});
  }

  function showSource(answer) {
    status.textContent = answer.status;
    source.hidden = !answer.state;
    if (rests(again)) return;
    const wait = answer.wait_seconds;
    advice.textContent = wait ? `The Hub asks to wait: ${count(wait)} s from now a new try can be made.` : answer.advice;
  }

  async function tryAgain() {
    rest(again, true);
    advice.textContent = 'Asking the Hub… The tasks shown stay here meanwhile.';
    let answer = {trying: true}, changed = false;
    try {
      while (answer.trying) {
        answer = await server.try_again({});
        changed ||= answer.changed;
      }
    } catch {
      answer = null;
    }
    rest(again, false);
    if (!answer) { advice.textContent = 'The app did not answer. Try again.'; return; }
    showSource(answer);
    if (changed) { load({keepPlace: true}); workbench.dispatchEvent(new Event('source')); }
  }

  function fillSelect(name, options) {
    const box = form.elements[name];
    const label = value => name === 'package_tier' && PACKAGES[value] ? `${value} (${PACKAGES[value]})` : value;
    const chosen = filters[name] ?? '';
    const named = (value, tasks) => value === chosen ? label(value) : `${label(value)} · ${count(tasks)}`;   // the choice stands in a narrow box, and its count above the list
    const known = options.map(([value, tasks]) => h('option', {value: String(value)}, named(String(value), tasks)));
    if (chosen && !options.some(([value]) => String(value) === chosen)) known.push(h('option', {value: chosen}, label(chosen)));
    box.replaceChildren(h('option', {value: ''}, 'All'), ...known);
    box.value = chosen;
  }

  function item(row, index) {
    return h('li', {role: 'option', id: `task-${index}`, 'aria-selected': String(row.task_id === workbench.chosen), 'data-task': row.task_id},
      h('span', {class: 'question'}, withCode(row.question)),
      h('span', {class: 'row meta'},
        h('span', {class: `chip ${row.difficulty_tier}`}, row.difficulty_tier), h('span', {class: 'chip'}, row.split),
        h('span', {class: 'mono muted'}, row.task_id), done(row.task_id)));
  }

  const DONE = {solved: ['✓', 'Solved'], attempted: ['◐', 'Tried']};
  function done(id) {
    const [icon, words] = DONE[progress.of(id)] ?? ['', ''];
    return h('span', {class: `done ${progress.of(id)}`, title: words || null}, icon && h('span', {'aria-hidden': 'true'}, icon), h('span', {class: 'visually-hidden'}, words));
  }

  const emptyItem = () => h('li', {class: 'empty muted', role: 'option', 'aria-disabled': 'true'},
    'No task fits these filters. Take one away, or clear them all.');

  function mark(index, {scroll = false} = {}) {
    active = rows.length ? Math.max(-1, Math.min(rows.length - 1, index)) : -1;
    [...list.children].forEach((child, each) => child.classList.toggle('active', each === active));
    if (active < 0) { list.removeAttribute('aria-activedescendant'); return; }
    list.setAttribute('aria-activedescendant', `task-${active}`);
    if (scroll) {
      // scrollIntoView would move the page too
      const child = list.children[active];
      if (child.offsetTop < list.scrollTop) list.scrollTop = child.offsetTop;
      else if (child.offsetTop + child.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = child.offsetTop + child.offsetHeight - list.clientHeight;
    }
  }

  function choose(index) {
    if (rows[index]) workbench.open(rows[index].task_id);
  }

  function turn(step) {
    page = String(Math.max(1, Number(page || 1) + step));
    writeAddress(true);
    load();
  }

  function filter(push) {
    filters = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, value.trim()]).filter(([, value]) => value));
    if (filters.order !== 'shuffled') delete filters.seed;
    seedField.hidden = filters.order !== 'shuffled';
    page = '';
    load();  // the question goes out first: the address takes the browser a while
    chips.show(filters);
    writeAddress(push);
  }

  function removeFilter(name) {
    if (name === 'unsolved') form.elements.unsolved.checked = false;
    else form.elements[name].value = '';
    filter(true);
    if (chips.list.hidden) form.elements.q.focus();
  }

  function clearFilters() {
    form.reset();
    filters = {};
    page = '';
    fillForm();
    chips.show(filters);
    writeAddress(true);
    load();
    form.elements.q.focus();
  }

  function fillForm() {
    for (const name of SELECTS) fillSelect(name, []);  // until the counts are here, so that a choice made meanwhile keeps them
    for (const name of ['q', 'dataset', 'order', 'seed']) form.elements[name].value = filters[name] ?? '';
    form.elements.unsolved.checked = Boolean(filters.unsolved);
    seedField.hidden = filters.order !== 'shuffled';
    if (['level', 'file_type', 'package_tier', 'order'].some(name => filters[name])) form.querySelector('details').open = true;
  }

  let pause, datasetsAsked = 0;
  async function suggestDatasets(text) {
    const mine = ++datasetsAsked;
    const answer = await server.datasets({text}).catch(() => null);
    if (answer && mine === datasetsAsked) {
      datasetOptions.replaceChildren(...answer.datasets.map(([name, tasks]) => h('option', {value: name}, `${count(tasks)} tasks`)));
    }
  }

  form.addEventListener('submit', event => event.preventDefault());
  form.elements.dataset.addEventListener('focus', event => suggestDatasets(event.target.value));
  form.addEventListener('input', event => {
    clearTimeout(pause);
    if (event.target.name === 'dataset') {
      const text = event.target.value.trim();
      const whole = !text || [...datasetOptions.children].some(option => option.value === text);
      suggestDatasets(text);
      if (!whole) return;  // half a name: wait for a choice, or Enter
    }
    const typing = ['q', 'seed'].includes(event.target.name);
    if (typing) pause = setTimeout(filter, TYPING_PAUSE_MS, false);
    else filter(true);
  });
  form.elements.q.addEventListener('keydown', event => {
    if (!['Enter', 'ArrowDown'].includes(event.key)) return;
    event.preventDefault();
    list.focus({preventScroll: true});
  });
  form.elements.dataset.addEventListener('keydown', event => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    const options = [...datasetOptions.children];
    if (options.length === 1) event.target.value = options[0].value;
    filter(true);
  });
  previous.addEventListener('click', () => turn(-1));
  next.addEventListener('click', () => turn(1));
  list.addEventListener('click', event => {
    const row = event.target.closest('li[data-task]');
    if (row) choose([...list.children].indexOf(row));
  });
  list.addEventListener('focus', () => { if (active < 0 && list.matches(':focus-visible')) mark(0, {scroll: true}); });
  list.addEventListener('keydown', event => {
    const to = {ArrowDown: active + 1, ArrowUp: Math.max(0, active - 1), Home: 0, End: rows.length - 1, PageDown: active + 8, PageUp: Math.max(0, active - 8)}[event.key];
    if (to !== undefined) { event.preventDefault(); mark(to, {scroll: true}); }
    else if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); entered = event.key === 'Enter' ? rows[active]?.task_id : null; choose(active); }
  });

  onLetters({'/': () => { form.elements.q.focus(); }});
  workbench.onTask(task => {
    if (task && task.task_id === entered) document.querySelector('.task_view .asked').focus({preventScroll: true});
    entered = null;
  });
  workbench.addEventListener('choose', event => {
    [...list.children].forEach(child => child.setAttribute('aria-selected', child.dataset.task === event.detail));
    const index = rows.findIndex(row => row.task_id === event.detail);
    mark(index, {scroll: true});
    scroll.save();
    if (event.detail && index < 0 && rows.length) { page = ''; load({keepPlace: true}).then(() => writeAddress(false)); }
  });

  const restore = () => {
    readAddress();
    fillForm();
    const task = address.get('task');
    if (task !== workbench.chosen) workbench.choose(task);
    return load({keepPlace: true, restoring: true});
  };
  progress.addEventListener('change', ({detail: {many}}) => {
    for (const child of list.querySelectorAll('[data-task]')) child.querySelector('.done').replaceWith(done(child.dataset.task));
    if (many && filters.unsolved) load({keepPlace: true});
  });
  window.addEventListener('popstate', restore);
  restore().finally(() => workbench.begun());
}
