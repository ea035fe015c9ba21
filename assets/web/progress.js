// What this visitor has solved, attempted and opened. It is kept in this browser and in no other place.
import {recall, remember} from './remembered.js';
import {workbench} from './workbench.js';

const NAME = 'progress';
const FORMAT = 'smoldataenvs-workbench-progress';
const VERSION = 1;
const MOST_TASKS = 10_000;
const LONGEST_ID = 200;
const LARGEST_FILE = 5_000_000;   // characters
const MOST_RECENT = 10;
const LONGEST_QUESTION = 300;

const empty = () => ({solved: new Map(), attempted: new Map(), recent: []});
const marks = ({solved, attempted}) => ({solved: Object.fromEntries(solved), attempted: Object.fromEntries(attempted)});

/** Task ids with the times (ms since 1970) of an object that anybody may have written. Throws a sentence. */
function times(given, name, most = Infinity) {
  if (given === undefined) return new Map();
  if (given === null || typeof given !== 'object' || Array.isArray(given)) throw new Error(`“${name}” should hold task ids and times.`);
  const entries = Object.entries(given);
  if (entries.length > most) throw new Error(`“${name}” holds more than ${most.toLocaleString('en-US')} tasks.`);
  for (const [id, time] of entries) {
    if (!id || id.length > LONGEST_ID || !Number.isFinite(time)) throw new Error(`“${name}” holds something that is no task id with a time.`);
  }
  return new Map(entries);
}

function checked({solved, attempted, recent}) {
  const known = (Array.isArray(recent) ? recent : []).filter(each => typeof each?.task_id === 'string' && typeof each.question === 'string');
  return {solved: times(solved, 'solved'), attempted: times(attempted, 'attempted'), recent: known.slice(0, MOST_RECENT)};
}

/** Tells `change` after each change; its detail says whether many tasks changed at once. */
class Progress extends EventTarget {
  #state = empty();
  kept = true;   // false where the browser keeps nothing: the state then lives as long as this page

  constructor() {
    super();
    this.#read();
    window.addEventListener('storage', event => {   // another tab
      if (event.key === `workbench.${NAME}` || event.key === null) { this.#read(); this.#tell(true); }
    });
    workbench.addEventListener('graded', event => this.#graded(event.detail));
    workbench.onTask(task => { if (task) this.#opened(task); });
  }

  /** 'solved', 'attempted' or '' */
  of(id) { return this.#state.solved.has(id) ? 'solved' : this.#state.attempted.has(id) ? 'attempted' : ''; }
  get solved() { return [...this.#state.solved.keys()]; }
  get attempted() { return [...this.#state.attempted.keys()]; }
  get any() { return this.#state.solved.size + this.#state.attempted.size > 0; }
  /** The tasks opened last, the newest first: `{task_id, question}`. */
  get recent() { return this.#state.recent; }

  /** Filters as the server takes them: with the tasks to leave out where only unsolved ones are asked for. */
  asked(filters) { return filters.unsolved ? {...filters, solved: this.solved} : filters; }

  /** The text of a file that `merge` reads. What was opened stays here. */
  toFile() { return JSON.stringify({format: FORMAT, version: VERSION, ...marks(this.#state)}); }

  /** Add what a file of `toFile` holds: how many tasks that changed, and a function that undoes it. Throws a sentence. */
  merge(text) {
    if (text.length > LARGEST_FILE) throw new Error('It is too large to be a file of progress.');
    let file;
    try { file = JSON.parse(text); } catch { throw new Error('It is not JSON.'); }
    if (file?.format !== FORMAT) throw new Error('It is no file of progress exported here.');
    if (file.version !== VERSION) throw new Error('It is of another version of this app.');
    const theirs = {solved: times(file.solved, 'solved', MOST_TASKS), attempted: times(file.attempted, 'attempted', MOST_TASKS)};
    const before = new Map();   // id: [state, time] as it was here
    this.#change(({solved, attempted}) => {
      const was = id => (solved.has(id) ? ['solved', solved.get(id)] : attempted.has(id) ? ['attempted', attempted.get(id)] : null);
      for (const [id, time] of theirs.solved) {
        if (solved.has(id)) continue;
        before.set(id, was(id));
        attempted.delete(id);
        solved.set(id, time);
      }
      for (const [id, time] of theirs.attempted) {
        if (was(id)) continue;
        before.set(id, null);
        attempted.set(id, time);
      }
    }, true);
    const undo = () => this.#change(state => {
      for (const [id, was] of before) {
        state.solved.delete(id);
        state.attempted.delete(id);
        if (was) state[was[0]].set(id, was[1]);
      }
    }, true);
    return {changed: before.size, undo};
  }

  #graded({task_id: id, outcome}) {
    if (outcome !== 'right' && outcome !== 'wrong') return;   // not gradable: nothing is known
    this.#change(({solved, attempted}) => {
      if (solved.has(id)) return;
      if (outcome === 'wrong') { attempted.set(id, Date.now()); return; }
      attempted.delete(id);
      solved.set(id, Date.now());
    });
  }

  #opened({task_id, question}) {
    this.#change(state => {
      const others = state.recent.filter(each => each.task_id !== task_id);
      state.recent = [{task_id, question: question.slice(0, LONGEST_QUESTION)}, ...others].slice(0, MOST_RECENT);
    });
  }

  #read() {
    try { this.#state = checked(recall(NAME) ?? {}); } catch { this.#state = empty(); }   // damaged: begun anew
  }

  #change(edit, many = false) {
    this.#read();   // what other tabs did meanwhile
    edit(this.#state);
    this.kept = remember(NAME, {...marks(this.#state), recent: this.#state.recent});
    this.#tell(many);
  }

  #tell(many) { this.dispatchEvent(new CustomEvent('change', {detail: {many}})); }
}

export const progress = new Progress();
