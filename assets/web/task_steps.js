// From one task to another: by key, at random, from easiest to hardest, and back to those opened lately.
import {onLetters} from './keys.js';
import {progress} from './progress.js';
import {h, withCode, workbench} from './workbench.js';

/** `rows()` are the rows of the list now shown. The result is what goes above the list, and what goes below it. */
export function taskSteps(server, rows) {
  const note = h('p', {class: 'small muted', role: 'status'});
  const button = (label, title, onclick) => h('button', {type: 'button', class: 'btn', title, onclick}, label);
  const random = button('Random unsolved', 'Any task of this list that you have not solved', () => pick('random'));
  const next = button('Next unsolved', 'The next task of this list, in its order, that you have not solved', () => pick('next'));
  const recentList = h('ul', {});
  const recent = h('details', {class: 'recent'}, h('summary', {class: 'small'}, h('b', {}, 'Recently opened')), recentList);

  let asked = 0;

  async function pick(how) {
    const mine = ++asked;
    note.textContent = '';
    let answer;
    try {
      answer = await server.pick_task({filters: workbench.filters, solved: progress.solved, task_id: workbench.chosen, how});
    } catch {
      if (mine === asked) note.textContent = 'No task was picked: the app did not answer. Try again.';
      return;
    }
    if (mine !== asked) return;
    if (answer.task_id) workbench.open(answer.task_id);
    else note.textContent = 'No other unsolved task fits these filters.';
  }

  function step(by) {
    const listed = rows();
    const at = listed.findIndex(row => row.task_id === workbench.chosen);
    const near = workbench.task?.task_id === workbench.chosen ? workbench.near : null;
    const beside = at >= 0 ? listed[at + by]?.task_id : null;   // there at once, however fast the key is pressed
    const id = workbench.chosen ? beside ?? (by > 0 ? near?.next : near?.previous) : listed[0]?.task_id;
    note.textContent = id || !near ? '' : near.position === null ? 'The open task is not in this list.' : by > 0 ? 'This is the last task of the list.' : 'This is the first task of the list.';
    if (id) workbench.open(id);
  }

  onLetters({j: () => step(1), k: () => step(-1)});
  workbench.addEventListener('next', () => pick('next'));

  function showRecent() {
    recent.hidden = !progress.recent.length;
    recentList.replaceChildren(...progress.recent.map(({task_id: id, question}) => {
      const link = new URL(location.href);
      link.searchParams.set('task', id);
      return h('li', {}, h('a', {href: link.href, 'aria-current': id === workbench.chosen ? 'true' : null, onclick: event => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        workbench.open(id);
      }}, withCode(question)), h('span', {class: 'mono muted'}, id));
    }));
  }

  recent.addEventListener('toggle', () => { if (recent.open) showRecent(); });
  progress.addEventListener('change', showRecent);
  showRecent();
  return {above: h('div', {class: 'steps-row'}, h('div', {class: 'row'}, random, next), note), below: recent};
}
