// The data pane: one file's rows as text, as they stand, and what helps to understand them.
import {cellBar} from './data_cell.js';
import {columnChooser, columnMenu, sortedBy, viewFits} from './data_columns.js';
import {visible} from './data_names.js';
import {profilePanel} from './data_profile.js';
import {readingLine, warningList} from './data_reading.js';
import {Rows} from './data_rows.js';
import {DataTable} from './data_table.js';
import {findTools, viewChips} from './data_tools.js';
import {onLetters} from './keys.js';
import {recallInTab, rememberInTab} from './remembered.js';
import {bytes, count, h, heading, rest, unfold, workbench} from './workbench.js';

const ASK_AGAIN = 1000;   // ms, while a file is on its way
const QUIET = 1500;       // ms a copy may take before it is told of
const CONTENTS = '(contents)';

export function mount(pane, server) {
  let task = null;
  let asked = 0;
  let place = {name: '', table: ''};
  let source = null, answer = null, copyBegan = 0, warningsOf = null, lookedFor = '';   // null: from the top
  const kept = new Map();   // what a person did to each table in this visit

  const file = h('select', {'aria-label': 'File', onchange: () => go({name: file.value, table: ''})});
  const only = h('span', {class: 'mono'});
  const size = h('span', {class: 'small muted'});
  const use = h('button', {type: 'button', class: 'btn', onclick: () => useInNotebook('')}, 'Use in notebook');
  const sheet = h('select', {'aria-label': 'Sheet or table', onchange: () => go({table: sheet.value})});
  const back = h('button', {type: 'button', class: 'btn', onclick: () => go({table: CONTENTS}, true)}, 'Back to the contents');
  const sheetField = h('label', {class: 'field sheet'}, 'Sheet or table', sheet);
  const facts = h('p', {class: 'small muted facts'});
  const state = h('div', {role: 'status', class: 'state'});
  const progress = h('div', {class: 'state'});
  const picture = h('figure', {class: 'picture'});
  const shown = h('span', {class: 'small muted'});

  const reading = readingLine(readAnew);
  const warnings = warningList(row => jump(row, true), useInNotebook);
  const chips = viewChips(view => { changeView(view); focusTable(); });   // the chip that was pressed is gone
  const menu = columnMenu({
    sort: (column, descending) => changeView(sortedBy(source.view, column, descending)),
    filter: (column, op, value) => changeView({...source.view, filters: [...source.view.filters.filter(each => each.column !== column), {column, op, value}]}),
    hide: column => { keep().hidden.add(column); columnsChanged(); },
    profile: column => { openProfile(true); profile.chart([column]); },
    closed: focusTable,
  });
  const chooser = columnChooser({changed: columnsChanged, go: column => table.go(table.active.row, table.visible.indexOf(column))});
  const cell = cellBar(wholeCell, row => source.row(row), sentence => warn(sentence));
  const table = new DataTable({
    menu: (column, button) => menu.open(column, {...source.columns[column], summary: summary(column).title}, source.view, button),
    open: openCell, copy: () => cell.copy(), moved: () => showCell(), scrolled, summary, sort: column => changeView(sortedBy(source.view, column)),
  });
  const tools = findTools({find, jump: row => jump(row, false)});
  const columnsButton = h('button', {type: 'button', class: 'btn', onclick: () => chooser.open(columnsButton, source.columns, keep().hidden)}, 'Columns');
  const profileButton = h('button', {type: 'button', class: 'btn', 'aria-expanded': 'false', onclick: () => openProfile(profile.element.hidden)}, 'Profile');
  const toolbar = h('div', {class: 'row tools', role: 'group', 'aria-label': 'Look through the file'}, tools.elements, columnsButton, profileButton, tools.found);
  const profile = profilePanel({ask, columns: () => source.columns, changed: () => { table.sparkline = profile.sparkline; columnsChanged(); }});
  const foot = h('div', {class: 'foot'}, h('div', {class: 'row spread'}, shown, h('span', {class: 'small muted legend'}, '∅ no value · an empty cell is a blank one')), cell.element);
  const grid = h('div', {class: 'grid'}, toolbar, chips.element, chips.live, table.outer, progress, foot, profile.element);
  const card = h('div', {class: 'card'},
    h('div', {class: 'row spread'}, heading(pane, 'Data'), use),
    h('div', {class: 'row chooser'}, file, only, size, sheetField, back),
    facts, reading.element, warnings.element, state, picture, grid, menu.element, chooser.element, cell.dialog);

  function open(chosen) {
    task = chosen;
    asked += 1;
    source?.close();
    const all = task?.input_files ?? [];
    if (!task || !all.length) {
      pane.replaceChildren(...(task ? [h('div', {class: 'card'}, heading(pane, 'Data'), h('p', {class: 'notice'}, task.files_pending ? 'Asking the Hub which files there are…' : task.files_note || 'This task has no files.'))] : []));
      return;
    }
    const last = recallInTab(`data.${task.task_id}`) ?? {};
    const name = all.some(each => each.name === last.name) ? last.name : all[0].name;
    file.replaceChildren(...all.map(each => option(each, each.name === name)));
    file.hidden = all.length === 1;
    only.hidden = size.hidden = all.length > 1;
    only.textContent = visible(all[0].name);
    size.textContent = all[0].size === null ? '' : bytes(all[0].size);
    pane.replaceChildren(card);
    go({name, table: name === last.name && typeof last.table === 'string' ? last.table : ''}, false, true);
  }

  const fresh = () => ({reading: null, hidden: new Set(), widths: new Map(), view: null, top: 0, left: 0, active: null});

  /** What was done to the table shown: kept while other files of the visit are looked at. */
  function keep() {
    const key = tableKey();
    if (!kept.has(key)) {
      const {reading: chosen = null, view = null} = recallInTab(`data.${key}`) ?? {};
      kept.set(key, {...fresh(), reading: chosen, view});
    }
    return kept.get(key);
  }

  const tableKey = () => JSON.stringify([task.task_id, place.name, place.table]);

  /** In this tab, over a reload: the file and table shown, and of the table its reading, sorting and filters. */
  function save() {
    const {reading: chosen, view} = keep();
    rememberInTab(`data.${task.task_id}`, place);
    rememberInTab(`data.${tableKey()}`, {reading: chosen, view});
  }

  /** Another reading makes other columns: what was done to the table is over. */
  function readAnew(chosen) {
    Object.assign(keep(), fresh(), {reading: chosen});
    go({});
  }

  const where = () => ({task_id: task.task_id, ...place, reading: keep().reading});

  async function ask(name, request) {
    try {
      return await server[name]({...where(), ...request});
    } catch {
      return {error: 'The app did not answer.'};
    }
  }

  /** Show another file or table; `focused`: the person was in the table and stays there; `fromTab`: it is what the tab kept, which may fit no more. */
  async function go(change, focused = false, fromTab = false) {
    place = {...place, ...change};
    const mine = ++asked;
    card.style.minHeight = `${card.offsetHeight}px`;   // the page does not jump meanwhile
    clear();
    card.setAttribute('aria-busy', 'true');
    state.replaceChildren(h('p', {class: 'small muted'}, 'Reading the file…'));
    let waited = false;
    for (;;) {
      let found;
      try {
        found = await server.preview({...where(), offset: 0});
      } catch {
        found = {error: 'The file was not read: the app did not answer.'};
      }
      if (mine !== asked) return;
      if (found.error && !found.state && fromTab) { Object.assign(keep(), fresh()); go({table: ''}, false, place.table !== ''); return; }
      if (!found.coming) { card.removeAttribute('aria-busy'); show(found); card.style.minHeight = ''; if (focused) focusTable(); if (waited) workbench.dispatchEvent(new Event('fetched')); return; }
      if (!waited) workbench.dispatchEvent(new Event('fetching'));
      waited = true;
      card.style.minHeight = '';
      sayComing(found.coming);
      await new Promise(done => { setTimeout(done, ASK_AGAIN); });
      if (mine !== asked) return;
    }
  }

  function sayComing({done, total}) {
    state.replaceChildren(h('div', {class: 'small muted row spread'},
      h('span', {}, `Coming from the Hub: ${bytes(done)}${total ? ` of ${bytes(total)}` : ''}…`),
      total > 0 && h('progress', {max: total, value: done, 'aria-label': 'What has come of the file'}),
      h('button', {type: 'button', class: 'btn', onclick: stopFile}, 'Stop')));
  }

  async function stopFile() {
    asked += 1;
    card.removeAttribute('aria-busy');
    let said;
    try {
      said = await server.stop({task_id: task.task_id, name: place.name, what: 'file'});
    } catch {
      said = {error: 'The app did not answer, so the file may still be coming.'};
    }
    state.replaceChildren(h('div', {class: 'notice row spread'}, said.message || said.error, again(() => go({}))));
  }

  const again = (what, label = 'Try again') => h('button', {type: 'button', class: 'btn', onclick: what}, label);

  /** What the Hub told of the files: sizes for those shown already, or other files. */
  function files(known) {
    if (task?.task_id !== known.task_id) return;
    const names = each => each.map(one => one.name).join('\n');
    if (known.files_were !== names(known.input_files) || !known.input_files.length) { open(known); return; }
    const labels = known.input_files.map(each => option(each, each.name === place.name));
    // an open list is not disturbed for nothing
    if (labels.some((each, at) => each.textContent !== file.options[at]?.textContent)) file.replaceChildren(...labels);
    const chosen = known.input_files.find(each => each.name === place.name);
    if (chosen && chosen.size !== null) size.textContent = bytes(chosen.size);
  }

  const option = (each, selected = false) => h('option', {value: each.name, selected},
    each.size === null ? visible(each.name) : `${visible(each.name)} (${bytes(each.size)})`);

  function clear() {
    source?.close();
    source = null;
    table.clear();
    profile.close();
    tools.clear();
    openProfile(false);
    facts.textContent = '';
    progress.replaceChildren();
    picture.replaceChildren();
    warnings.show({notes: [], warnings: []});
    use.hidden = grid.hidden = reading.element.hidden = sheetField.hidden = back.hidden = picture.hidden = true;
  }

  const warn = sentence => state.replaceChildren(h('p', {class: 'notice bad'}, sentence));

  function show(found) {
    answer = found;
    if (found.error) {
      const {reading: chosen} = keep();
      state.replaceChildren(h('div', {class: 'notice bad row spread'}, found.error, again(() => go({})), chosen && again(() => readAnew(null), 'Back to as found')));
      return;
    }
    const {columns, tables} = found;
    state.replaceChildren();
    if (found.kind === 'refused') state.replaceChildren(...found.notes.map(note => h('p', {class: 'notice warn'}, note)));
    else warnings.show(found);
    size.textContent = bytes(found.size);
    sheetField.hidden = tables.length < 2;
    back.hidden = !tables.includes(CONTENTS) || found.table === CONTENTS;
    sheet.replaceChildren(...tables.map(name => h('option', {value: name, selected: name === found.table}, visible(name))));
    if (found.picture) showPicture(found.picture);
    if (tables.length > 1 && !place.table) place.table = found.table;
    const mine = keep();
    if (!viewFits(mine.view, columns.length)) mine.view = null;
    save();
    if (!columns.length) return;
    reading.show(found.reading, keep().reading);
    use.hidden = ['text', 'binary'].includes(found.kind) || found.table === CONTENTS;
    grid.hidden = false;
    source = new Rows(server, where(), found, sourceChanged);
    copyBegan = Date.now();
    const sample = new Map((found.shown.length ? found.shown : columns.map((_, at) => at)).map((column, at) => [column, found.rows.map(row => row[at])]));
    table.show(source, mine, sample, found.table === CONTENTS ? new Set(found.tables) : null);
    columnsButton.hidden = columns.length < 2;
    if (mine.view) source.setView(mine.view); else if (!source.large) source.copyWhole(false);
    sourceChanged();
  }

  function showPicture({png}) {
    picture.hidden = false;
    picture.replaceChildren(h('img', {src: `data:image/png;base64,${png}`, alt: `The image ${visible(place.name)}`}));
  }

  function sourceChanged() {
    if (!source) return;
    facts.textContent = factsOf();
    chips.show(source, keep().hidden.size, () => { keep().hidden.clear(); columnsChanged(); focusTable(); });
    if (source.ready && source.whole !== warningsOf) {
      warningsOf = source.whole;
      warnings.show(answer, source.whole, () => source.stop());
    }
    progress.replaceChildren(...copyState());
    if (source.exact && source.knownExact !== source.all) { source.knownExact = source.all; table.layout(); }
    table.refresh();
    showCell();
  }

  /** What there is to say of the copy of the whole file, and of rows that did not come. */
  function copyState() {
    const {whole} = source;
    if (source.error) return [h('div', {class: 'notice bad row spread'}, `These rows did not load. ${source.error}`, again(() => source.retry()))];
    if (whole?.error && source.demanded) return [h('div', {class: 'notice bad row spread'}, whole.error, again(() => source.copyWhole(true)))];
    if (whole?.state === 'stopped') return [h('div', {class: 'notice row spread'}, 'Reading the whole file was stopped. The first rows stay; sorting, filters, finding and the exact count need the whole file.', again(() => source.copyWhole(true), 'Go on'))];
    if (whole?.state === 'copying' && (source.demanded || (!source.small && Date.now() - copyBegan > QUIET))) {
      return [h('div', {class: 'small muted row spread'}, h('span', {}, `Reading the whole file: ${bytes(whole.done)}${whole.total ? ` of ${bytes(whole.total)}` : ''}…`),
        whole.total > 0 && h('progress', {max: whole.total, value: whole.done, 'aria-label': 'What is read of the file'}), h('button', {type: 'button', class: 'btn', onclick: () => source.stop()}, 'Stop'))];
    }
    if (source.large && !whole && !source.exact) return [h('div', {class: 'small muted row spread'}, 'A large file: its first rows are shown. The rest is read when you scroll, sort, filter or find.', again(() => source.copyWhole(true), 'Read the whole file'))];
    return [];
  }

  function factsOf() {
    const {all, fileExact, ready} = source;
    const rows = all === null || all === undefined ? 'unknown number of' : `${ready || fileExact ? '' : 'about '}${count(all)}`;
    const parts = [`${rows} row${all === 1 ? '' : 's'} × ${count(answer.total_columns)} column${answer.total_columns === 1 ? '' : 's'}`];
    if (answer.total_columns > answer.columns.length) parts.push(`the first ${count(answer.columns.length)} columns are shown`);
    if (!answer.reading && answer.encoding) parts.push(answer.encoding);
    if (answer.sampled) parts.push(`types${profile.complete ? '' : ' and summaries'} of ${sampled()}`);
    return parts.join(' · ');
  }

  const sampled = () => `${answer.offset ? '' : 'the first '}${count(answer.sampled)} rows`;

  /** A column in one line, and with it in the title of which rows it is. */
  function summary(column) {
    const whole = profile.summary(column);
    const text = whole ?? source.columns[column].summary;
    const rows = whole !== null ? 'the whole file' : answer.sampled && sampled();
    return {text, title: text && rows ? `Of ${rows}: ${text}` : text};
  }

  function scrolled() {
    const {total} = source;
    shown.textContent = !total ? (total === 0 ? 'no rows here' : '') : `rows ${count(table.first + 1)}–${count(table.last + 1)} of ${source.exact ? '' : 'about '}${count(total)}`;
  }

  function setView(view) {
    const mine = keep();
    mine.view = view;
    mine.top = 0;
    mine.active = {row: Math.min(table.active.row, 0), at: table.active.at};
    lookedFor = null;
    save();
    source.setView(view);
    table.show(source, mine, table.sample, table.links);
    sourceChanged();
  }

  function changeView(view) {
    const top = () => table.outer.getBoundingClientRect().top;
    const before = top();
    setView(view);
    scrollBy({top: top() - before});   // the line of what is in force comes and goes above it
    tools.again();
  }

  function goTo() {
    unfold(pane);
    pane.scrollIntoView({block: 'start'});
    if (table.element.checkVisibility()) focusTable(); else pane.querySelector('.fold-pane').focus({preventScroll: true});
  }

  function columnsChanged() {
    table.layout();
    sourceChanged();
  }

  function focusTable() { table.element.focus({preventScroll: true}); }

  const showCell = () => { if (source) cell.show(source, table.active.row, table.column); };

  function openCell(row, column) {
    if (answer.table === CONTENTS) {
      const member = source.cell(row, column)?.text;
      if (member !== CONTENTS && answer.tables.includes(member)) { go({table: member}, true); return; }
    }
    showCell();
    cell.open();
  }

  /** Go to a row (from 1). A row of the file is looked for without sorting and filters. */
  function jump(row, ofFile) {
    if (ofFile) tools.leave();
    if (ofFile && !source.plain) setView({sort: [], filters: [], find: ''});
    const {total, exact} = source;
    if (exact && row > total) return `There are ${count(total)} rows.`;
    table.jump(row - 1);
    focusTable();
    return undefined;
  }

  async function wholeCell(row, column) {
    const mine = source;
    return await mine.copyWhole(true) ? mine.patiently('cell', {row, column}) : {error: 'The whole file is not read, so the rest of the cell is not there.'};
  }

  async function find(text, backwards, counting) {
    const mine = source;
    if (!await mine.copyWhole(true)) return {error: mine === source ? 'The whole file is not read, so nothing was looked for.' : ''};
    const {view} = mine;
    const from = counting || lookedFor === null ? {row: 0, column: -1} : {row: Math.max(0, table.active.row), column: table.column - (text !== lookedFor && !backwards)};
    const found = await mine.patiently('find', {view, text, from, backwards});
    if (!counting) lookedFor = text;
    if (!counting && mine === source && view === mine.view && Number.isInteger(found.row)) {
      if (keep().hidden.delete(found.column)) columnsChanged();
      mine.viewTotal ??= found.total;   // its rows may be still to come
      table.jump(found.row, table.visible.indexOf(found.column));
    }
    return {...found, filtered: view.filters.length > 0};
  }

  function openProfile(wanted) {
    profile.element.hidden = !wanted;
    profileButton.setAttribute('aria-expanded', String(wanted));
    if (!wanted) return;
    profile.start();
    profile.element.scrollIntoView({block: 'start'});
    profile.element.querySelector('h3').focus({preventScroll: true});
  }

  async function useInNotebook(args) {
    const mine = task.task_id;
    rest(use, true);
    let made;
    try {
      made = await server.reader({task_id: mine, name: place.name, arguments: args, reading: keep().reading});
    } catch {
      made = {error: 'The code was not made: the app did not answer. Try again.'};
    }
    rest(use, false);
    if (task?.task_id !== mine) return;
    if (made.error) warn(made.error);
    else if (workbench.notebook) workbench.notebook.insertCell(made.code);
    else state.replaceChildren(h('p', {class: 'notice warn'}, 'The notebook is not on the page yet. Try again in a moment.'));
  }

  cell.dialog.addEventListener('close', focusTable);
  workbench.onTask(open);
  workbench.addEventListener('files', event => files(event.detail));
  workbench.addEventListener('file', ({detail: name}) => {
    if (name !== place.name) { file.value = name; go({name, table: ''}, true); }
    goTo();
  });
  onLetters({d: () => { if (task?.input_files.length) goTo(); }});
}
