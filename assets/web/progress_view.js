// The visitor's own progress, by split and tier, and the file that carries it to another browser.
import {progress} from './progress.js';
import {count, h, workbench} from './workbench.js';

const percent = (part, all) => `${all ? 100 * part / all : 0}%`;
const sum = (cells, at) => cells.reduce((all, cell) => all + cell[at], 0);

export function progressView(server) {
  const words = h('span', {class: 'muted'});
  const whole = h('span', {class: 'bar', 'aria-hidden': 'true'});
  const table = h('table', {'aria-label': 'Solved tasks'});
  const note = h('p', {class: 'small muted', role: 'status'});
  const file = h('input', {type: 'file', accept: '.json,application/json', class: 'visually-hidden', tabindex: -1, 'aria-hidden': 'true'});
  const button = (label, onclick) => h('button', {type: 'button', class: 'btn', onclick}, label);
  const undo = button('Undo import', undoImport);
  undo.hidden = true;
  const unkept = h('p', {class: 'notice warn', hidden: true},
    'This browser keeps nothing for this page: your marks last until it is closed. Export them before you leave.');
  const view = h('details', {class: 'progress'}, h('summary', {class: 'small'}, h('b', {}, 'Your progress'), ' ', words, whole),
    unkept, table, h('p', {class: 'small muted'}, 'Solved / all. Solved: an answer was graded right. Tried: graded wrong so far. Kept in this browser alone.'),
    h('div', {class: 'row'}, button('Export', exportFile), button('Import', () => file.click()), undo, file), note);

  let asked = 0, undoLast = null;

  async function refresh() {
    const mine = ++asked;
    unkept.hidden = progress.kept;
    if (!progress.any && !view.open) { words.textContent = 'nothing solved yet'; bar(whole, 0, 0, 1); return; }
    const answer = await server.progress({solved: progress.solved, attempted: progress.attempted}).catch(() => null);
    if (mine !== asked) return;
    if (!answer) { words.textContent = 'not counted: the app did not answer'; return; }
    draw(answer);
  }

  function draw({tiers, splits}) {
    const every = splits.flatMap(([, cells]) => cells);
    const [solved, tried, all] = [0, 1, 2].map(at => sum(every, at));
    words.textContent = `${count(solved)} of ${count(all)} solved${tried ? `, ${count(tried)} tried` : ''}`;
    bar(whole, solved, tried, all);
    table.replaceChildren(h('thead', {}, h('tr', {}, ['Split', ...tiers].map(each => h('th', {scope: 'col'}, each)))),
      h('tbody', {}, splits.map(([split, cells]) => h('tr', {}, h('th', {scope: 'row'}, split), cells.map(([done, begun, tasks]) => {
        const line = h('span', {class: 'bar', 'aria-hidden': 'true'});
        bar(line, done, begun, tasks);
        return h('td', {}, tasks ? `${count(done)} / ${count(tasks)}` : '–', begun > 0 && h('span', {class: 'visually-hidden'}, `, ${count(begun)} tried`), line);
      })))));
  }

  function bar(line, solved, tried, all) {
    const parts = [['solved', solved], ['tried', tried]].map(([name, tasks]) => {
      const part = h('span', {class: name});
      part.style.width = percent(tasks, all);
      return part;
    });
    line.replaceChildren(...parts);
  }

  function exportFile() {
    const address = URL.createObjectURL(new Blob([progress.toFile()], {type: 'application/json'}));
    h('a', {href: address, download: `progress-${new Date().toISOString().slice(0, 10)}.json`}).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  }

  file.addEventListener('change', async () => {
    const [chosen] = file.files;
    if (!chosen) return;
    try {
      const {changed, undo: undoThis} = progress.merge(await chosen.text());
      undoLast = undoThis;
      undo.hidden = !changed;
      note.textContent = changed ? `Imported ${chosen.name}: ${count(changed)} ${changed === 1 ? 'task' : 'tasks'} marked.` : `${chosen.name} holds nothing new.`;
    } catch (error) {
      note.textContent = `${chosen.name} was not imported. ${error.message} Your marks are as they were.`;
    }
    file.value = '';   // so that the same file can be chosen again
  });

  function undoImport() {
    undoLast?.();
    undo.hidden = true;
    note.textContent = 'The import was undone.';
    view.querySelector('summary').focus();
  }

  view.addEventListener('toggle', () => { if (view.open) refresh(); });
  let waiting = 0;
  progress.addEventListener('change', () => { clearTimeout(waiting); waiting = setTimeout(refresh, 50); });
  workbench.addEventListener('source', refresh);
  refresh();
  return view;
}
