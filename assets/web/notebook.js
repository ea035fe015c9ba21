// The notebook pane: the chosen task's cells, the kernel's state, and the queue of runs.
import {KernelClient} from './kernel_client.js';
import {fileButtons} from './notebook_files.js';
import {KeysHelp, onLetters} from './keys.js';
import {watchOtherTabs} from './other_tabs.js';
import {RunQueue} from './run_queue.js';
import {TaskNotebook} from './task_notebook.js';
import {Toast} from './toast.js';
import {toolbar} from './toolbar.js';
import {VariablesPane} from './variables_pane.js';
import {h, heading, rest, rests, unfold, workbench} from './workbench.js';

const OPEN_NOTEBOOKS = 6;      // kept whole while other tasks are looked at; the rest come back from storage
const DRAWN = [50, 300, 1000]; // ms after a run, by when its outputs may have their height
const ASK_EVERY = 15_000;      // ms between questions for the kernel's state

const KERNEL = {
  none: ['Not started', 'One starts with the first cell you run.'],
  starting: ['Starting', 'The kernel is starting.'],
  idle: ['Ready', 'The kernel waits for a cell.'],
  elsewhere: ['Another task’s', 'It holds the variables of the task you were at before. A cell run here starts a fresh one, and they are gone.'],
  busy: ['Running', 'The kernel is running a cell.'],
  waiting: ['In line', 'Others have all kernels.'],
  interrupting: ['Interrupting…', 'The running cell was told to stop.'],
  offered: ['The cell goes on', 'The running cell ignores the interrupt.'],
  ending: ['Ending…', 'The kernel is being ended.'],
  ended: ['Ended', 'The kernel is gone, with its variables. The next cell you run starts a fresh one.'],
  unreachable: ['No connection', 'The app can’t be reached. Cells and outputs are kept.'],
};

const KEPT = {'': '', saving: 'Saving…', saved: ['Saved', h('span', {class: 'where'}, ' in this browser')], part: 'Saved without some outputs', full: 'Not saved'};

const GOES_ON = 'The cell goes on: it ignores the interrupt. You can wait, or end its kernel: variables will be lost; cells, outputs and files are kept.';

export function mount(pane, server) {
  const client = new KernelClient(workbench.token);
  const open = new Map();      // task id → TaskNotebook, least recently shown first
  let notebook = null;         // the one shown
  let kernel = 'none';
  let kernelOf = null;         // the id of the task it was started for
  let offer = false;           // the running cell ignores the interrupt: its kernel can be ended
  let shown = '';              // what the notice above the cells goes with: '' | line | offer | restart

  const button = (label, act, attributes = {}) => h('button', {type: 'button', class: 'btn', onclick: act, ...attributes}, label);
  const badge = h('span', {class: 'chip nb-kernel', role: 'status'});
  const runAll = button('Run all', () => runAllCells());
  const stop = button('Stop', () => stopRun());
  const endKernel = button('End kernel', () => stopRun());
  const restart = button('Restart', () => askRestart(), {'aria-haspopup': 'true'});
  const addCell = button('+ Cell', () => notebook.add(notebook.cells.length).edit());
  const addText = button('+ Text', () => notebook.add(notebook.cells.length, '', 'markdown').edit(), {title: 'Add a cell of text (Markdown)'});
  const starter = button('Starter code', () => insertStarter(), {title: 'Insert code that loads this task’s files'});
  const help = new KeysHelp();
  const toast = new Toast();
  const kept = h('span', {class: 'nb-kept small muted'});
  const notice = h('div', {class: 'notice row small', role: 'status', hidden: true});
  const held = h('p', {class: 'small muted', hidden: true});
  const storage = h('p', {class: 'notice warn small', role: 'status', hidden: true});
  const tabs = h('p', {class: 'notice warn small', role: 'status', hidden: true}, 'This task is open in another tab too. Each tab has a kernel of its own: variables of one are not in the other. The cells changed last are the ones kept over a reload.');
  const tellTabs = watchOtherTabs(shared => { tabs.hidden = !shared; });
  const place = h('div');
  const variables = new VariablesPane(client, () => queue.busy ? 'busy' : kernel);
  const files = fileButtons({current: () => notebook, say, button});
  const tools = toolbar('Notebook', 'row nb-toolbar', [runAll, stop, restart, starter, variables.button]);
  pane.replaceChildren(h('div', {class: 'card'},
    h('div', {class: 'row spread'}, h('span', {class: 'row'}, heading(pane, 'Notebook'), badge, kept), tools),
    notice, held, storage, tabs, place, h('div', {class: 'row spread nb-end'}, h('span', {class: 'row'}, addCell, addText), h('span', {class: 'row nb-files'}, files)),
    variables.element), toast.element, help.element);

  const queue = new RunQueue(client, () => {
    if (!queue.busy) for (const later of DRAWN) setTimeout(() => notebook?.followOn(), later);
    if (!queue.busy) { offer = false; askKernel().then(() => variables.refresh(notebook?.taskId)); }
    showKernel();
  }, heard);

  const host = {
    run(from, cells) { say(''); queue.add(from, cells); },
    stop() { if (!rests(stop) && !offer) stopRun(); },   // to end the kernel is asked for apart
    holds: cell => queue.has(cell),
    answer: (cell, text) => client.answerInput(cell.run.id, text),
    // typing goes on whatever becomes of it
    help: async (taskId, kind, place) => kernel === 'idle' && kernelOf === taskId ? client.help(kind, taskId, place).catch(() => null) : null,
    warn: sentence => say(sentence, 'warn'),
    stored(of) { if (of === notebook) showKept(); },
    undoable(sentence, undo) { toast.show(sentence, 'Undo', undo); },
    undone() { toast.hide(); },
    showKeys() { help.open(); },
  };

  /** Show a sentence above the cells, with buttons if there is something to choose; '' removes it. */
  function say(sentence, kind = '', ...buttons) {
    notice.className = `notice row small ${kind}`;
    notice.replaceChildren(h('span', {}, sentence), ...buttons);
    notice.hidden = !sentence;
    shown = '';
  }

  /** Show, change or take back the sentence that goes with a state. */
  function sayWhile(what, sentence, ...buttons) {
    if (!sentence) { if (shown === what) say(''); return; }
    if (shown === 'restart' || (shown === what && notice.firstChild.textContent === sentence)) return;
    say(sentence, 'warn', ...buttons);
    shown = what;
  }

  function showKept() {
    kept.replaceChildren(...[KEPT[notebook?.keeping ?? '']].flat());
    storage.textContent = notebook?.storage ?? '';
    storage.hidden = !storage.textContent;
  }

  // ---- kernel

  /** News of a run: how far it is, and its place in line. */
  function heard(event) {
    if (event.event !== 'status') return;
    const inLine = event.status === 'waiting' && event.message;
    if (event.status !== 'waiting' || inLine) kernel = event.status === 'running' ? 'busy' : event.status;
    sayWhile('line', inLine ? event.message : '');
    showKernel();
  }

  function showKernel() {
    const elsewhere = kernel === 'idle' && kernelOf && kernelOf !== notebook?.taskId;
    const state = queue.step || (offer ? 'offered' : elsewhere ? 'elsewhere' : kernel);
    const [name, sentence] = KERNEL[state] ?? [state, ''];
    badge.textContent = name;
    badge.title = sentence;
    badge.dataset.state = state;
    held.hidden = state !== 'elsewhere' || !notebook;
    if (!held.hidden) held.replaceChildren('The kernel holds the variables of ', h('span', {class: 'mono'}, kernelOf), '. A cell run here starts a fresh one, and they are gone.');
    rest(stop, !notebook || !(queue.busy || ['busy', 'starting', 'waiting'].includes(kernel)) || ['interrupting', 'ending'].includes(queue.step));
    rest(restart, !notebook || ['none', 'ended', 'waiting', 'unreachable'].includes(kernel));
    if (!queue.busy) sayWhile('line', '');
    sayWhile('offer', state === 'offered' ? GOES_ON : '', endKernel);
    for (const each of [runAll, starter, variables.button]) rest(each, !notebook);
    for (const each of [addCell, addText, ...files]) each.disabled = !notebook;
  }

  let asking = null;
  function askKernel() {
    asking ??= client.status().then(status => {
      if (!queue.busy) kernel = status.state === 'none' && status.ended ? 'ended' : status.state;
      offer = status.offer;
      kernelOf = status.task_id;
      if (status.message) say(status.message, 'warn');
      return status;
    }, () => { if (!queue.busy) kernel = 'unreachable'; return null; }).finally(() => {
      asking = null;
      showKernel();
      // busy with a run this page does not follow
      if (!queue.busy && ['busy', 'starting', 'waiting'].includes(kernel)) setTimeout(askKernel, 1000);
    });
    return asking;
  }

  /** Interrupt what runs; where it has ignored that, end its kernel. */
  async function stopRun() {
    const end = offer, told = queue.busy && kernel === 'busy';   // the cell tells by itself that it was stopped
    const answer = await queue.stop(end);
    offer = Boolean(answer.offer);
    if (!offer && answer.message && (answer.failed || end || !told)) say(answer.message);
    showKernel();
    if (!queue.busy) askKernel();
  }

  function askRestart() {
    const cancel = button('Cancel', () => { say(''); showKernel(); restart.focus(); });
    say('Restart the kernel? Its variables will be gone; cells and outputs are kept.', 'warn', button('Restart the kernel', doRestart), cancel);
    shown = 'restart';
    cancel.focus();
  }

  async function doRestart() {
    queue.clear('Not run: the kernel was restarted.');
    offer = false;
    say('Restarting…');
    try {
      const answer = await client.restart();
      say(answer.message || 'The kernel was restarted: its variables are gone, cells and outputs are kept.');
    } catch (error) {
      say(error.message, 'bad');
    }
    restart.focus();
    askKernel().then(() => variables.refresh(notebook?.taskId));
  }

  async function runAllCells() {
    const of = notebook;
    await of.starter;
    if (of === notebook && !of.runAll()) say('No cell holds code to run.');
  }

  // ---- tasks

  function show(task) {
    if (task?.task_id === notebook?.taskId && notebook) return;
    if (notebook) { notebook.save(); say(''); toast.hide(); }
    notebook = task && notebookOf(task.task_id);
    tellTabs(notebook?.taskId ?? null);
    if (!notebook) {
      place.replaceChildren(h('p', {class: 'muted'}, 'Pick a task: its cells appear here.'));
    } else {
      place.replaceChildren(notebook.element);
      for (const cell of notebook.cells) cell.measure();
      if (notebook.fresh) notebook.starter = offerStarter(notebook);
      if (notebook.dropped) say('The outputs of this task were given up when the browser’s storage was full. Code is kept: run it again.', 'warn');
      notebook.dropped = false;
      attach(notebook);
    }
    showKept();
    showKernel();
    variables.refresh(notebook?.taskId);
  }

  function notebookOf(taskId) {
    const found = open.get(taskId) ?? new TaskNotebook(taskId, host);
    open.delete(taskId);
    open.set(taskId, found);
    for (const [id, other] of open) {
      if (open.size <= OPEN_NOTEBOOKS) break;
      if (other === found || queue.holds(other)) continue;
      other.destroy();
      open.delete(id);
    }
    return found;
  }

  async function starterOf(taskId) {
    try {
      const answer = await server.starter_code({task_id: taskId});
      return answer.code === undefined ? {error: answer.error || 'There is no starter code for this task.'} : {code: answer.code.trimEnd()};
    } catch {
      return {error: 'The starter code did not load: the app did not answer.'};
    }
  }

  async function offerStarter(to) {
    const {code, error} = await starterOf(to.taskId);
    const [first] = to.cells;
    // typed meanwhile, or its own storage entry appeared: the button stays
    if (!to.fresh || first.code) return;
    if (code) to.begin(code);
    if (error && to === notebook) say(error, 'warn');
  }

  async function insertStarter() {
    const to = notebook;
    const {code, error} = await starterOf(to.taskId);
    if (error) { say(error, 'warn'); return; }
    if (to.cells[0].code.trim() === code) { to.cells[0].edit(); say('The first cell holds the starter code already.'); return; }
    const empty = !to.cells[0].code.trim();
    const cell = empty ? to.cells[0] : to.add(0);
    cell.code = code;
    cell.edit();
  }

  // ---- runs whose end this page has not seen: a reload left them behind

  function attach(holder) {
    for (const cell of holder.cells) {
      if (!cell.run || queue.has(cell)) continue;
      if (cell.run.token === client.token) queue.attach(holder, cell, cell.run.id);
      else cell.finish({status: 'lost', message: 'This cell was run in another tab or on an earlier visit. The output up to there is kept.'});
    }
  }

  async function findRunningTask() {
    const status = await askKernel();
    if (status?.task_id && status.runs.some(run => !run.done)) attach(notebookOf(status.task_id));
  }

  workbench.onTask(show);
  if (!workbench.task) show(null);
  pane.addEventListener('focusin', event => notebook?.focusedIn(event.target));
  const saveAll = () => { for (const each of open.values()) each.save(); };
  addEventListener('pagehide', saveAll);
  document.addEventListener('visibilitychange', () => { if (document.hidden) saveAll(); else askKernel(); });
  setInterval(() => { if (!document.hidden && !queue.busy) askKernel(); }, ASK_EVERY);
  addEventListener('beforeunload', event => { saveAll(); if ([...open.values()].some(each => each.keeping === 'full')) event.preventDefault(); });
  workbench.addEventListener('keys', () => help.open());
  onLetters({'?': () => help.open(), n: () => { if (notebook) { unfold(pane); pane.scrollIntoView({block: 'start'}); notebook.current.focus(); } }});
  findRunningTask().then(() => variables.refresh(notebook?.taskId));

  workbench.notebook = {
    get busy() { return queue.busy; },
    /** Add a cell with `code` below the one in use, unless one does as much already, and put the cursor in it. */
    insertCell(code) {
      if (!notebook) return;
      const reads = code.split('\n').filter(line => line.trim() && !/^import |\.head\(\)$/.test(line));
      const same = reads.length && notebook.cells.find(cell => cell.type === 'code' && reads.every(line => cell.code.split('\n').includes(line)));
      if (same) { same.edit(); say('This cell reads it already.'); return; }
      const only = notebook.cells.length === 1 && !notebook.cells[0].code.trim() ? notebook.cells[0] : null;
      const cell = only ?? notebook.add(notebook.cells.indexOf(notebook.current) + 1);
      cell.code = code.trimEnd();
      cell.edit();
    },
    /** The last run cell's result, or the last line it printed: {text, label} or null. */
    lastOutput() {
      const cell = notebook?.lastRun;
      const answer = cell?.answer;
      if (!answer) return null;
      return {text: answer.text, label: answer.from === 'result' ? `Out[${cell.count ?? '*'}]` : `last line printed by cell [${cell.count ?? '*'}]`};
    },
  };
}
