// The files of a batch: chosen or dropped, sent with progress, and the columns asked for where they can't be told.
import {bytes, h, save, withCode, workbench} from './workbench.js';

const PARTS = [['task_id', 'Task id', 'task'], ['prediction', 'Prediction', 'prediction'], ['sample', 'Sample number (if any)', 'sample'], ['run', 'Run name (if any)', 'run']];

/** `read(state)` is called with what the files hold, `changed()` when that no longer stands. */
export function filesCard({ask, say, read, changed}) {
  const input = h('input', {type: 'file', id: 'batch-files', hidden: true, multiple: true, accept: '.jsonl,.ndjson,.json,.csv,.tsv,.parquet', onchange: () => take([...input.files])});
  const list = h('ul', {class: 'batch-files'});
  const note = h('div', {'aria-live': 'polite'});
  const asked = h('div');
  const element = h('section', {class: 'card', 'aria-label': 'Files'}, h('h2', {}, 'Grade a file of predictions'),
    h('p', {class: 'small muted'}, withCode('JSON lines, JSON, CSV, TSV or parquet with columns `task_id` and `prediction`, and if there are any `sample` (its number) and `run` (its name). Others such as `id`, `answer`, `attempt` and `model` are known too; what is not clear is asked. Two files are two runs, and are compared. Values are read as text, as they stand in the file.')),
    h('div', {class: 'drop'}, h('button', {type: 'button', class: 'btn', onclick: () => input.click()}, 'Choose files'), h('span', {class: 'small'}, 'or drop them here.'), input,
      h('button', {type: 'button', class: 'btn quiet', onclick: example}, 'Download an example file')), list, asked, note);
  const sent = new Map();   // name → what tells it from another file of that name
  const trait = file => `${file.size} ${file.lastModified}`;
  let held = [], columns = {}, sending = null;

  function show(files) {
    held = files;
    list.replaceChildren(...files.map((file, number) => h('li', {class: 'row'}, h('span', {class: 'mono'}, file.name), h('span', {class: 'small muted'}, bytes(file.size)),
      h('button', {type: 'button', class: 'btn quiet', 'aria-label': `Remove ${file.name}`, onclick: () => remove(number)}, 'Remove'), file.found && taken(file))));
  }

  /** Which columns were read, and a way to others. */
  function taken({name, columns: names, found}) {
    const told = PARTS.flatMap(([part, , label], at) => [at ? ', ' : '', found[part] ? h('code', {}, found[part]) : 'none', ` as ${label}`]);
    return h('div', {class: 'row small muted', role: 'group', 'aria-label': `Columns of ${name}`}, h('span', {}, 'Columns read: ', told, '.'),
      h('button', {type: 'button', class: 'btn quiet', onclick: () => askColumns({message: `Which columns of ${name} hold what?`, file: name, columns: names, found})}, 'Choose other columns'));
  }

  async function example() {
    const {error, csv} = await ask('example_file');
    say(note, error);
    if (csv) save('predictions.csv', new Blob([csv], {type: 'text/csv'}));
  }

  async function remove(number) {
    const {name} = held[number];
    const state = await ask('remove_file', {number});
    if (state.error) { say(note, state.error); return; }
    delete columns[name];
    changed();
    asked.replaceChildren();
    say(note, '');
    show(state.files);
    if (state.files.length) await match();
  }

  async function take(files) {
    input.value = '';
    if (sending || !files.length) return;
    const here = files.filter(file => sent.get(file.name) === trait(file) && held.some(each => each.name === file.name));
    if (here.length === files.length) { say(note, `${here.map(file => file.name).join(', ')}: here already.`, 'warn'); return; }
    changed();
    asked.replaceChildren();
    for (const file of files.filter(each => !here.includes(each))) {
      try { await send(file); sent.set(file.name, trait(file)); } catch (error) { say(note, error.message); break; } finally { sending = null; }
    }
    const state = await ask('batch_state');
    if (state.error) { say(note, state.error); return; }
    show(state.files);
    if (state.files.length) await match(note.querySelector('.bad') !== null);
  }

  /** XMLHttpRequest: fetch tells nothing of how much was sent. */
  function send(file) {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      sending = request;
      const bar = h('progress', {max: file.size || 1, value: '0', 'aria-label': `Sending ${file.name}`});
      note.replaceChildren(h('p', {class: 'row small'}, `Sending ${file.name}…`, bar, h('button', {type: 'button', class: 'btn quiet', onclick: () => request.abort()}, 'Stop')));
      request.upload.onprogress = event => { bar.value = event.loaded; };
      request.onload = () => {
        if (request.status < 300) { note.replaceChildren(); resolve(); return; }
        let told;
        try { told = JSON.parse(request.responseText).detail; } catch { told = null; }
        reject(new Error(typeof told === 'string' ? told : `${file.name} was not taken in: the app answered ${request.status}.`));
      };
      request.onabort = () => reject(new Error(`${file.name} was stopped on its way. Files already here are kept.`));
      request.onerror = () => reject(new Error(`${file.name} was not taken in: the app did not answer. Try again.`));
      request.open('POST', `batch/file?name=${encodeURIComponent(file.name.slice(-200))}`);
      request.setRequestHeader('Content-Type', 'application/octet-stream');
      request.setRequestHeader('Visitor-Token', workbench.token);
      request.send(file);
    });
  }

  async function match(keepNote = false) {
    if (!keepNote) note.replaceChildren(h('p', {class: 'muted'}, 'Reading the files…'));
    const state = await ask('read_files', {columns});
    if (!keepNote) say(note, state.error);
    if (state.unclear) askColumns(state.unclear);
    else if (!state.error) { show(state.files); read(state); }
  }

  function askColumns({message, file, columns: names, found}) {
    const selects = PARTS.map(([part, label]) => {
      const select = h('select', {}, h('option', {value: ''}, '–'), names.map(name => h('option', {value: name}, name)));
      select.value = found[part];
      return [part, h('label', {class: 'field'}, label, select), select];
    });
    asked.replaceChildren(h('form', {class: 'batch-columns', onsubmit: event => {
      event.preventDefault();
      const chosen = Object.fromEntries(selects.map(([part, , select]) => [part, select.value]));
      if (!chosen.task_id || !chosen.prediction) { say(note, 'Choose the columns of task id and prediction.', 'warn'); return; }
      columns[file] = chosen;
      changed();
      asked.replaceChildren();
      match();
    }}, h('p', {class: 'notice warn'}, message), h('div', {class: 'batch-selects'}, selects.map(([, label]) => label)), h('div', {class: 'row'}, h('button', {type: 'submit', class: 'btn primary'}, 'Use these columns'))));
  }

  for (const name of ['dragover', 'dragleave', 'drop']) {
    element.addEventListener(name, event => {
      event.preventDefault();
      element.classList.toggle('dropping', name === 'dragover');
      if (name === 'drop') take([...event.dataTransfer.files]);
    });
  }
  return {element, show};
}
