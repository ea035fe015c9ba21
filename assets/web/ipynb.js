// Cells as a Jupyter notebook file (nbformat 4.5) and back, and as a script.
import {parseExactly} from './kernel_client.js';

export const MOST_BYTES = 10_000_000;
const MOST_CELLS = 500;
const UNCHANGED = 'Your cells are as they were.';

/** A file that can't be taken; the message says why. */
export class NotANotebook extends Error {}

const joined = value => Array.isArray(value) ? value.join('') : value;
const isText = value => typeof value === 'string' || (Array.isArray(value) && value.every(each => typeof each === 'string'));
const isObject = value => typeof value === 'object' && value !== null && !Array.isArray(value);
const isJson = type => type === 'application/json' || type.endsWith('+json');

// nbformat wants what is shown a line at a time, and no more keys than it knows
function written(output) {
  const {output_type: kind} = output;
  if (kind === 'stream') return {output_type: kind, name: output.name, text: output.text};
  if (kind === 'error') return {output_type: kind, ename: output.ename, evalue: output.evalue, traceback: output.traceback};
  const shown = {output_type: kind, data: output.data ?? {}, metadata: output.metadata ?? {}};
  return kind === 'execute_result' ? {...shown, execution_count: output.execution_count ?? null} : shown;
}

/** The text of an .ipynb of cells as `{id, type, code, count, folded, outputs}`. */
export function toNotebook(cells) {
  return `${JSON.stringify({
    cells: cells.map(({id, type, code, count, folded, outputs}) => type === 'markdown'
      ? {cell_type: 'markdown', id, metadata: {}, source: code}
      : {cell_type: 'code', id, metadata: folded ? {jupyter: {outputs_hidden: true}} : {}, execution_count: count, source: code, outputs: outputs.map(written)}),
    metadata: {kernelspec: {display_name: 'Python 3', language: 'python', name: 'python3'}, language_info: {name: 'python', file_extension: '.py', mimetype: 'text/x-python'}},
    nbformat: 4,
    nbformat_minor: 5,
  }, null, 1)}\n`;
}

/** The text of a .py with a `# %%` before each cell; what is IPython's alone stands in comments. */
export function toScript(cells) {
  const commented = text => text.split('\n').map(line => `# ${line}`.trimEnd()).join('\n');
  const code = text => text.startsWith('%%') ? commented(text) : text.split('\n').map(line => /^(%\w|!\w)/.test(line) ? `# ${line}` : line).join('\n');
  return cells.filter(cell => cell.code.trim())
    .map(cell => cell.type === 'markdown' ? `# %% [markdown]\n${commented(cell.code.trimEnd())}\n` : `# %%\n${code(cell.code.trimEnd())}\n`).join('\n');
}

function readData(data) {
  if (!isObject(data)) return {};
  return Object.fromEntries(Object.entries(data).filter(([type, value]) => isJson(type) || isText(value)));
}

function readOutput(output) {
  const kind = output?.output_type;
  if (kind === 'stream' && isText(output.text)) return {output_type: kind, name: output.name === 'stderr' ? 'stderr' : 'stdout', text: joined(output.text)};
  if (kind === 'error') return {output_type: kind, ename: String(output.ename ?? ''), evalue: String(output.evalue ?? ''), traceback: isText(output.traceback) ? [output.traceback].flat() : []};
  if (kind !== 'display_data' && kind !== 'execute_result') return null;
  const shown = {output_type: kind, data: readData(output.data), metadata: isObject(output.metadata) ? output.metadata : {}};
  return kind === 'execute_result' ? {...shown, execution_count: Number.isInteger(output.execution_count) ? output.execution_count : null} : shown;
}

function readCell(cell, at) {
  if (!isObject(cell) || !isText(cell.source)) throw new NotANotebook(`Cell ${at + 1} of this notebook can’t be read: it has no text. ${UNCHANGED}`);
  if (!['code', 'markdown', 'raw'].includes(cell.cell_type)) throw new NotANotebook(`Cell ${at + 1} of this notebook is of a kind that is not known here. ${UNCHANGED}`);
  const code = joined(cell.source);
  if (cell.cell_type !== 'code') return {type: 'markdown', code};
  const outputs = (Array.isArray(cell.outputs) ? cell.outputs : []).map(readOutput).filter(Boolean);
  const count = Number.isInteger(cell.execution_count) ? cell.execution_count : null;
  return {type: 'code', code, outputs, count, folded: Boolean(cell.metadata?.jupyter?.outputs_hidden ?? cell.metadata?.collapsed)};
}

/**
 * The cells of an .ipynb's text, as `toNotebook` takes them but without ids, and what of it could not be kept, in a sentence.
 * Throws `NotANotebook`.
 */
export function fromNotebook(text) {
  let notebook;
  try {
    notebook = parseExactly(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new NotANotebook(`This file is not a Jupyter notebook: it is not JSON, or it was cut short. ${UNCHANGED}`);
  }
  if (!isObject(notebook) || !('nbformat' in notebook)) throw new NotANotebook(`This file is not a Jupyter notebook: it is JSON of another kind. ${UNCHANGED}`);
  if (notebook.nbformat !== 4) throw new NotANotebook(`This notebook has the format ${Number(notebook.nbformat)}, and only 4 can be read. Open it in Jupyter, save it, and try again. ${UNCHANGED}`);
  const {cells} = notebook;
  if (!Array.isArray(cells)) throw new NotANotebook(`This notebook can’t be read: it has no list of cells. ${UNCHANGED}`);
  if (cells.length > MOST_CELLS) throw new NotANotebook(`This notebook has ${cells.length} cells; up to ${MOST_CELLS} can be opened. ${UNCHANGED}`);
  const read = cells.map(readCell);
  const raw = cells.filter(cell => cell.cell_type === 'raw').length;
  const pictures = cells.filter(cell => cell.attachments && Object.keys(cell.attachments).length).length;
  const left = [raw && `${raw === 1 ? 'A raw cell' : `${raw} raw cells`} became text.`, pictures && 'Pictures attached to text were left out.'];
  return {cells: read, left: left.filter(Boolean).join(' ')};
}
