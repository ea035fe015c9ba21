// The cells of one task: their order, what is done to it, and keeping it in the browser.
import {NotebookCell} from './notebook_cell.js';
import {loadCells, saveCells, saveOutputs} from './notebook_store.js';
import {h} from './workbench.js';

const SAVE_AFTER = 400;  // ms

export class TaskNotebook {
  taskId;
  cells = [];
  fresh;                // no cells were saved: the first one may get starter code
  element = h('div', {class: 'nb-cells'});
  #lastRun = null;
  #focused = null;
  #pane;
  #undo = null;
  #undoBar = h('div', {class: 'notice row small', hidden: true});
  #edited = false;      // code, order or state changed since it was saved
  #outputsChanged = new Set();
  #savedOutputs = {};
  #timer = 0;
  #lastPress = {key: '', at: 0};

  /** `pane`: run(notebook, cells), holds(cell), warn(sentence), stored(warning), answer(cell, text),
   *  help(taskId, kind, place). */
  constructor(taskId, pane) {
    this.taskId = taskId;
    this.#pane = pane;
    const saved = loadCells(taskId);
    this.fresh = saved === null;
    for (const each of saved ?? [{}]) this.#insert(this.cells.length, new NotebookCell(this, this.#restored(each)));
  }

  #restored(saved) {
    if (saved.outputs) this.#savedOutputs[saved.id] = {outputs: saved.outputs, cut: saved.cut};
    if (saved.state === 'waiting' || (saved.run && !saved.run.id)) {
      return {...saved, run: null, state: 'refused', message: 'The page was left before this cell’s turn. Run it again.'};
    }
    return saved;
  }

  // ---- what cells tell

  edited() { this.fresh = false; this.#edited = true; this.#later(); }

  saved(cell) { this.#edited = true; if (cell) this.#outputsChanged.add(cell); this.#later(); }

  answer(cell, text) { return this.#pane.answer(cell, text); }

  ask(kind, place) { return this.#pane.help(this.taskId, kind, place); }

  updateDisplay(output) { for (const cell of this.cells) if (cell.updateDisplay(output)) this.saved(cell); }

  run(cell, then = '') {
    this.fresh = false;
    this.#lastRun = cell;
    this.#pane.run(this, [cell]);
    if (then === 'insert') this.add(this.cells.indexOf(cell) + 1).edit();
    if (then === 'advance') (this.cells[this.cells.indexOf(cell) + 1] ?? this.add(this.cells.length)).edit();
  }

  runAll() {
    const cells = this.cells.filter(cell => cell.code.trim());
    if (!cells.length) return;
    this.fresh = false;
    this.#lastRun = cells.at(-1);
    this.#pane.run(this, cells);
  }

  // ---- order

  #insert(index, cell) {
    this.cells.splice(index, 0, cell);
    const next = this.cells[index + 1]?.element ?? null;
    this.element.insertBefore(cell.element, next);
    this.#number();
  }

  #number() { this.cells.forEach((cell, index) => { cell.number = index + 1; }); }

  add(index, code = '') {
    const cell = new NotebookCell(this, {code});
    this.#insert(index, cell);
    this.edited();
    return cell;
  }

  /** The cell that has the focus or had it last, else the last one. */
  get current() { return this.cells.find(cell => cell === this.#focused) ?? this.cells.at(-1); }

  /** The cell run last: since the page was opened, else the one with the highest count; `null` if none was. */
  get lastRun() {
    if (this.cells.includes(this.#lastRun)) return this.#lastRun;
    return this.cells.reduce((last, cell) => cell.count > (last?.count ?? 0) ? cell : last, null);
  }

  focusedIn(target) { this.#focused = this.cells.find(cell => cell.element.contains(target)) ?? this.#focused; }

  /** Do one of: up, down, above, below, delete. */
  command(cell, name) {
    const index = this.cells.indexOf(cell);
    if (name === 'above' || name === 'below') this.add(index + (name === 'below' ? 1 : 0)).edit();
    else if (name === 'delete') this.#delete(cell, index);
    else this.#move(cell, index, index + (name === 'down' ? 1 : -1));
  }

  #move(cell, from, to) {
    if (to < 0 || to >= this.cells.length) return;
    const held = document.activeElement;
    this.cells.splice(from, 1);
    this.#insert(to, cell);
    if (cell.element.contains(held)) held.focus();
    this.edited();
  }

  #delete(cell, index) {
    if (this.#pane.holds(cell)) { this.#pane.warn('This cell is running or waiting. Stop it first, then delete it.'); return; }
    this.#forgetUndo();
    this.cells.splice(index, 1);
    cell.element.remove();
    this.#undo = {cell, index};
    this.#undoBar.hidden = false;
    this.#undoBar.replaceChildren(h('span', {role: 'status'}, 'Cell deleted.'),
      h('button', {type: 'button', class: 'btn', onclick: () => this.undo()}, 'Undo'));
    const next = this.cells[index]?.element ?? null;
    this.element.insertBefore(this.#undoBar, next);
    if (!this.cells.length) this.#insert(0, new NotebookCell(this));
    this.#number();
    this.cells[Math.min(index, this.cells.length - 1)].focus();
    this.edited();
  }

  undo() {
    if (!this.#undo) return;
    const {cell, index} = this.#undo;
    this.#undo = null;
    this.#undoBar.hidden = true;
    // the blank cell that stood in for an emptied notebook
    if (index === 0 && this.cells.length === 1 && !this.cells[0].code && !this.cells[0].state) this.cells.pop().destroy();
    this.#insert(Math.min(index, this.cells.length), cell);
    cell.measure();
    cell.focus();
    this.saved(cell);
  }

  #forgetUndo() {
    this.#undo?.cell.destroy();
    this.#undo = null;
    this.#undoBar.hidden = true;
  }

  // ---- keys of a cell that has the focus itself

  key(cell, event) {
    if (event.target !== cell.element) return;
    const index = this.cells.indexOf(cell);
    const command = event.ctrlKey || event.metaKey;
    const {key} = event;
    const twice = key === this.#lastPress.key && event.timeStamp - this.#lastPress.at < 600;
    this.#lastPress = {key: twice ? '' : key, at: event.timeStamp};
    let act = null;
    if (key === 'Enter') act = () => event.shiftKey ? this.run(cell, 'advance') : command ? this.run(cell) : event.altKey ? this.run(cell, 'insert') : cell.edit();
    else if (event.altKey && key === 'ArrowUp') act = () => this.command(cell, 'up');
    else if (event.altKey && key === 'ArrowDown') act = () => this.command(cell, 'down');
    else if (command || event.altKey) return;
    else if (key === 'ArrowUp' || key === 'k') act = () => this.cells[index - 1]?.focus();
    else if (key === 'ArrowDown' || key === 'j') act = () => this.cells[index + 1]?.focus();
    else if (key === 'a') act = () => this.command(cell, 'above');
    else if (key === 'b') act = () => this.command(cell, 'below');
    else if (key === 'z') act = () => this.undo();
    else if (key === 'd') act = () => { if (twice) this.command(cell, 'delete'); };
    if (!act) return;
    event.preventDefault();
    act();
  }

  // ---- keeping

  #later() { this.#timer ||= setTimeout(() => this.save(), SAVE_AFTER); }

  /** Write what changed to the browser's storage. */
  save() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    if (this.fresh || !this.#edited) return;
    this.#edited = false;
    let warning = saveCells(this.taskId, this.cells.map(cell => cell.save()));
    const here = new Set(this.cells.map(cell => cell.id));
    const gone = Object.keys(this.#savedOutputs).filter(id => !here.has(id));
    if (this.#outputsChanged.size || gone.length) {
      for (const cell of this.#outputsChanged) this.#savedOutputs[cell.id] = cell.saveOutputs();
      for (const id of gone) delete this.#savedOutputs[id];
      this.#outputsChanged.clear();
      warning ||= saveOutputs(this.taskId, this.#savedOutputs);
    }
    this.#pane.stored(warning);
  }

  /** Take the cells off the page for good. */
  destroy() {
    this.save();
    this.#forgetUndo();
    for (const cell of this.cells) cell.destroy();
  }
}
