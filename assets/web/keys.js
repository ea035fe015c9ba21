// The keys of the page: every one in a dialog, and letters that act where nothing is typed into.
import {recall, remember} from './remembered.js';
import {h, workbench} from './workbench.js';

const mac = /Mac|iP(hone|ad)/.test(navigator.platform);
const command = mac ? '⌘' : 'Ctrl';

const KEYS = [
  ['In the editor', [
    ['Shift+Enter', 'run, go to the next cell'], [`${command}+Enter`, 'run, stay'], ['Alt+Enter', 'run, add a cell below'],
    ['Tab', 'complete, or indent'], ['Shift+Tab', 'documentation, or indent less'],
    [`${command}+Z · ${mac ? '⌘+Shift+Z' : 'Ctrl+Y'}`, 'undo · redo what was typed'],
    [`${command}+S`, 'save now'], ['Esc', 'leave the editor; Tab then moves on'],
  ]],
  ['On a cell', [
    ['Enter', 'edit it'], ['Shift+Enter · Alt+Enter', 'run it, as above'], ['↑ ↓ or k j', 'other cell'], ['Alt+↑ ↓', 'move it'],
    ['a · b', 'add a cell above · below, and edit it'], ['d d', 'delete it'], ['i i', 'stop the running cell'], ['z', 'undo a delete, step by step'],
    ['m · y', 'make it text (Markdown) · code'], ['o', 'hide or show its output'],
  ]],
  ['In the list of tasks', [['↑ ↓', 'other task'], ['Enter', 'open it, and go to its question'], ['Space', 'open it, and stay in the list']]],
  ['On the page, outside cells and fields', [['j · k', 'next · previous task'], ['/', 'to the search'], ['d', 'to the data'], ['n', 'to the notebook; Enter there edits the cell'], ['g', 'to your answer; Enter there grades it'], ['?', 'this help']]],
  ['In the table', [['← ↑ → ↓', 'other cell'], ['Enter', 'the whole cell; at a name, the column’s menu'], ['Shift+← →', 'narrower · wider column'], [`${command}+C`, 'copy the cell']]],
];

const NAME = 'letter_keys';

// Dictation and slips of the hand type letters too: they can be turned off.
const lettersAreKeys = () => recall(NAME) !== false;

const TYPED_IN = 'input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable=true], [role=textbox], dialog';

/** Call `acts[letter]` when a letter is typed on the page, in either case, while tasks are shown. */
export function onLetters(acts) {
  document.addEventListener('keydown', event => {
    const act = acts[event.key.toLowerCase()];
    if (!act || !lettersAreKeys() || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (workbench.view || event.target.closest?.(TYPED_IN)) return;
    event.preventDefault();
    act();
  });
}

export class KeysHelp {
  #close = h('button', {type: 'button', class: 'btn', onclick: () => this.element.close()}, 'Close');
  #letters = h('input', {type: 'checkbox', checked: lettersAreKeys(), onchange: event => remember(NAME, event.target.checked ? null : false)});
  element = h('dialog', {class: 'nb-keys', 'aria-labelledby': 'nb-keys-title'},
    h('div', {class: 'row spread'}, h('h3', {id: 'nb-keys-title'}, 'Keys'), this.#close),
    h('div', {class: 'nb-keys-groups'}, KEYS.map(([title, keys]) => h('section', {}, h('h4', {}, title),
      h('dl', {}, keys.flatMap(([key, what]) => [h('dt', {class: 'mono'}, key), h('dd', {}, what)]))))),
    h('label', {class: 'row small'}, this.#letters, 'Single letters are keys (j, k, d, n, g, / and ? on the page)'));

  constructor() {
    // a click beside it
    this.element.addEventListener('click', event => { if (event.target === this.element) this.element.close(); });
  }

  open() { if (!this.element.open) this.element.showModal(); }
}
