// One cell: its editor, its buttons, its state and its outputs.
import {Compartment, EditorState, EditorView, Prec, closeCompletion, editing, keymap, lineNumbers, placeholder, pythonEditing} from './codemirror.js';
import {dragHandle} from './cell_drag.js';
import {CellQuestion} from './cell_question.js';
import {editorHelp} from './editor_help.js';
import {showMarkdown} from './markdown_text.js';
import {CellOutputs} from './notebook_outputs.js';
import {OUTPUT_LIMIT} from './notebook_store.js';
import {sideways} from './sideways.js';
import {toolbar} from './toolbar.js';
import {h, rest} from './workbench.js';

const PROMPT_PATHS = /\/home\/user\/input|\/workdir\b/;

// how the time a run took is told, where it is known
const STATES = {
  waiting: 'queued', running: 'running', ok: 'done', error: 'failed', stopped: 'stopped', died: 'kernel stopped', refused: 'not run', lost: 'lost',
};
const TOOK = {ok: 'in', error: 'after', stopped: 'after', died: 'after'};
const minutes = value => `${Math.floor(value / 60)} min ${String(Math.floor(value % 60)).padStart(2, '0')} s`;
const seconds = value => value < 1 ? `${Math.round(value * 1000)} ms` : value < 100 ? `${value.toFixed(1)} s` : minutes(value);

// not crypto.randomUUID: that is missing on plain http beyond localhost
const newId = () => crypto.getRandomValues(new Uint32Array(2)).join('-');

// Lines wider than the cell are read by keyboard without editing it: their box is a stop of Tab, and arrows scroll it.
const wideLines = new ResizeObserver(seen => {
  for (const {target} of seen) {
    const box = target.closest('.cm-scroller');
    box.tabIndex = box.scrollWidth > box.clientWidth ? 0 : -1;
  }
});

export class NotebookCell {
  id;
  element;
  type;                 // code or markdown
  state = '';           // '' (never run) or a key of STATES
  count = null;         // execution count
  seconds = null;
  message = '';         // a sentence about the last run, for people
  run = null;           // {id, token, since}: the server's run whose end has not been seen; ms of the clock when its code began
  #progress = '';       // what the kernel is busy with before it runs the cell
  #lost = false;
  #replaying = false;   // old outputs stay until the first replayed one
  #host;
  #editor;
  #language = new Compartment();
  #outputs = new CellOutputs('Output', () => this.#host.saved(this));
  #question = new CellQuestion(text => this.#host.answer(this, text), () => this.focus());
  #mark = h('span', {class: 'nb-mark mono', 'aria-hidden': 'true'});
  #status = h('span', {class: 'nb-status small', role: 'status'});
  #clock = h('span', {class: 'nb-clock small', 'aria-hidden': 'true'});  // ticks: nothing to be read out
  #ticking = 0;
  #shown = h('div', {class: 'nb-markdown', hidden: true});
  #typeButton;
  #notice = h('p', {class: 'notice small', hidden: true});
  #runButton;

  /** `host` is told of everything done here: edited(), saved(), saveNow(), run(cell, then), stop(), command(cell, name), move(cell, to), key(cell, event), answer(cell, text), ask(kind, place), updateDisplay(output). */
  constructor(host, {id, type = 'code', code = '', outputs = [], folded = false, cut = '', state = '', count = null, seconds = null, message = '', run = null} = {}) {
    Object.assign(this, {id: id ?? newId(), type, state, count, seconds, message: message || cut, run});
    this.#host = host;
    this.#editor = this.#makeEditor(code);
    for (const part of [this.#editor.scrollDOM, this.#editor.contentDOM]) wideLines.observe(part);
    const button = (name, glyph, label) => h('button', {type: 'button', class: 'btn quiet nb-icon', 'aria-label': label, title: label,
      onclick: () => host.command(this, name)}, glyph);
    this.#runButton = h('button', {type: 'button', class: 'btn nb-run', onclick: () => { if (this.state === 'running') host.stop(); else if (this.rendered) this.edit(); else host.run(this); }}, 'Run');
    this.#typeButton = button('type', '', '');
    this.element = h('section', {class: 'nb-cell', tabindex: 0, role: 'group'},
      h('div', {class: 'nb-editor'}, sideways(this.#editor.scrollDOM, this.#editor.dom)), this.#shown,
      h('div', {class: 'nb-bar'}, this.#runButton, this.#mark, this.#status, this.#clock,
        h('span', {class: 'nb-hint small muted', 'aria-hidden': 'true'}, 'Esc leaves the cell'),
        toolbar('Change this cell', 'nb-tools', [this.#typeButton, button('up', '↑', 'Move cell up'), button('down', '↓', 'Move cell down'),
          button('above', '+↑', 'Add a cell above'), button('below', '+↓', 'Add a cell below'), button('delete', '✕', 'Delete cell')], dragHandle(this, host))),
      this.#notice, this.#outputs.element, this.#question.element);
    this.element.addEventListener('keydown', event => host.key(this, event));
    this.#shown.addEventListener('dblclick', () => this.edit());
    this.#outputs.restore(outputs, folded);
    this.#showType();
    if (type === 'markdown' && code.trim()) this.render();
    this.#show();
  }

  #makeEditor(code) {
    const act = action => () => { action(); return true; };
    return new EditorView({state: EditorState.create({doc: code, extensions: [
      Prec.highest(keymap.of([
        {key: 'Shift-Enter', run: act(() => this.#host.run(this, 'advance'))},
        {key: 'Mod-Enter', run: act(() => this.#host.run(this))},
        {key: 'Alt-Enter', run: act(() => this.#host.run(this, 'insert'))},
        {key: 'Mod-s', run: act(() => this.#host.saveNow())},
      ])),
      this.#language.of(this.#languageExtensions), editing,
      // after the editor's own use of Escape; leaving it this way lets Tab move on
      Prec.lowest(keymap.of([{key: 'Escape', run: act(() => this.focus())}])),
      EditorView.domEventHandlers({blur(_, view) { view.scrollDOM.scrollLeft = 0; }}),
      EditorView.updateListener.of(update => { if (update.docChanged) this.#host.edited(); }),
    ]})});
  }

  get #languageExtensions() {
    const markdown = this.type === 'markdown';
    return [
      EditorView.contentAttributes.of({tabindex: '-1', 'aria-label': markdown ? 'Text (Markdown)' : 'Code', 'aria-description': 'Escape leaves it, then Tab moves on.'}), placeholder(markdown ? 'Text, with **Markdown**' : 'Python'),
      markdown ? EditorView.lineWrapping : [editorHelp((kind, place) => this.#host.ask(kind, place)), pythonEditing, lineNumbers()],
    ];
  }

  get code() { return this.#editor.state.doc.toString(); }

  /** The cursor goes to its end. */
  set code(code) {
    const {state} = this.#editor, insert = state.toText(code);
    this.#editor.dispatch({changes: {from: 0, to: state.doc.length, insert}, selection: {anchor: insert.length}});
  }

  set number(number) { this.element.setAttribute('aria-label', `${this.type === 'markdown' ? 'Text' : 'Cell'} ${number}. Enter edits it.`); }

  /** Whether its Markdown is shown in place of its editor. */
  get rendered() { return !this.#shown.hidden; }

  /** Show the Markdown. */
  render() {
    showMarkdown(this.#shown, this.code);
    this.#setRendered(true);
  }

  #setRendered(rendered) {
    this.#shown.hidden = !rendered;
    this.element.classList.toggle('rendered', rendered);
    this.#showType();
  }

  /** Make it a cell of `type`, code or markdown; its text and its outputs stay. */
  turn(type) {
    if (type === this.type) return;
    this.type = type;
    this.#editor.dispatch({effects: this.#language.reconfigure(this.#languageExtensions)});
    this.#setRendered(false);
    this.#host.edited();
  }

  #showType() {
    const markdown = this.type === 'markdown';
    this.element.dataset.type = this.type;
    this.#typeButton.textContent = markdown ? 'Code' : 'Text';
    this.#typeButton.title = markdown ? 'Make this a cell of code (y)' : 'Make this a cell of text (m)';
    this.#typeButton.setAttribute('aria-label', this.#typeButton.title);
    this.#runButton.textContent = !markdown ? 'Run' : this.rendered ? 'Edit' : 'Show';
    this.#runButton.title = !markdown ? 'Run this cell (Ctrl+Enter)' : this.rendered ? 'Edit this text (Enter)' : 'Show this text (Ctrl+Enter)';
  }

  get editing() { return this.#editor.hasFocus; }

  get answer() { return this.#outputs.answer; }

  /** Put the cursor into it, and it into sight: an editor takes the focus where it is. */
  edit() {
    if (this.rendered) { this.#setRendered(false); this.measure(); }
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
    closeCompletion(this.#editor);   // or it would open over what the run shows
    this.#outputs.clear();
    this.run = {id: null, token, since: null};
    this.#set({state: 'running', count: null, seconds: null, message: ''});
  }

  resume() {
    this.#replaying = true;
    this.#set({state: 'running', message: ''});
  }

  receive(event) {
    if (event.event === 'run') { this.run.id = event.run_id; this.#host.saved(this); return; }
    if (event.event === 'connection') { this.#lost = event.lost; this.#show(); return; }
    if (event.event === 'status') { this.#tell(event); return; }
    if (event.event === 'input_request') { this.#question.ask(event); this.#show(); return; }
    if (event.event === 'input_ended') { this.#endQuestion(); return; }
    if (this.#replaying) { this.#replaying = false; this.#outputs.clear(); }
    if (event.event === 'update_display_data') this.#host.updateDisplay(event.output);
    else this.#outputs.apply(event);
    if (event.output?.output_type === 'error' && PROMPT_PATHS.test(event.output.evalue)) this.message = 'The agent prompt’s paths: here, /home/user/input is ../input and /workdir is the notebook’s own folder.';
    this.#host.saved(this);
  }

  #tell(event) {
    const running = event.status === 'running';
    // the place in line stands above the cells
    this.#progress = running ? '' : event.status === 'waiting' ? 'in line' : event.message || event.status;
    if (running) {
      this.run.since ??= Date.now();
      if (event.message) this.message = event.message;
      this.#host.saved(this);
    }
    this.#show();
  }

  #tick() {
    const since = this.state === 'running' ? this.run?.since : null;
    if (!since) {
      clearInterval(this.#ticking);
      this.#ticking = 0;
      this.#clock.textContent = '';
      return;
    }
    this.#ticking ||= setInterval(() => this.#tick(), 1000);
    const passed = Math.max(0, Math.floor((Date.now() - since) / 1000));
    this.#clock.textContent = passed < 1 ? '' : passed < 100 ? `${passed} s` : minutes(passed);
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
    const message = [this.message, done.message].filter(Boolean).join('\n');
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
    const running = this.state === 'running';
    rest(this.#runButton, busy && !running);
    if (this.type === 'code') this.#runButton.textContent = running ? 'Stop' : 'Run';
    if (running) this.#runButton.setAttribute('aria-label', 'Stop this cell');
    else this.#runButton.removeAttribute('aria-label');
    this.#mark.textContent = busy ? '[*]' : `[${this.count || ' '}]`;
    this.#outputs.label = this.count ? `Output of run ${this.count}` : 'Output';
    const took = this.seconds === null || busy ? '' : `${TOOK[this.state] ?? '·'} ${seconds(this.seconds)}`;
    const progress = this.#question.open ? 'asks you' : this.#progress;
    this.#status.textContent = [(busy && progress) || STATES[this.state] || '', took].filter(Boolean).join(' ');
    this.#tick();
    this.#notice.textContent = this.#lost ? 'Connection lost; the cell goes on running. Trying again…' : this.message;
    this.#notice.hidden = !this.#notice.textContent;
    this.#notice.className = `notice small ${this.#lost || ['stopped', 'refused', 'lost'].includes(this.state) ? 'warn' : this.state === 'died' ? 'bad' : ''}`;
  }

  /** What a reload needs: code apart from outputs, which are saved under their own key. */
  save() {
    const {id, type, code, state, count, seconds, message, run} = this;
    return {id, type, code, folded: this.#outputs.folded, state, count, seconds, message, run};
  }

  saveOutputs() { return this.#outputs.save(OUTPUT_LIMIT); }

  /** What a notebook file has of it: outputs whole. */
  get whole() {
    const {id, type, code, count} = this;
    return {id, type, code, count, folded: this.#outputs.folded, outputs: this.#outputs.save(Infinity).outputs};
  }

  toggleOutput() { this.#outputs.toggleFold(); }

  destroy() {
    clearInterval(this.#ticking);
    this.#editor.destroy();
    this.element.remove();
  }
}
