// The notebook as a file: download it as .ipynb or .py, open an .ipynb in its place.
import {MOST_BYTES, NotANotebook, fromNotebook, toNotebook, toScript} from './ipynb.js';
import {bytes, h} from './workbench.js';

function download(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], {type}));
  const link = h('a', {href: url, download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

async function readFile(file) {
  if (file.size > MOST_BYTES) throw new NotANotebook(`This file has ${bytes(file.size)}; a notebook of up to ${bytes(MOST_BYTES)} can be opened. Clear large outputs in Jupyter, save it, and try again. Your cells are as they were.`);
  let text;
  try { text = await file.text(); } catch { throw new NotANotebook('The browser could not read this file. Your cells are as they were.'); }
  return fromNotebook(text);
}

/**
 * The buttons. `current()` gives the notebook shown, `say(sentence, kind, ...buttons)` shows a sentence above the cells,
 * `button(label, act, attributes)` makes a button.
 */
export function fileButtons({current, say, button}) {
  const named = ending => `${current().taskId.replace(/[^\w.-]+/g, '_')}.${ending}`;
  const whole = () => current().cells.map(cell => cell.whole);
  const chooser = h('input', {type: 'file', accept: '.ipynb,application/x-ipynb+json,application/json', hidden: true, 'aria-label': 'Notebook to open', onchange: take});
  const open = button('Open .ipynb…', () => chooser.click(), {class: 'btn quiet', title: 'Open a Jupyter notebook in place of these cells'});

  async function take() {
    const [file] = chooser.files;
    chooser.value = '';
    if (!file) return;
    const to = current();
    let read;
    try {
      read = await readFile(file);
    } catch (error) {
      if (!(error instanceof NotANotebook)) throw error;
      say(error.message, 'bad');
      return;
    }
    const put = () => {
      say(read.left);
      to.replace(read.cells, `${file.name} was opened.`);
    };
    if (to.fresh || !to.cells.some(cell => cell.code.trim())) { put(); return; }
    const cancel = button('Cancel', () => { say(''); open.focus(); });
    const many = to.cells.length === 1 ? 'the cell' : `the ${to.cells.length} cells`;
    say(`Put “${file.name}” in place of ${many} of this task? It can be undone while the page is open.`, 'warn', button('Replace', put), cancel);
    cancel.focus();
  }

  return [
    button('Download .ipynb', () => download(named('ipynb'), 'application/x-ipynb+json', toNotebook(whole())), {class: 'btn quiet', title: 'Cells and outputs, for Jupyter'}),
    button('Download .py', () => download(named('py'), 'text/x-python', toScript(whole())), {class: 'btn quiet', title: 'The code as a script, with a # %% before each cell'}),
    open, chooser,
  ];
}
