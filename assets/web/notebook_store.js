// Cells and outputs in the browser's own storage, a pair of entries a task. When it is full, outputs of the tasks
// touched longest ago go first: code is never dropped for them.
import {parseExactly} from './kernel_client.js';

const CELLS = 'workbench.cells:';
const OUTPUTS = 'workbench.outputs:';
export const OUTPUT_LIMIT = 300_000;  // characters kept of one cell's output

function read(key) {
  try { return parseExactly(localStorage.getItem(key) ?? 'null'); } catch { return null; }
}

/** The outputs entries of other tasks, oldest first. */
function droppable(taskId) {
  const age = key => read(CELLS + key.slice(OUTPUTS.length))?.saved ?? 0;
  return Object.keys(localStorage).filter(key => key.startsWith(OUTPUTS) && key !== OUTPUTS + taskId)
    .map(key => [age(key), key]).sort(([a], [b]) => a - b).map(([, key]) => key);
}

/** Whether it fits; `full` tells that only room is missing. */
function put(key, text) {
  try {
    localStorage.setItem(key, text);
    return {fits: true};
  } catch (error) {
    return {fits: false, full: ['QuotaExceededError', 'NS_ERROR_DOM_QUOTA_REACHED'].includes(error.name)};
  }
}

/** Whether the entry is gone. Storage that is switched off throws for every use, and holds nothing. */
function drop(key) {
  try { localStorage.removeItem(key); return true; } catch { return false; }
}

function write(taskId, key, value) {
  const text = JSON.stringify(value);
  let {fits, full} = put(key, text);
  for (const victim of full ? droppable(taskId) : []) {
    drop(victim);
    ({fits} = put(key, text));
    if (fits) break;
  }
  return fits;
}

/** The saved `cells` of a task with their outputs, and whether those were `dropped` for room; `null` when none were saved. */
export function loadCells(taskId) {
  const cells = read(CELLS + taskId)?.cells;
  if (!Array.isArray(cells) || !cells.length) return null;
  const outputs = read(OUTPUTS + taskId);
  return {cells: cells.map(cell => ({...cell, ...outputs?.[cell.id]})), dropped: !outputs && cells.some(cell => cell.count)};
}

export const NOT_SAVED = 'Not saved: the browser’s storage is full or switched off. These cells will be gone after a reload; download the notebook to keep them.';

/** Save code and order. Returns a sentence when it can't be kept, else ''. */
export function saveCells(taskId, cells) {
  const entry = {saved: Date.now(), cells};
  if (write(taskId, CELLS + taskId, entry)) return '';
  if (!drop(OUTPUTS + taskId)) return NOT_SAVED;
  if (write(taskId, CELLS + taskId, entry)) return 'The browser’s storage is full: outputs of this task will not be kept over a reload. Code is kept. Download the notebook to keep all.';
  return NOT_SAVED;
}

/** Save outputs by cell id, where not all fit without the largest. Returns a sentence when some can't be kept, else ''. */
export function saveOutputs(taskId, outputs) {
  if (write(taskId, OUTPUTS + taskId, outputs)) return '';
  const kept = Object.entries(outputs).map(([id, each]) => [JSON.stringify(each).length, id]).sort(([a], [b]) => a - b).map(([, id]) => id);
  const all = kept.length;
  while (kept.pop() && kept.length) {
    if (write(taskId, OUTPUTS + taskId, Object.fromEntries(kept.map(id => [id, outputs[id]])))) break;
  }
  if (!kept.length) drop(OUTPUTS + taskId);
  const left = all - kept.length;
  return `The browser’s storage is full: the output of ${left === 1 ? 'one cell' : `${left} cells`} will not be kept over a reload. Code is kept. Download the notebook to keep all.`;
}
