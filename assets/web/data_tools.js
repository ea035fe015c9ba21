// The tools over the table: find, jump to a row, and the sorting and filters in force as chips.
import {filterInWords} from './data_columns.js';
import {visible} from './data_names.js';
import {count, counted, h} from './workbench.js';

/** `act`: find(text, backwards, counting) gives a promise of the answer, and goes there unless it is for counting; jump(row from 1) a sentence when there is none. */
export function findTools(act) {
  const found = h('span', {class: 'small muted', role: 'status'});
  const text = h('input', {type: 'search', 'aria-label': 'Find in file', placeholder: 'Find in file (Enter)', onkeydown: event => {
    if (event.key === 'Enter') { event.preventDefault(); go(event.shiftKey); }
  }, oninput: leave});
  const step = (label, title, backwards) => h('button', {type: 'button', class: 'btn', title, 'aria-label': title, onclick: () => go(backwards)}, label);
  const row = h('input', {type: 'text', inputmode: 'numeric', 'aria-label': 'Go to row', placeholder: 'Row', class: 'to-row', onkeydown: event => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    const number = Number(row.value.replace(/[\s,]/g, ''));
    leave();
    found.textContent = Number.isInteger(number) && number > 0 ? act.jump(number) ?? '' : 'Type the number of a row, from 1.';
  }});
  let asked = 0, looking = false, steps = Promise.resolve();

  function leave() {
    asked += 1;
    looking = false;
    found.textContent = '';
  }

  /** Each step starts where the one before it ended. */
  function go(backwards, counting = false) {
    const [mine, wanted] = [asked, text.value];
    if (!wanted) return;
    looking = true;
    found.textContent = 'Looking…';
    steps = steps.then(() => mine === asked && look(wanted, backwards, counting, mine));
  }

  async function look(wanted, backwards, counting, mine) {
    const answer = await act.find(wanted, backwards, counting);
    if (mine !== asked) return;
    const place = counting ? '' : `${count(answer.place)} of `;
    if (answer.error) found.textContent = answer.error;
    else if (answer.row === null) found.textContent = 'Not in these rows.';
    else found.textContent = `${place}${answer.exact ? '' : 'at least '}${count(answer.count)} cell${answer.count === 1 ? '' : 's'}${answer.filtered ? ' of these rows' : ''}`;
  }

  return {
    elements: [h('div', {class: 'find row'}, text, step('↑', 'Find previous', true), step('↓', 'Find next', false)), row],
    found,
    leave,
    /** Rows stand in another order, or other ones: what is looked for is counted in them, and Enter begins at their top. */
    again() {
      if (!looking) return;
      asked += 1;
      go(false, true);
    },
    clear() { leave(); text.value = row.value = ''; },
  };
}

/** The sorting and filters in force. `change(view)` takes one away. */
export function viewChips(change) {
  const element = h('p', {class: 'row chips', hidden: true});
  const live = h('p', {class: 'visually-hidden', role: 'status'});
  const chip = (text, without) => h('button', {type: 'button', class: 'chip', 'aria-label': `Remove: ${text}`, onclick: () => change(without)}, text, ' ✕');
  const nameOf = (columns, number) => visible(columns[number].name) || `column ${number + 1}`;
  return {
    element, live,
    show({view, columns, total, all, exact, plain}, hidden, showAll) {
      const found = total === null ? 'Looking through the whole file…' : `${count(total)} of ${exact ? '' : 'about '}${count(all)} rows`;
      const said = plain ? '' : [...view.sort.map(each => `Sorted by ${nameOf(columns, each.column)}${each.descending ? ', descending' : ''}.`), found].join(' ');
      if (live.textContent !== said) live.textContent = said;
      element.hidden = plain && !hidden;
      element.replaceChildren(...[
        ...view.sort.map(each => chip(`sorted by ${nameOf(columns, each.column)}${each.descending ? ', descending' : ''}`, {...view, sort: view.sort.filter(other => other !== each)})),
        ...view.filters.map(each => chip(`${nameOf(columns, each.column)} ${filterInWords(each)}`, {...view, filters: view.filters.filter(other => other !== each)})),
        hidden > 0 && h('button', {type: 'button', class: 'chip', 'aria-label': `Show ${counted(hidden, 'hidden column')}`, onclick: showAll}, `${counted(hidden, 'hidden column')} ✕`),
        !plain && h('span', {class: 'small muted'}, found),
      ].filter(Boolean));
    },
  };
}
