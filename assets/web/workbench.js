// What all panes share: building elements from data, the address bar, and the chosen task.
import {recall, remember} from './remembered.js';

/** Build an element. Children that aren't nodes become text, so no value is ever parsed as markup. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'class') element.className = value;
    else if (name === 'value') element.value = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat().filter(child => child !== null && child !== undefined && child !== false));
  return element;
}

/** A pane's heading, which folds the pane away and back; how it was left is remembered. */
export function heading(pane, title) {
  const name = `folded.${pane.classList[1]}`;
  const button = h('button', {type: 'button', class: 'fold-pane', 'aria-label': `${title} pane`, title: 'Fold away or back', onclick: () => fold(!pane.classList.contains('folded'))}, title);
  function fold(folded) {
    pane.classList.toggle('folded', folded);
    button.setAttribute('aria-expanded', String(!folded));
    remember(name, folded || null);
  }
  fold(recall(name) === true);
  return h('h2', {}, button);
}

/** Open a pane that was folded away. */
export function unfold(pane) {
  const button = pane.querySelector('.fold-pane');
  if (button?.getAttribute('aria-expanded') === 'false') button.click();
}

/** What `text` sets between backticks, as code. */
export const withCode = text => text.split(/`([^`\n]+)`/).map((part, at) => at % 2 ? h('code', {}, part) : part);

/** Have a button do nothing for now. It keeps the focus, which the press that put it to rest gave it, and its place in the order of Tab. */
export const rest = (button, resting) => button.setAttribute('aria-disabled', String(resting));
export const rests = button => button.getAttribute('aria-disabled') === 'true';
document.addEventListener('click', event => { if (event.target.closest('.btn[aria-disabled=true]')) event.stopImmediatePropagation(); }, true);

/** "1,234" */
export const count = number => Number(number).toLocaleString('en-US');

/** "1 row", "1,234 rows" */
export const counted = (number, name) => `${count(number)} ${name}${number === 1 ? '' : 's'}`;

/** "1.2 MB" */
export function bytes(number) {
  if (number === null || number === undefined) return 'size unknown';
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  while (number >= 1000 && unit < units.length - 1) { number /= 1000; unit += 1; }
  return `${unit && number < 100 ? number.toFixed(1) : Math.round(number)} ${units[unit]}`;
}

/** Give the visitor a file. */
export function save(name, blob) {
  const link = h('a', {href: URL.createObjectURL(blob), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Copy text and say so on the button that was pressed. */
export async function copy(text, button) {
  const label = button.textContent;
  button.style.minWidth = `${button.offsetWidth}px`;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'Press Ctrl+C';
    const area = h('textarea', {value: text, class: 'visually-hidden'});
    button.after(area);
    area.select();
    setTimeout(() => area.remove(), 5000);
  }
  setTimeout(() => { button.textContent = label; }, 1500);
}

const LONGEST_WAIT = 2000;   // ms, of the other panes for the first

/** The parameters of the address that say which tasks are listed and in which order. */
export const FILTERS = ['split', 'tier', 'dataset', 'mode', 'level', 'file_type', 'package_tier', 'q', 'order', 'seed', 'unsolved'];

/** What a package tier stands for. */
export const PACKAGES = {0: 'pandas, numpy', 1: 'sklearn, scipy, seaborn too', 2: 'deep learning', 3: 'other'};

/** Those that hold the case in the grader lab. */
export const LAB_FIELDS = ['gold', 'answer', 'reward_mode', 'atol', 'rtol'];

/** The query part of the address, shared by all panes. Inside a Space the parent window mirrors it. */
export const address = {
  get(name) { return new URLSearchParams(location.search).get(name) ?? ''; },
  /** Set or (by an empty value) remove parameters. `push` makes a step that Back returns from. */
  set(values, {push = false} = {}) {
    const next = new URL(location.href);
    for (const [name, value] of Object.entries(values)) {
      if (value) next.searchParams.set(name, value); else next.searchParams.delete(name);
    }
    if (next.href === location.href) return;
    history[push ? 'pushState' : 'replaceState'](history.state, '', next);
    if (window.parent !== window) window.parent.postMessage({queryString: next.search.slice(1)}, 'https://huggingface.co');
  },
};

function storedToken() {
  const key = 'workbench.token';
  let token;
  try { token = sessionStorage.getItem(key); } catch { /* a browser that keeps nothing: the token lives as long as the page */ }
  if (!token) {
    token = Array.from(crypto.getRandomValues(new Uint8Array(24)), byte => byte.toString(16).padStart(2, '0')).join('');
    try { sessionStorage.setItem(key, token); } catch { /* the same */ }
  }
  return token;
}

/**
 * The meeting point of the panes.
 * `choose(id)` asks for a task; the task view fetches it and calls `publish(task)`; every pane that gave a
 * function to `onTask` is then called with it (and at once, when a task is already there).
 * Events: `next` to go on to an unsolved task, `keys` to see every key, `file` (its name) to look at one of the task’s, `graded` `{task_id, outcome}`, `gold` `{task_id, gold}` once the visitor may see it.
 */
class Workbench extends EventTarget {
  token = storedToken();   // this tab's own random name for its kernel
  chosen = address.get('task');  // id asked for
  task = null;             // the task shown, without its gold answer
  near = null;             // its neighbours in the list: {previous, next, position, total}; position null: it is not in it
  notebook = null;         // {busy, insertCell(code), lastOutput() -> {text, label} | null}, set by the notebook pane

  get filters() {
    return Object.fromEntries(FILTERS.map(name => [name, address.get(name)]).filter(([, value]) => value));
  }

  /** '' (the tasks), lab, batch, about or code */
  get view() { return address.get('view'); }

  show(view) {
    address.set({...Object.fromEntries(LAB_FIELDS.map(name => [name, ''])), view}, {push: true});
    this.#showView();
    this.dispatchEvent(new Event('visit'));
  }

  /** Open the grader lab with `{gold, answer, reward_mode, atol, rtol}`, all text, in it. */
  openLab(example) {
    this.show('lab');
    this.dispatchEvent(new CustomEvent('lab', {detail: example}));
    scrollTo({top: 0});
  }

  #begin;
  #turn = new Promise(begin => { this.#begin = begin; setTimeout(begin, LONGEST_WAIT); }).then(() => {
    for (const link of document.querySelectorAll('link[data-later]')) link.rel = 'modulepreload';
  });

  constructor() {
    super();
    window.addEventListener('popstate', () => this.#showView());
    this.#showView();
  }

  #showView() {
    document.documentElement.dataset.view = this.view;
    this.dispatchEvent(new Event('view'));
  }

  /** To be called once what is seen first is there, or can't be had. */
  begun() { requestAnimationFrame(() => setTimeout(this.#begin)); }

  /**
   * Resolves when it is the turn of a pane that is not among the first: they have been painted, or `pane` is in the
   * view asked for. Asked for at once, all panes would wait for each other, at the network and the processor.
   */
  turn(pane) {
    if (this.view && pane.checkVisibility()) return null;
    return this.#turn;
  }

  /** Choose a task as a step that Back returns from. */
  open(id) {
    address.set({task: id}, {push: true});
    this.choose(id);
  }

  choose(id) {
    this.chosen = id;
    document.documentElement.dataset.task = id ? 'some' : 'none';   // as the page's head does at first
    this.dispatchEvent(new CustomEvent('choose', {detail: id}));
  }

  /** The place of the chosen task in a list that is not the one before. */
  placed(near) {
    this.near = near;
    this.dispatchEvent(new Event('placed'));
  }

  publish(task) {
    this.task = task;
    this.dispatchEvent(new CustomEvent('task', {detail: task}));
  }

  onTask(receive) {
    this.addEventListener('task', event => receive(event.detail));
    if (this.task) receive(this.task);
  }
}

export const workbench = new Workbench();
