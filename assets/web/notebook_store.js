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

function write(taskId, key, value) {
  const text = JSON.stringify(value);
  for (const victim of [null, ...droppable(taskId)]) {
    try {
      if (victim) localStorage.removeItem(victim);
      localStorage.setItem(key, text);
      return true;
    } catch (error) {
      if (error.name !== 'QuotaExceededError' && error.name !== 'NS_ERROR_DOM_QUOTA_REACHED') return false;
    }
  }
  return false;
}

/** The saved cells of a task with their outputs, or `null` when none were saved. */
export function loadCells(taskId) {
  const cells = read(CELLS + taskId)?.cells;
  if (!Array.isArray(cells) || !cells.length) return null;
  const outputs = read(OUTPUTS + taskId) ?? {};
  return cells.map(cell => ({...cell, ...outputs[cell.id]}));
}

/** Save code and order. Returns a sentence when it can't be kept, else ''. */
export function saveCells(taskId, cells) {
  const entry = {saved: Date.now(), cells};
  if (write(taskId, CELLS + taskId, entry)) return '';
  localStorage.removeItem(OUTPUTS + taskId);
  if (write(taskId, CELLS + taskId, entry)) return 'The browser’s storage is full: outputs of this task will not be kept over a reload. Code is kept.';
  return 'The browser’s storage is full or switched off: cells will not be kept over a reload. Copy what you need.';
}

/** Save outputs by cell id. Returns a sentence when they can't be kept, else ''. */
export function saveOutputs(taskId, outputs) {
  if (write(taskId, OUTPUTS + taskId, outputs)) return '';
  localStorage.removeItem(OUTPUTS + taskId);
  return 'The browser’s storage is full: outputs of this task will not be kept over a reload. Code is kept.';
}

/** Call `changed` when another tab saves cells of the task `current()`. */
export function onOtherTab(current, changed) {
  addEventListener('storage', event => { if (event.key === CELLS + current() && event.newValue) changed(); });
}
