// The cells of one task: their order, what is done to it, and keeping it in the browser.
import {NotebookCell} from './notebook_cell.js';
import {NOT_SAVED, loadCells, saveCells, saveOutputs} from './notebook_store.js';
import {h} from './workbench.js';

const SAVE_AFTER = 400;  // ms
const MOST_UNDO = 50;    // steps

export class TaskNotebook {
  taskId;
  cells = [];
  starter = null;       // a promise, while the starter code of a fresh one is on its way
  fresh;                // no cells were saved: the first one may get starter code
  element = h('div', {class: 'nb-cells'});
  #lastRun = null;
  #used = null;         // the cell one is in since the last run: the one run, or one that was gone on to
  #scrolled = 0;        // where the page stood then
  #focused = null;
  #pane;
  #undo = [];           // cells taken away, the last at the end: {cells, at}, or {cells} for all there were
  keeping = '';         // how far the browser's storage has it: '' (nothing to keep) | saving | saved | part | full
  storage = '';         // what is wrong with that, in a sentence
  dropped;              // outputs of an earlier visit were given up for room
  #edited = false;      // code, order or state changed since it was saved
  #outputsChanged = new Set();
  #savedOutputs = {};
  #outputsLost = '';    // which outputs found no room, in a sentence
  #timer = 0;
  #lastPress = {key: '', at: 0};

  /** `pane`: run(notebook, cells), holds(cell), warn(sentence), stored(notebook), undoable(sentence, undo), undone(),
   *  showKeys(), answer(cell, text), help(taskId, kind, place). */
  constructor(taskId, pane) {
    this.taskId = taskId;
    this.#pane = pane;
    const saved = loadCells(taskId);
    this.fresh = saved === null;
    this.dropped = Boolean(saved?.dropped);
    if (saved) this.keeping = 'saved';
    for (const each of saved?.cells ?? [{}]) this.#insert(this.cells.length, new NotebookCell(this, this.#restored(each)));
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

  /** A cell's state or outputs changed. */
  saved(cell) { this.#edited = true; if (cell) this.#outputsChanged.add(cell); this.#later(); }

  answer(cell, text) { return this.#pane.answer(cell, text); }

  ask(kind, place) { return this.#pane.help(this.taskId, kind, place); }

  updateDisplay(output) { for (const cell of this.cells) if (cell.updateDisplay(output)) this.saved(cell); }

  stop() { this.#pane.stop(); }

  run(cell, then = '') {
    this.fresh = false;
    if (cell.type === 'markdown') {
      cell.render();
      if (!then) cell.focus();
    } else {
      this.#lastRun = cell;
      this.#pane.run(this, [cell]);
    }
    this.#used = cell;
    if (then === 'insert') (this.#used = this.add(this.cells.indexOf(cell) + 1)).edit();
    if (then === 'advance') this.#goTo(this.#used = this.cells[this.cells.indexOf(cell) + 1] ?? this.add(this.cells.length));
    this.#used.element.scrollIntoView({block: 'nearest'});
    this.#scrolled = scrollY;
  }

  /** Outputs that were drawn lie below the window, or push down the cell one went on to: bring it into sight, unless one left it or scrolled. */
  followOn() {
    if (scrollY !== this.#scrolled || !this.#used?.element.contains(document.activeElement)) return;
    this.#used.element.scrollIntoView({block: 'nearest'});
    this.#scrolled = scrollY;
  }

  /** Text that is shown stays so. */
  #goTo(cell) { if (cell.rendered) cell.focus(); else cell.edit(); }

  /** Run every cell that holds code; whether there was one. */
  runAll() {
    const cells = this.cells.filter(cell => cell.type === 'code' && cell.code.trim());
    if (!cells.length) return false;
    this.fresh = false;
    this.#lastRun = cells.at(-1);
    this.#pane.run(this, cells);
    return true;
  }

  /** Put code that is not the visitor's own into its one cell: there is nothing to keep yet. */
  begin(code) {
    this.cells[0].code = code;
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#edited = false;
    this.fresh = true;
    this.keeping = '';
    this.#pane.stored(this);
  }

  // ---- order

  #insert(index, cell) {
    this.cells.splice(index, 0, cell);
    const next = this.cells[index + 1]?.element ?? null;
    this.element.insertBefore(cell.element, next);
    this.#number();
  }

  #number() { this.cells.forEach((cell, index) => { cell.number = index + 1; }); }

  add(index, code = '', type = 'code') {
    const cell = new NotebookCell(this, {code, type});
    this.#insert(index, cell);
    this.edited();
    return cell;
  }

  /** The cell that has the focus or had it last, else the last one. */
  get current() { return this.cells.find(cell => cell === this.#focused) ?? this.cells.at(-1); }

  /** The cell run last: since the page was opened, else the one with the highest count; `null` if none was. */
  get lastRun() {
    if (this.cells.includes(this.#lastRun)) return this.#lastRun;
    return this.cells.reduce((last, cell) => cell.type === 'code' && cell.count > (last?.count ?? 0) ? cell : last, null);
  }

  focusedIn(target) { this.#focused = this.cells.find(cell => cell.element.contains(target)) ?? this.#focused; }

  /** Do one of: up, down, above, below, type, delete. */
  command(cell, name) {
    const index = this.cells.indexOf(cell);
    if (name === 'above' || name === 'below') this.add(index + (name === 'below' ? 1 : 0)).edit();
    else if (name === 'delete') this.#delete(cell, index);
    else if (name === 'type') this.#turn(cell, cell.type === 'code' ? 'markdown' : 'code');
    else this.move(cell, index + (name === 'down' ? 1 : -1));
  }

  #turn(cell, type) {
    if (this.#pane.holds(cell)) { this.#pane.warn('This cell is running or waiting. Stop it first, then make it text.'); return; }
    cell.turn(type);
    this.#number();
  }

  /** Give a cell the place `to`. */
  move(cell, to) {
    const from = this.cells.indexOf(cell);
    if (to === from || to < 0 || to >= this.cells.length) return;
    const held = document.activeElement;
    this.cells.splice(from, 1);
    this.#insert(to, cell);
    if (cell.element.contains(held)) held.focus();
    this.edited();
  }

  #delete(cell, index) {
    if (this.#pane.holds(cell)) { this.#pane.warn('This cell is running or waiting. Stop it first, then delete it.'); return; }
    this.cells.splice(index, 1);
    cell.element.remove();
    this.#taken({cells: [cell], at: index}, 'Cell deleted.');
    if (!this.cells.length) this.#insert(0, new NotebookCell(this));
    this.#number();
    this.cells[Math.min(index, this.cells.length - 1)].focus();
    this.edited();
  }

  /** Put cells, as `fromNotebook` reads them, in place of all there are; `sentence` says so. */
  replace(cells, sentence) {
    if (this.cells.some(cell => this.#pane.holds(cell))) { this.#pane.warn('A cell is running or waiting. Stop it first, then open the notebook.'); return; }
    const before = this.cells.splice(0);
    for (const cell of before) cell.element.remove();
    this.#taken({cells: before}, sentence);
    for (const each of cells.length ? cells : [{}]) this.#insert(this.cells.length, new NotebookCell(this, each));
    this.edited();
    for (const cell of this.cells) { cell.measure(); this.saved(cell); }
    this.cells[0].focus();
  }

  #taken(step, sentence) {
    this.#undo.push(step);
    if (this.#undo.length > MOST_UNDO) for (const cell of this.#undo.shift().cells) cell.destroy();
    const steps = this.#undo.length;
    this.#pane.undoable(steps > 1 ? `${sentence} ${steps} steps can be undone.` : sentence, () => this.undo());
  }

  /** Bring back what was taken away last; says whether there was anything. */
  undo() {
    const step = this.#undo.pop();
    if (!step) return false;
    const {cells, at = 0} = step;
    if (step.at === undefined) {
      if (this.cells.some(cell => this.#pane.holds(cell))) {
        this.#undo.push(step);
        this.#pane.warn('A cell is running or waiting. Stop it first, then undo.');
        return true;
      }
      for (const cell of this.cells.splice(0)) cell.destroy();
    } else if (this.#blank) this.cells.pop().destroy();
    cells.forEach((cell, place) => {
      this.#insert(Math.min(at + place, this.cells.length), cell);
      cell.measure();
      this.saved(cell);
    });
    cells[0].focus();
    this.#pane.undone();
    return true;
  }

  /** Whether all there is is the cell that stood in for an emptied notebook. */
  get #blank() { return this.cells.length === 1 && !this.cells[0].code && !this.cells[0].state; }

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
    else if (command && key === 's') act = () => this.saveNow();
    else if (command || event.altKey) return;
    else if (key === 'ArrowUp' || key === 'k') act = () => this.cells[index - 1]?.focus();
    else if (key === 'ArrowDown' || key === 'j') act = () => this.cells[index + 1]?.focus();
    else if (key === 'a') act = () => this.command(cell, 'above');
    else if (key === 'b') act = () => this.command(cell, 'below');
    else if (key === 'z') act = () => { if (!this.undo()) this.#pane.warn('There is nothing to undo.'); };
    else if (key === 'm') act = () => this.#turn(cell, 'markdown');
    else if (key === 'y') act = () => this.#turn(cell, 'code');
    else if (key === 'o') act = () => cell.toggleOutput();
    else if (key === '?') act = () => this.#pane.showKeys();
    else if (key === 'i') act = () => { if (twice) this.stop(); };
    else if (key === 'd') act = () => { if (twice) this.command(cell, 'delete'); };
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();  // a key of the cell's is no key of the page's
    act();
  }

  // ---- keeping

  #later() {
    this.#timer ||= setTimeout(() => this.save(), SAVE_AFTER);
    if (this.fresh || this.keeping === 'saving') return;
    this.keeping = 'saving';
    this.#pane.stored(this);
  }

  /** Save what is asked for, and try again what found no room. */
  saveNow() {
    if (!this.fresh) this.#edited = true;
    if (this.#outputsLost) for (const cell of this.cells) this.#outputsChanged.add(cell);
    this.save();
  }

  /** Write what changed to the browser's storage. */
  save() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    if (this.fresh || !this.#edited) { if (this.keeping === 'saving') this.#kept(this.storage); return; }
    this.#edited = false;
    const warning = saveCells(this.taskId, this.cells.map(cell => cell.save()));
    const here = new Set(this.cells.map(cell => cell.id));
    const gone = Object.keys(this.#savedOutputs).filter(id => !here.has(id));
    if (this.#outputsChanged.size || gone.length) {
      for (const cell of this.#outputsChanged) this.#savedOutputs[cell.id] = cell.saveOutputs();
      for (const id of gone) delete this.#savedOutputs[id];
      this.#outputsChanged.clear();
      this.#outputsLost = saveOutputs(this.taskId, this.#savedOutputs);
    }
    this.#kept(warning || this.#outputsLost);
  }

  #kept(warning) {
    this.storage = warning;
    this.keeping = !warning ? 'saved' : warning === NOT_SAVED ? 'full' : 'part';
    this.#pane.stored(this);
  }

  /** Take the cells off the page for good. */
  destroy() {
    this.save();
    for (const cell of [...this.cells, ...this.#undo.flatMap(step => step.cells)]) cell.destroy();
  }
}
