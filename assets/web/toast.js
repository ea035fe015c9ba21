// A short word at the foot of the window, with one thing to do about it.
import {h} from './workbench.js';

const SHOWN = 12_000;  // ms, and for as long as the pointer or the focus is on it

export class Toast {
  #said = h('span', {role: 'status'});
  #button = h('button', {type: 'button', class: 'btn'});
  element = h('div', {class: 'toast'}, this.#said, this.#button,
    h('button', {type: 'button', class: 'btn quiet', 'aria-label': 'Close', onclick: () => this.hide()}, '✕'));
  #timer = 0;
  #act = null;

  constructor() {
    this.#button.addEventListener('click', () => { this.hide(); this.#act?.(); });
    this.element.addEventListener('pointerenter', () => clearTimeout(this.#timer));
    this.element.addEventListener('focusin', () => clearTimeout(this.#timer));
    this.element.addEventListener('pointerleave', () => this.#later());
    this.element.addEventListener('focusout', () => this.#later());
  }

  show(sentence, label = '', act = null) {
    this.#said.textContent = sentence;
    this.#button.textContent = label;
    this.#button.hidden = !label;
    this.#act = act;
    this.element.classList.add('shown');
    this.#later();
  }

  hide() {
    clearTimeout(this.#timer);
    this.element.classList.remove('shown');
    this.#said.textContent = '';
  }

  #later() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.hide(), SHOWN);
  }
}
