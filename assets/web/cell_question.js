// The question a running cell asks (input, getpass, a debugger): its prompt and a box for the answer.
import {TerminalText} from './terminal_text.js';
import {h} from './workbench.js';

let questions = 0;

export class CellQuestion {
  element;
  #send;
  #label = h('label', {class: 'nb-prompt'});
  #box = h('input', {class: 'nb-answer mono', autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', enterkeyhint: 'send', maxlength: 100_000});
  #button = h('button', {type: 'submit', class: 'btn'}, 'Send');

  /** `send(text)` resolves when the cell has the answer, and throws an Error whose message is for people; `leave()` is Escape. */
  constructor(send, leave) {
    this.#send = send;
    this.#box.id = `nb-question-${questions += 1}`;
    this.#label.htmlFor = this.#box.id;
    this.element = h('form', {class: 'nb-question', hidden: true, onsubmit: event => { event.preventDefault(); this.#answer(); }},
      this.#label, h('div', {class: 'nb-answer-row'}, this.#box, this.#button));
    this.#box.addEventListener('keydown', event => { if (event.key === 'Escape') leave(); });
  }

  get open() { return !this.element.hidden; }

  ask({prompt, password}) {
    const text = new TerminalText(prompt);
    this.#label.replaceChildren(text.plain.trim() ? text.element : password ? 'The cell asks for a password' : 'The cell asks for input');
    this.#box.type = password ? 'password' : 'text';
    this.#box.value = '';
    this.#wait(false);
    this.#say('');
    this.element.hidden = false;
    // who types elsewhere on the page goes on typing
    const other = document.activeElement;
    const away = other?.matches('input, textarea, select, [contenteditable=true]') && !other.closest('.notebook');
    if (away) return;
    this.#box.focus();
    this.element.scrollIntoView({block: 'nearest'});
  }

  /** The cell waits no more. Tells whether the box had the focus. */
  close() {
    const had = this.element.contains(document.activeElement);
    this.element.hidden = true;
    this.#box.value = '';
    return had;
  }

  async #answer() {
    if (this.#box.readOnly) return;
    this.#wait(true);
    this.#say('');
    try {
      await this.#send(this.#box.value);
    } catch (error) {
      this.#wait(false);
      this.#say(error.message);
    }
  }

  #wait(waiting) { this.#box.readOnly = this.#button.disabled = waiting; }

  #say(problem) {
    this.element.querySelector('.notice')?.remove();
    if (problem) this.element.append(h('p', {class: 'notice warn small', role: 'alert'}, problem));
  }
}
