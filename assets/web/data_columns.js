// What is done with a column: its menu, and the list from which columns of a wide table are chosen.
import {pythonRepr, visible} from './data_names.js';
import {copy, count, h} from './workbench.js';

const OPERATIONS = {contains: 'contains', equals: 'equals', not_equals: 'is not', less: 'is less than', more: 'is more than', missing: 'is missing to pandas', filled: 'has a value'};
const VALUELESS = ['missing', 'filled'];
const LISTED = 300;

export const isNumber = dtype => /^(u?int|float|double|decimal)/.test(dtype);

/** Whether sorting and filters from elsewhere can be those of a table with so many columns. */
export function viewFits(view, columns) {
  const each = (all, right) => Array.isArray(all) && all.every(one => Number.isInteger(one?.column) && one.column >= 0 && one.column < columns && right(one));
  return each(view?.sort, () => true) && each(view.filters, ({op, value}) => Object.hasOwn(OPERATIONS, op) && typeof value === 'string');
}

/** The view sorted by a column; `descending` null for no sorting, and not given for the next of ascending, descending, none. */
export function sortedBy(view, column, descending) {
  const now = view.sort.find(each => each.column === column)?.descending;
  const wanted = descending !== undefined ? descending : now === undefined ? false : now ? null : true;
  return {...view, sort: wanted === null ? [] : [{column, descending: wanted}]};
}

export const filterInWords = ({op, value}) => VALUELESS.includes(op) ? OPERATIONS[op] : `${OPERATIONS[op]} ${visible(value)}`;

/** A box that opens below `button` and goes when one clicks elsewhere or presses Escape. */
function popover(label, closed) {
  const element = h('div', {class: 'data-popover card', popover: 'auto', role: 'dialog', 'aria-label': label});
  element.addEventListener('toggle', event => { if (event.newState === 'closed') closed?.(); });
  // Tab goes round in the box, and so do arrows, over its buttons alone: what lies under it is not reached while it is open.
  element.addEventListener('keydown', event => {
    const step = event.key === 'Tab' ? (event.shiftKey ? -1 : 1) : document.activeElement.tagName === 'BUTTON' && {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (!step) return;
    const all = [...element.querySelectorAll(event.key === 'Tab' ? 'button, input, select' : 'button')].filter(each => each.offsetParent && !each.disabled);
    const next = all.at((all.indexOf(document.activeElement) + step) % all.length);
    event.preventDefault();
    next?.focus();
  });
  return {
    element,
    open(button) {
      element.showPopover();
      const {left, bottom, top} = button.getBoundingClientRect();
      const {offsetWidth: width, offsetHeight: height} = element;
      element.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
      element.style.top = `${bottom + height + 8 < innerHeight ? bottom + 4 : Math.max(8, top - height - 4)}px`;
    },
    close() { element.hidePopover(); },
  };
}

/** The menu of a column. `act`: sort(column, descending | null), filter(column, op, value), profile(column), hide(column), closed(). */
export function columnMenu(act) {
  const box = popover('Column', act.closed);

  function open(number, column, view, button) {
    const sorted = view.sort.find(each => each.column === number);
    const done = what => () => { box.close(); what(); };
    const item = (label, what, pressed) => h('button', {type: 'button', class: 'btn quiet', 'aria-pressed': pressed === undefined ? null : String(pressed), onclick: done(what)}, label);
    const filter = view.filters.find(each => each.column === number);
    const first = filter?.op ?? (isNumber(column.dtype) ? 'equals' : 'contains');
    const op = h('select', {'aria-label': 'Condition', onchange: () => { value.hidden = VALUELESS.includes(op.value); }},
      Object.entries(OPERATIONS).map(([name, label]) => h('option', {value: name, selected: name === first}, label)));
    const value = h('input', {type: 'text', 'aria-label': 'Value', value: filter?.value ?? '', placeholder: 'value', hidden: VALUELESS.includes(filter?.op)});
    const form = h('form', {class: 'row', onsubmit: event => { event.preventDefault(); box.close(); act.filter(number, op.value, value.hidden ? '' : value.value); }},
      op, value, h('button', {type: 'submit', class: 'btn'}, 'Filter'));
    const copyName = h('button', {type: 'button', class: 'btn quiet', onclick: () => copy(pythonRepr(column.name), copyName)}, 'Copy name as Python');
    box.element.replaceChildren(h('p', {class: 'mono'}, column.name ? pythonRepr(column.name) : '(no name)'), column.summary && h('p', {class: 'small muted'}, column.summary),
      h('div', {class: 'menu-items'}, item('Sort ascending', () => act.sort(number, false), sorted?.descending === false), item('Sort descending', () => act.sort(number, true), sorted?.descending === true),
        sorted && item('No sorting', () => act.sort(number, null))),
      form,
      h('div', {class: 'menu-items'}, copyName, item('Profile and chart', () => act.profile(number)), item('Hide this column', () => act.hide(number))));
    box.open(button);
    box.element.querySelector('button').focus();
  }

  return {element: box.element, open, close: box.close};
}

/** The list of columns: tick those to show, go to one. `act`: changed(), go(column). */
export function columnChooser(act) {
  const box = popover('Columns', act.closed);
  const search = h('input', {type: 'search', 'aria-label': 'Search columns', placeholder: 'Search columns', oninput: () => list()});
  const items = h('ul', {class: 'column-list'});
  const more = h('p', {class: 'small muted'});
  const all = shown => () => { for (const number of found()) hidden[shown ? 'delete' : 'add'](number); list(); act.changed(); };
  box.element.append(search, h('div', {class: 'row'}, h('button', {type: 'button', class: 'btn', onclick: all(true)}, 'Show these'), h('button', {type: 'button', class: 'btn', onclick: all(false)}, 'Hide these')), items, more);
  let columns = [], hidden = new Set();

  function found() {
    const wanted = search.value.toLowerCase();
    return columns.map((_, number) => number).filter(number => columns[number].name.toLowerCase().includes(wanted));
  }

  function list() {
    const numbers = found();
    items.replaceChildren(...numbers.slice(0, LISTED).map(number => {
      const name = visible(columns[number].name) || `(no name, column ${number + 1})`;
      const tick = h('input', {type: 'checkbox', checked: !hidden.has(number), 'aria-label': `Show ${name}`, onchange: () => { hidden[tick.checked ? 'delete' : 'add'](number); act.changed(); }});
      return h('li', {class: 'row'}, tick, h('button', {type: 'button', class: 'btn quiet mono', onclick: () => { hidden.delete(number); box.close(); act.changed(); act.go(number); }}, name));
    }));
    more.textContent = numbers.length > LISTED ? `and ${count(numbers.length - LISTED)} more: search for them` : numbers.length ? '' : 'No column has this in its name.';
  }

  return {
    element: box.element,
    open(button, theirs, away) { columns = theirs; hidden = away; search.value = ''; list(); box.open(button); search.focus(); },
  };
}
