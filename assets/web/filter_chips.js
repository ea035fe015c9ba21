// The filters in use, each with a button that takes it away.
import {h} from './workbench.js';

const NAMES = {q: 'Search', split: 'Split', tier: 'Tier', mode: 'Reward mode', level: 'Level', dataset: 'Dataset',
  file_type: 'File type', package_tier: 'Packages', order: 'Order', unsolved: 'Unsolved only'};

/** The list of chips; `remove(name)` takes one filter away, `clear()` all of them. Hidden while there are none. */
export function filterChips(remove, clear) {
  const list = h('ul', {class: 'chips', 'aria-label': 'Active filters', hidden: true});

  let shown = '';

  function show(filters) {
    const names = Object.keys(NAMES).filter(name => filters[name]);
    const next = JSON.stringify(names.map(name => [name, filters[name]]));
    if (next === shown) return;   // a chip in focus stays so
    shown = next;
    list.hidden = !names.length;
    list.replaceChildren(...names.map(name => {
      const words = name === 'unsolved' ? NAMES[name] : `${NAMES[name]}: ${filters[name]}`;
      return h('li', {}, h('button', {type: 'button', class: 'chip', onclick: () => take(name)}, h('span', {class: 'visually-hidden'}, 'Remove filter '),
        h('span', {class: 'chip-words'}, words), h('span', {'aria-hidden': 'true'}, '×')));
    }), h('li', {}, h('button', {type: 'button', class: 'chip clear', onclick: clear}, 'Clear all')));
  }

  function take(name) {
    const at = [...list.children].findIndex(child => child.contains(document.activeElement));
    remove(name);
    const buttons = list.querySelectorAll('button');
    (list.hidden ? null : buttons[Math.min(Math.max(at, 0), buttons.length - 1)])?.focus();
  }

  return {list, show};
}
