// The chosen task. Fetches it when a pane asks for one, and gives it to all panes.
import {progress} from './progress.js';
import {recall, remember} from './remembered.js';
import {taskCommands} from './task_commands.js';
import {taskReport} from './task_report.js';
import {PACKAGES, bytes, copy, count, h, rest, withCode, workbench} from './workbench.js';

const ASK_AGAIN = 2000;   // ms, while a file is on its way
const WHAT = 'Each task is a question about a real table, with a gold answer that a deterministic grader checks.';

export function mount(pane, server) {
  let asked = 0;
  const cameByLink = Boolean(workbench.chosen);
  let rounds = 0;   // of asking for the files of the task shown
  let fileList = null;
  let first = recall('welcomed') !== true;   // the first visit, until it knows what this page is for

  async function open(id) {
    const mine = ++asked;
    if (!id) { workbench.publish(null); welcome(); return; }
    pane.setAttribute('aria-busy', 'true');
    let answer;
    try {
      answer = await server.read_task({task_id: id, filters: progress.asked(workbench.filters)});
    } catch {
      answer = {error: 'The task did not load: the app did not answer. Your cells and answers are kept.', retry: true};
    }
    if (mine !== asked) return;
    pane.removeAttribute('aria-busy');
    if (answer.error) {
      workbench.publish(null);
      pane.replaceChildren(h('div', {class: 'card'}, h('h2', {}, 'Task not shown'), h('p', {class: 'notice bad'}, answer.error),
        answer.retry && h('div', {class: 'row'}, h('button', {type: 'button', class: 'btn', onclick: () => open(id)}, 'Try again'))));
      return;
    }
    workbench.near = answer.neighbours;
    const from = document.activeElement;
    show(answer.task);
    workbench.publish(answer.task);
    if (document.activeElement !== from) pane.querySelector('.asked').focus({preventScroll: true});   // it went with the task before
    if (answer.task.files_pending) askFiles(answer.task);
  }

  /** Ask what the Hub knows of the files, and again while one is coming. */
  async function askFiles(task) {
    const mine = asked;
    const round = ++rounds;
    const over = () => mine !== asked || round !== rounds;
    for (;;) {
      let answer;
      try {
        answer = await server.files({task_id: task.task_id});
      } catch {
        answer = {error: 'What the Hub says of the files is not known: the app did not answer.'};
      }
      if (over()) return;
      const were = task.input_files.map(each => each.name).join('\n');
      Object.assign(task, answer.error ? {files_note: answer.error, files_failure: 'offline'} : answer, {files_pending: false, files_were: were});
      showFiles(task);
      workbench.dispatchEvent(new CustomEvent('files', {detail: task}));
      if (!task.input_files.some(each => each.state === 'coming')) return;
      await new Promise(done => { setTimeout(done, ASK_AGAIN); });
      if (over()) return;
    }
  }

  function showFiles(task) {
    const next = filesOf(task);
    next.open = fileList.open || !fileList.querySelector('li');
    fileList.replaceWith(next);
    fileList = next;
  }

  function retryFiles(task) {
    Object.assign(task, {files_pending: true, files_note: '', files_failure: ''});
    showFiles(task);
    askFiles(task);
  }

  function welcome() {
    const step = (title, text) => h('li', {}, h('b', {}, title), ' ', text);
    const note = h('p', {class: 'small muted', role: 'status'});
    const start = h('button', {type: 'button', class: 'btn primary', onclick: () => tryOne(note)}, 'Try a task');
    pane.replaceChildren(first
      ? h('div', {class: 'card welcome'}, h('h2', {}, 'Solve a data task by hand, and see how it is graded'),
        h('p', {}, WHAT),
        h('ol', {class: 'steps'},
          step('Look', 'at the question and its data.'),
          step('Solve', 'it in notebook cells that run in your own Python kernel.'),
          step('Grade', 'your answer and see which rung of the ladder matched, and why.')),
        h('div', {class: 'row'}, start, h('span', {class: 'small muted'}, 'an easy one, or pick any from the list')), note)
      : h('div', {class: 'card'}, h('h2', {}, 'No task is open'), h('p', {}, 'Pick one from the list.'), h('div', {class: 'row'}, start), note));
  }

  /** Open an easy task that isn't solved yet; any other where there is none. */
  async function tryOne(note) {
    note.textContent = '';
    try {
      for (const filters of [{tier: 'easy', order: 'curriculum'}, {order: 'curriculum'}]) {
        const {task_id: id} = await server.pick_task({filters, solved: progress.solved, how: 'next'});
        if (id) { workbench.open(id); return; }
      }
      note.textContent = 'All tasks are solved.';
    } catch {
      note.textContent = 'No task was picked: the app did not answer. Try again.';
    }
  }

  /** For those who come by a link to a task: once, above it. */
  function introduction() {
    if (!first) return null;
    first = false;
    remember('welcomed', true);
    const strip = h('div', {class: 'notice row spread', role: 'note'}, h('span', {}, h('b', {}, 'New here? '), WHAT, ' Solve it in the notebook below, then grade your answer.'),
      h('button', {type: 'button', class: 'btn', onclick: () => strip.remove()}, 'Got it'));
    return cameByLink && strip;
  }

  const neighbour = (label, which, key) => h('button', {type: 'button', class: 'btn', 'aria-keyshortcuts': key, title: `Key ${key}`,
    onclick: () => workbench.open(workbench.near[which])}, label);
  const previous = neighbour('← Previous task', 'previous', 'K');
  const place = h('span', {class: 'small muted'});
  const next = neighbour('Next task →', 'next', 'J');

  function showPlace() {
    const near = workbench.near;
    rest(previous, !near.previous);
    rest(next, !near.next);
    place.textContent = near.position === null ? 'not in this list' : `${count(near.position + 1)} of ${count(near.total)}`;
  }

  const tag = (name, value, kind = '') => h('span', {class: `chip ${kind}`, title: name}, h('span', {class: 'visually-hidden'}, `${name}: `), value);

  function show(task) {
    showPlace();
    const prompt = h('details', {}, h('summary', {}, 'Full agent prompt'),
      h('p', {class: 'small muted'}, 'Here, /home/user/input is ../input and /workdir is the notebook’s own folder.'),
      h('pre', {class: 'mono prompt', tabindex: 0}, task.instruction),
      h('div', {class: 'row'}, h('button', {type: 'button', class: 'btn', onclick: event => copy(task.instruction, event.currentTarget)}, 'Copy prompt')));
    fileList = filesOf(task);
    pane.replaceChildren(h('article', {class: 'card'},
      introduction(),
      h('div', {class: 'row spread'},
        h('span', {class: 'row'}, h('span', {class: 'mono muted'}, task.task_id),
          h('button', {type: 'button', class: 'btn quiet', onclick: event => copy(location.href, event.currentTarget)}, 'Copy link')),
        h('span', {class: 'row'}, previous, place, next)),
      h('h2', {class: 'asked', tabindex: -1}, withCode(task.question)),
      answerAs(task.answer_as),
      task.doubt && h('p', {class: 'notice warn'}, h('b', {}, 'Doubtful gold. '), task.doubt, ' Grade an answer or reveal the gold, and judge for yourself.'),
      h('div', {class: 'row'}, tag('Tier', task.difficulty_tier, task.difficulty_tier), tag('Level', `level ${task.difficulty_level}`),
        tag('Split', task.split), tag('Reward mode', task.reward_mode), tag('Tolerances', `atol ${task.atol} · rtol ${task.rtol}`),
        tag('Packages', `package tier ${task.package_tier}${PACKAGES[task.package_tier] ? `: ${PACKAGES[task.package_tier]}` : ''}`)),
      h('p', {class: 'row small sources'}, task.links.map(link => link.url
        ? h('a', {href: link.url, target: '_blank', rel: 'noopener noreferrer'}, link.label) : h('span', {class: 'muted'}, link.label))),
      fileList, prompt, taskCommands(task.commands), taskReport(task)));
  }

  /** In the prompt's own words where it has some; what the reward mode compares stands beside them. */
  const answerAs = ({asked, derived}) => h('p', {class: 'answer-as'}, h('b', {}, 'Answer as: '), asked || derived,
    h('span', {class: 'small muted'}, asked ? ` (the prompt’s words) · graded as ${derived}` : ' (derived from the reward mode)'));

  function filesOf(task) {
    const all = task.input_files;
    return h('details', {open: all.length <= 4}, h('summary', {}, all.length === 1 ? '1 file' : `${count(all.length)} files`),
      task.files_pending && h('p', {class: 'small muted', role: 'status'}, 'Asking the Hub about them…'),
      task.files_note && h('p', {class: 'small muted'}, task.files_note),
      task.files_failure && h('button', {type: 'button', class: 'btn', onclick: () => retryFiles(task)}, 'Try again'),
      h('ul', {class: 'files'}, all.map(file => h('li', {},
        h('button', {type: 'button', class: 'mono', title: 'Show it in the Data pane', onclick: () => workbench.dispatchEvent(new CustomEvent('file', {detail: file.name}))}, file.name),
        h('span', {class: 'muted small'}, [file.size !== null && bytes(file.size), stateOf(file)].filter(Boolean).join(' · '))))));
  }

  function stateOf(file) {
    const changed = file.changed && `changed on the Hub, seen on ${file.changed}: answers may be of the earlier one`;
    const state = file.state === 'coming' ? `coming, ${bytes(file.done)} are here` : file.state === 'missing' ? file.missing
      : file.state === 'on the Hub' ? 'on the Hub' : '';
    return [state, changed].filter(Boolean).join(' · ');
  }

  workbench.addEventListener('placed', showPlace);
  for (const news of ['fetching', 'fetched']) workbench.addEventListener(news, () => { if (workbench.task) askFiles(workbench.task); });
  /** On a phone the list fills the screen, elsewhere what was open may have been scrolled. Until the task is there, the page may be too short to bring it to the top. */
  const bring = () => { if (matchMedia('(max-width: 799px)').matches || pane.getBoundingClientRect().top < 0) pane.scrollIntoView({block: 'start'}); };

  workbench.addEventListener('choose', event => {
    if (event.detail) bring();
    open(event.detail).then(() => { if (event.detail && event.detail === workbench.chosen) bring(); });
  });
  open(workbench.chosen).then(() => { if (workbench.task && !scrollY) bring(); });
}
