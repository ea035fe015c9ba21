// One cell: its editor, its buttons, its state and its outputs.
import {EditorState, EditorView, Prec, keymap, lineNumbers, placeholder, pythonEditing} from './codemirror.js';
import {CellQuestion} from './cell_question.js';
import {editorHelp} from './editor_help.js';
import {CellOutputs} from './notebook_outputs.js';
import {OUTPUT_LIMIT} from './notebook_store.js';
import {h} from './workbench.js';

const STATES = {
  waiting: 'waiting', running: 'running', ok: '', error: 'failed', stopped: 'stopped', died: 'kernel stopped', refused: 'not run', lost: 'lost',
};
const seconds = value => value < 1 ? `${Math.round(value * 1000)} ms` : value < 100 ? `${value.toFixed(1)} s` : `${Math.round(value)} s`;

// not crypto.randomUUID: that is missing on plain http beyond localhost
const newId = () => crypto.getRandomValues(new Uint32Array(2)).join('-');

export class NotebookCell {
  id;
  element;
  state = '';           // '' (never run) or a key of STATES
  count = null;         // execution count
  seconds = null;
  message = '';         // a sentence about the last run, for people
  run = null;           // {id, token}: the server's run whose end has not been seen
  #progress = '';       // what the kernel is busy with before it runs the cell
  #lost = false;
  #replaying = false;   // old outputs stay until the first replayed one
  #host;
  #editor;
  #outputs = new CellOutputs('Output');
  #question = new CellQuestion(text => this.#host.answer(this, text), () => this.focus());
  #mark = h('span', {class: 'nb-mark mono', 'aria-hidden': 'true'});
  #status = h('span', {class: 'nb-status small', role: 'status'});
  #notice = h('p', {class: 'notice small', hidden: true});
  #runButton;

  /** `host` is told of everything done here: edited(), saved(), run(cell, then), command(cell, name), answer(cell, text), ask(kind, place), updateDisplay(output). */
  constructor(host, {id, code = '', outputs = [], cut = '', state = '', count = null, seconds = null, message = '', run = null} = {}) {
    Object.assign(this, {id: id ?? newId(), state, count, seconds, message: message || cut, run});
    this.#host = host;
    this.#editor = this.#makeEditor(code);
    const button = (name, glyph, label) => h('button', {type: 'button', class: 'btn quiet nb-icon', 'aria-label': label, title: label,
      onclick: () => host.command(this, name)}, glyph);
    this.#runButton = h('button', {type: 'button', class: 'btn nb-run', title: 'Run this cell (Ctrl+Enter)', onclick: () => host.run(this)}, 'Run');
    this.element = h('section', {class: 'nb-cell', tabindex: 0, role: 'group'},
      h('div', {class: 'nb-editor'}, this.#editor.dom),
      h('div', {class: 'nb-bar'}, this.#runButton, this.#mark, this.#status,
        h('span', {class: 'nb-tools', role: 'toolbar', 'aria-label': 'Change this cell'},
          button('up', '↑', 'Move cell up'), button('down', '↓', 'Move cell down'),
          button('above', '+↑', 'Add a cell above'), button('below', '+↓', 'Add a cell below'), button('delete', '✕', 'Delete cell'))),
      this.#notice, this.#outputs.element, this.#question.element);
    this.element.addEventListener('keydown', event => host.key(this, event));
    for (const output of outputs) this.#outputs.add(output);
    this.#show();
  }

  #makeEditor(code) {
    const act = action => () => { action(); return true; };
    return new EditorView({state: EditorState.create({doc: code, extensions: [
      Prec.highest(keymap.of([
        {key: 'Shift-Enter', run: act(() => this.#host.run(this, 'advance'))},
        {key: 'Mod-Enter', run: act(() => this.#host.run(this))},
        {key: 'Alt-Enter', run: act(() => this.#host.run(this, 'insert'))},
      ])),
      editorHelp((kind, place) => this.#host.ask(kind, place)), pythonEditing, lineNumbers(), placeholder('Python'),
      // after the editor's own use of Escape; leaving it this way lets Tab move on
      Prec.lowest(keymap.of([{key: 'Escape', run: act(() => this.focus())}])),
      EditorView.contentAttributes.of({tabindex: '-1', 'aria-label': 'Code'}),
      EditorView.updateListener.of(update => { if (update.docChanged) this.#host.edited(); }),
    ]})});
  }

  get code() { return this.#editor.state.doc.toString(); }

  set code(code) { this.#editor.dispatch({changes: {from: 0, to: this.#editor.state.doc.length, insert: code}}); }

  set number(number) { this.element.setAttribute('aria-label', `Cell ${number}. Enter edits it.`); }

  get editing() { return this.#editor.hasFocus; }

  get answer() { return this.#outputs.answer; }

  /** Put the cursor into it, and it into sight: an editor takes the focus where it is. */
  edit() {
    this.#editor.focus();
    this.#editor.dom.scrollIntoView({block: 'nearest'});
  }

  focus() { this.element.focus(); }

  /** After the page took the cell in again: an editor measures itself only while it is shown. */
  measure() { this.#editor.requestMeasure(); }

  wait(message) { this.#set({state: 'waiting', message}); }

  /** Its turn was dropped. */
  skip(message) { this.#set({state: 'refused', message}); }

  start(token) {
    this.#outputs.clear();
    this.run = {id: null, token};
    this.#set({state: 'running', count: null, seconds: null, message: ''});
  }

  resume() {
    this.#replaying = true;
    this.#set({state: 'running', message: ''});
  }

  receive(event) {
    if (event.event === 'run') { this.run.id = event.run_id; this.#host.saved(this); return; }
    if (event.event === 'connection') { this.#lost = event.lost; this.#show(); return; }
    if (event.event === 'status') { this.#progress = event.status === 'running' ? '' : event.message || event.status; this.#tell(event); return; }
    if (event.event === 'input_request') { this.#question.ask(event); this.#show(); return; }
    if (event.event === 'input_ended') { this.#endQuestion(); return; }
    if (this.#replaying) { this.#replaying = false; this.#outputs.clear(); }
    if (event.event === 'update_display_data') this.#host.updateDisplay(event.output);
    else this.#outputs.apply(event);
    this.#host.saved(this);
  }

  #tell(event) {
    if (event.message && event.status === 'running') this.message = event.message;
    this.#show();
  }

  #endQuestion() {
    if (this.#question.close()) this.focus();
    this.#show();
  }

  finish(done) {
    this.#endQuestion();
    this.run = null;
    this.#lost = this.#replaying = false;
    this.#progress = '';
    const message = [this.message, done.message].filter(Boolean).join(' ');
    this.#set({state: done.status, count: done.execution_count ?? null, seconds: done.seconds ?? null, message});
  }

  #set(change) {
    Object.assign(this, change);
    this.#show();
    this.#host.saved(this);
  }

  updateDisplay(output) { return this.#outputs.update(output); }

  #show() {
    const busy = this.state === 'running' || this.state === 'waiting';
    this.element.dataset.state = this.state;
    this.element.setAttribute('aria-busy', String(busy));
    this.#runButton.disabled = busy;
    this.#mark.textContent = busy ? '[*]' : `[${this.count || ' '}]`;
    this.#outputs.label = this.count ? `Output of run ${this.count}` : 'Output';
    const took = this.seconds === null || busy ? '' : seconds(this.seconds);
    const progress = this.#question.open ? 'asks you' : this.#progress;
    this.#status.textContent = [(busy && progress) || STATES[this.state] || '', took].filter(Boolean).join(' · ');
    this.#notice.textContent = this.#lost ? 'Connection lost; the cell goes on running. Trying again…' : this.message;
    this.#notice.hidden = !this.#notice.textContent;
    this.#notice.className = `notice small ${this.#lost || ['stopped', 'refused', 'lost'].includes(this.state) ? 'warn' : this.state === 'died' ? 'bad' : ''}`;
  }

  /** What a reload needs: code apart from outputs, which are saved under their own key. */
  save() {
    const {id, code, state, count, seconds, message, run} = this;
    return {id, code, state, count, seconds, message, run};
  }

  saveOutputs() { return this.#outputs.save(OUTPUT_LIMIT); }

  destroy() { this.#editor.destroy(); this.element.remove(); }
}
