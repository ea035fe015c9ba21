// The data preview: one file's rows as text, page by page, under its column names and types.
import {bytes, count, h, workbench} from './workbench.js';

const PAGE = 50;
const LONG = 120;         // characters from which a cell is folded
const ASK_AGAIN = 1000;   // ms, while a file is on its way

/** Line ends, tabs and outer spaces made visible: in a column name they decide whether code finds the column. */
const visible = text => text.replace(/^ +| +$/g, spaces => '·'.repeat(spaces.length)).replace(/\r\n?|\n/g, '↵').replace(/\t/g, '⇥');

export function mount(pane, server) {
  let task = null;
  let asked = 0;
  let place = {name: '', table: '', offset: 0};

  const file = h('select', {'aria-label': 'File', onchange: () => go({name: file.value, table: '', offset: 0})});
  const only = h('span', {class: 'mono'});
  const size = h('span', {class: 'small muted'});
  const use = h('button', {type: 'button', class: 'btn', onclick: useInNotebook}, 'Use in notebook');
  const sheet = h('select', {'aria-label': 'Sheet or table', onchange: () => go({table: sheet.value, offset: 0})});
  const sheetField = h('label', {class: 'field sheet'}, 'Sheet or table', sheet);
  const facts = h('p', {class: 'small muted facts'});
  const notes = h('ul', {class: 'notes small'});
  const state = h('div', {role: 'status', class: 'state'});
  const box = h('div', {class: 'rows', tabindex: 0, role: 'region', 'aria-label': 'Rows of the file'});
  const shown = h('span', {class: 'small muted', 'aria-live': 'polite'});
  const back = h('button', {type: 'button', class: 'btn', onclick: () => go({offset: Math.max(0, place.offset - PAGE)})}, '← Previous 50');
  const next = h('button', {type: 'button', class: 'btn', onclick: () => go({offset: place.offset + PAGE})}, 'Next 50 →');
  const pager = h('div', {class: 'row spread pager'}, back, shown, next);
  const card = h('div', {class: 'card'},
    h('div', {class: 'row spread'}, h('h2', {}, 'Data'), use),
    h('div', {class: 'row chooser'}, file, only, size, sheetField),
    facts, notes, state, box, pager);

  function open(chosen) {
    task = chosen;
    asked += 1;
    const all = task?.input_files ?? [];
    if (!task || !all.length) {
      pane.replaceChildren(...(task ? [h('div', {class: 'card'}, h('h2', {}, 'Data'), h('p', {class: 'notice'}, task.files_pending ? 'Asking the Hub which files there are…' : task.files_note || 'This task has no files.'))] : []));
      return;
    }
    file.replaceChildren(...all.map(each => option(each)));
    file.hidden = all.length === 1;
    only.hidden = size.hidden = all.length > 1;
    only.textContent = visible(all[0].name);
    size.textContent = all[0].size === null ? '' : bytes(all[0].size);
    pane.replaceChildren(card);
    go({name: all[0].name, table: '', offset: 0});
  }

  async function go(change) {
    const other = change.name !== undefined || change.table !== undefined;
    place = {...place, ...change};
    const mine = ++asked;
    if (other) clear();
    card.setAttribute('aria-busy', 'true');
    say('Reading the file…');
    let waited = false;
    for (;;) {
      let answer;
      try {
        answer = await server.preview({task_id: task.task_id, ...place});
      } catch {
        answer = {error: 'The file was not read: the app did not answer.'};
      }
      if (mine !== asked) return;
      if (!answer.coming) { card.removeAttribute('aria-busy'); show(answer); if (waited) workbench.dispatchEvent(new Event('fetched')); return; }
      waited = true;
      const {done, total} = answer.coming;
      sayComing(done, total);
      await new Promise(done => { setTimeout(done, ASK_AGAIN); });
      if (mine !== asked) return;
    }
  }

  function sayComing(done, total) {
    state.replaceChildren(h('div', {class: 'small muted row spread'},
      h('span', {}, `Coming from the Hub: ${bytes(done)}${total ? ` of ${bytes(total)}` : ''}…`),
      total > 0 && h('progress', {max: total, value: done, 'aria-label': 'What has come of the file'}),
      h('button', {type: 'button', class: 'btn', onclick: stop}, 'Stop')));
  }

  async function stop() {
    asked += 1;
    card.removeAttribute('aria-busy');
    let answer;
    try {
      answer = await server.stop({task_id: task.task_id, name: place.name});
    } catch {
      answer = {error: 'The app did not answer, so the file may still be coming.'};
    }
    state.replaceChildren(h('div', {class: 'notice row spread'}, answer.message || answer.error,
      h('button', {type: 'button', class: 'btn', onclick: () => go({})}, 'Try again')));
  }

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
    use.hidden = true;
    box.replaceChildren();
    notes.replaceChildren();
    facts.textContent = '';
    box.hidden = pager.hidden = sheetField.hidden = true;
  }

  function say(sentence) { state.replaceChildren(h('p', {class: 'small muted'}, sentence)); }

  function show(answer) {
    if (answer.error) {
      state.replaceChildren(h('div', {class: 'notice bad row spread'}, answer.error,
        h('button', {type: 'button', class: 'btn', onclick: () => go({})}, 'Try again')));
      return;
    }
    state.replaceChildren();
    use.hidden = !answer.columns.length || answer.kind === 'text';
    const {rows, columns, tables} = answer;
    size.textContent = bytes(answer.size);
    facts.textContent = factsOf(answer);
    notes.replaceChildren(...answer.notes.map(note => h('li', {}, note)));
    sheetField.hidden = tables.length < 2;
    sheet.replaceChildren(...tables.map(name => h('option', {value: name, selected: name === answer.table}, name)));
    box.hidden = pager.hidden = !columns.length;
    box.replaceChildren(tableOf(answer));
    box.scrollTop = 0;
    const first = answer.offset;
    const total = answer.total_rows;
    const of = total === null ? '' : ` of ${answer.exact ? '' : 'about '}${count(total)}`;
    shown.textContent = rows.length ? `rows ${count(first + 1)}–${count(first + rows.length)}${of}` : `no rows here${of && `, ${count(total)} in all`}`;
    back.disabled = first === 0;
    next.disabled = rows.length < PAGE || (answer.exact && first + rows.length >= total);
  }

  function factsOf({total_rows: total, exact, total_columns: width, encoding, delimiter, columns, rows}) {
    if (!columns.length) return '';
    const parts = [`${total === null ? 'unknown number of' : (exact ? '' : 'about ') + count(total)} rows × ${count(width)} columns`];
    if (encoding) parts.push(encoding);
    if (delimiter) parts.push(`${delimiter} between fields`);
    if (columns.some(column => column.estimated)) parts.push('types are estimates');
    if (rows.some(row => row.includes(null))) parts.push('∅ is no value, an empty cell a blank one');
    return parts.join(' · ');
  }

  function tableOf({columns, rows, offset, cut}) {
    const lengths = new Map(cut.map(([row, column, length]) => [`${row} ${column}`, length]));
    const numeric = columns.map(column => /^(u?int|float|double|decimal)/.test(column.dtype));
    const head = h('tr', {}, h('th', {scope: 'col', class: 'number'}, h('span', {class: 'visually-hidden'}, 'Row')),
      columns.map((column, at) => h('th', {scope: 'col', class: numeric[at] ? 'numeric' : ''},
        column.name ? h('span', {class: 'name', title: column.name}, visible(column.name)) : h('span', {class: 'name muted'}, '(no name)'),
        h('span', {class: 'dtype', title: column.estimated ? 'estimated from the rows read' : 'declared by the file'}, column.dtype))));
    const body = rows.map((row, number) => h('tr', {}, h('th', {scope: 'row', class: 'number'}, count(offset + number + 1)),
      row.map((cell, at) => h('td', {class: numeric[at] ? 'numeric' : ''}, cellOf(cell, lengths.get(`${number} ${at}`))))));
    return h('table', {class: 'mono'}, h('thead', {}, head), h('tbody', {}, body));
  }

  function cellOf(cell, length) {
    if (cell === null) return h('span', {class: 'missing', title: 'no value in the file'}, '∅');
    if (cell.length <= LONG && !/[\r\n]/.test(cell)) return cell;
    const folded = `${visible(cell.slice(0, LONG))}${cell.length > LONG ? ' …' : ''}`;
    const text = h('span', {}, folded);
    const fold = h('button', {type: 'button', class: 'fold', 'aria-expanded': 'false', title: 'Show or fold the whole cell', onclick: () => {
      const open = fold.getAttribute('aria-expanded') === 'false';
      fold.setAttribute('aria-expanded', String(open));
      text.textContent = open ? cell : folded;
      rest.hidden = !open;
    }}, text);
    const rest = h('span', {class: 'muted rest', hidden: true}, length ? `the first ${count(cell.length)} of ${count(length)} characters` : `${count(cell.length)} characters`);
    return [fold, rest];
  }

  async function useInNotebook() {
    const mine = task.task_id;
    use.disabled = true;
    let answer;
    try {
      answer = await server.reader({task_id: mine, name: place.name});
    } catch {
      answer = {error: 'The code was not made: the app did not answer. Try again.'};
    }
    use.disabled = false;
    if (task?.task_id !== mine) return;
    if (answer.error) state.replaceChildren(h('p', {class: 'notice bad'}, answer.error));
    else if (workbench.notebook) workbench.notebook.insertCell(answer.code);
    else state.replaceChildren(h('p', {class: 'notice warn'}, 'The notebook is not on the page yet. Try again in a moment.'));
  }

  workbench.onTask(open);
  workbench.addEventListener('files', event => files(event.detail));
}
