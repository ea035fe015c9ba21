// The active cell under the table: what stands in it, copied or opened whole.
import {pythonRepr, visible} from './data_names.js';
import {copy, count, h} from './workbench.js';

const EXCERPT = 160;

/** `whole(row, column)` gives a promise of {text, length} | {error}; `line(row)` of {cells, cut} | {error}; `say(sentence)`. */
export function cellBar(whole, line, say) {
  const text = h('span', {class: 'mono cell-text'});
  const button = (label, get) => h('button', {type: 'button', class: 'btn quiet', onclick: async event => {
    const pressed = event.currentTarget;
    const found = await get();
    if (found !== null) copy(found, pressed);
  }}, label);
  const copyCell = button('Copy cell', () => cellText()), copyRow = button('Copy row', () => rowText()), copyName = button('Copy name', async () => pythonRepr(name()));
  const element = h('div', {class: 'row spread cell-bar'}, text, h('span', {class: 'row'}, copyCell, copyRow, copyName));
  const [body, length, dialogCopy] = [h('pre', {class: 'mono', tabindex: 0}), h('span', {class: 'small muted'}), h('button', {type: 'button', class: 'btn', onclick: () => copy(body.textContent, dialogCopy)}, 'Copy')];
  const title = h('h3', {});
  const dialog = h('dialog', {class: 'whole-cell card', 'aria-label': 'The whole cell'}, h('div', {class: 'row spread'}, title, h('button', {type: 'button', class: 'btn', onclick: () => dialog.close()}, 'Close')),
    body, h('div', {class: 'row spread'}, length, dialogCopy));
  let at = null;   // {source, row, column}

  const name = () => at.source.columns[at.column]?.name ?? '';

  async function cellText() {
    const cell = at.source.cell(at.row, at.column);
    if (!cell) return null;
    if (!cell.length) return cell.text ?? '';
    const answer = await whole(at.source.number(at.row), at.column);
    if (answer.error) { say(answer.error); return null; }
    return answer.text;
  }

  /** A row as Python writes it: by name, or as a list where two columns share one. */
  async function rowText() {
    const {columns} = at.source;
    const answer = await line(at.row);
    if (answer.error) { say(answer.error); return null; }
    for (const column of answer.cut) {
      const found = await whole(at.source.number(at.row), column);
      if (found.error) { say(found.error); return null; }
      answer.cells[column] = found.text;
    }
    const cells = columns.map((_, column) => pythonRepr(answer.cells[column] ?? null));
    const names = columns.map(column => column.name);
    return new Set(names).size < names.length ? `[${cells.join(', ')}]` : `{${cells.map((cell, column) => `${pythonRepr(names[column])}: ${cell}`).join(', ')}}`;
  }

  return {
    element, dialog,
    show(source, row, column) {
      at = {source, row, column};
      const cell = row < 0 || column < 0 ? undefined : source.cell(row, column);
      const number = row < 0 ? null : source.number(row);
      const place = [number !== null && `row ${count(number + 1)}`, column >= 0 && (visible(name()) || `column ${column + 1}`)].filter(Boolean).join(' · ');
      const value = cell === undefined ? '' : cell.text === null ? '∅ no value' : cell.text === '' ? 'blank' : visible(cell.text.slice(0, EXCERPT));
      text.textContent = value ? `${place}: ${value}` : place;
      copyCell.disabled = cell === undefined;
      copyRow.disabled = row < 0;
      copyName.disabled = column < 0;
    },
    /** Copy what is active: the cell, a row by its number, a name in the head. */
    copy() {
      if (at.row < 0 && at.column >= 0) copyName.click(); else if (at.column < 0) copyRow.click(); else copyCell.click();
    },
    async open() {
      const cell = at.source.cell(at.row, at.column);
      if (!cell) return;
      title.textContent = `Row ${count(at.source.number(at.row) + 1)} · ${visible(name()) || `column ${at.column + 1}`}`;
      body.textContent = cell.text ?? '∅ no value';
      length.textContent = cell.length ? 'The rest is being read…' : `${count([...body.textContent].length)} characters`;
      dialog.showModal();
      if (!cell.length) return;
      const answer = await whole(at.source.number(at.row), at.column);
      if (answer.error) { length.textContent = `The first ${count(cell.text.length)} of ${count(cell.length)} characters. ${answer.error}`; return; }
      body.textContent = answer.text;
      const had = [...answer.text].length;
      length.textContent = had < answer.length ? `The first ${count(had)} of ${count(answer.length)} characters` : `${count(had)} characters`;
    },
  };
}
