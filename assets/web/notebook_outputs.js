// A cell's outputs: nbformat in, the page's elements out. Nothing a cell printed is parsed as markup in this page.
import {count, h} from './workbench.js';
import {showMarkdown} from './markdown_text.js';
import {markupFrame, plotlyFrame} from './sandbox_frame.js';
import {sideways} from './sideways.js';
import {TerminalText} from './terminal_text.js';

const PLOTLY = 'application/vnd.plotly.v1+json';
const joined = value => Array.isArray(value) ? value.join('') : value;

function image(type, data, metadata) {
  const element = h('img', {class: 'nb-image', alt: joined(data['text/plain']) || 'Image drawn by this cell'});
  const size = metadata?.[type];
  if (size?.width > 0) element.width = size.width;
  element.src = `data:${type};base64,${joined(data[type]).replace(/\s/g, '')}`;
  return element;
}

const framed = element => element.tagName === 'PRE' ? sideways(element) : element;
const text = value => new TerminalText(joined(value)).element;

function markdown(value) {
  const element = h('div', {class: 'nb-markdown'});
  showMarkdown(element, joined(value));
  return element;
}

// richest first
const SHOW = [
  [PLOTLY, value => plotlyFrame(value, 'Interactive figure')],
  ['text/html', value => markupFrame(joined(value), 'Table or markup drawn by this cell')],
  ['image/svg+xml', value => markupFrame(joined(value), 'Drawing of this cell')],
  ...['image/png', 'image/jpeg', 'image/gif'].map(type => [type, (_, data, metadata) => image(type, data, metadata)]),
  ['application/json', value => text(JSON.stringify(value, null, 2))],
  ['text/markdown', markdown],
  ['text/plain', text],
  ['text/latex', text],
];

function shown(output) {
  if (output.output_type === 'error') {
    // IPython rules and pads a traceback's head to 75 columns
    const lines = (output.traceback ?? []).filter(line => !/^(\x1b\[[\d;]*m)*-+(\x1b\[[\d;]*m)*$/.test(line)) // eslint-disable-line no-control-regex
      .map(line => line.replace(/ {3,}(?=Traceback \(most recent call last\))/, '  '));
    const element = text(lines.length ? lines.join('\n') : `${output.ename}: ${output.evalue}`);
    element.classList.add('nb-error');
    return element;
  }
  const data = output.data ?? {};
  for (const [type, show] of SHOW) if (data[type] !== undefined) return show(data[type], data, output.metadata);
  const types = Object.keys(data).join(', ');
  return h('p', {class: 'small muted'}, types ? `This output can’t be shown here (${types}).` : 'An empty output.');
}

export class CellOutputs {
  element;
  #items = [];      // {output, element, frame, terminal} in order
  #box = h('div', {class: 'nb-scroll', role: 'log', 'aria-live': 'polite'});
  #inner = h('div', {class: 'nb-items'});
  #more = h('button', {type: 'button', class: 'btn quiet nb-more', hidden: true, 'aria-expanded': 'false'}, 'Expand output');
  #fold = h('button', {type: 'button', class: 'btn quiet nb-fold', 'aria-expanded': 'true'}, 'Hide output');
  #said = h('span', {class: 'small muted', hidden: true});
  #changed;
  #clearNext = false;
  #failed = false;  // an error came last and has not been on the page yet
  #frame = 0;
  #restoring = false;

  /** `changed()` is told when the reader folds or clears them. */
  constructor(label, changed) {
    this.#changed = changed;
    this.#box.append(this.#inner);
    const clear = h('button', {type: 'button', class: 'btn quiet nb-clear', title: 'Remove this cell’s output', onclick: () => { this.clear(); changed(); }}, 'Clear');
    this.element = h('div', {class: 'nb-outputs', hidden: true}, this.#box, h('div', {class: 'nb-outbar'}, this.#fold, this.#said, this.#more, clear));
    this.#more.addEventListener('click', () => this.#expand(!this.#box.classList.contains('expanded')));
    this.#fold.addEventListener('click', () => this.toggleFold());
    new ResizeObserver(() => this.#fit()).observe(this.#inner);
    this.label = label;
  }

  set label(label) { this.#box.setAttribute('aria-label', label); }

  get empty() { return this.#items.length === 0; }

  get folded() { return this.#box.hidden; }

  set folded(folded) {
    if (folded === this.folded) return;
    this.#box.hidden = folded;
    this.#fold.textContent = folded ? 'Show output' : 'Hide output';
    this.#fold.setAttribute('aria-expanded', String(!folded));
    this.#said.hidden = !folded;
    if (folded) { this.#more.hidden = true; this.#said.textContent = this.#size; } else this.#fit();
  }

  toggleFold() {
    if (this.empty) return;
    this.folded = !this.folded;
    this.#changed();
  }

  /** How much is hidden, in words. */
  get #size() {
    const lines = this.#items.reduce((sum, {terminal}) => sum + (terminal ? terminal.plain.trimEnd().split('\n').length : 0), 0);
    const others = this.#items.filter(({terminal}) => !terminal).length;
    const words = (number, one) => number ? `${count(number)} ${one}${number === 1 ? '' : 's'}` : '';
    return [words(lines, 'line'), words(others, 'output')].filter(Boolean).join(', ');
  }

  #expand(whole) {
    this.#box.classList.toggle('expanded', whole);
    this.#more.textContent = whole ? 'Fold output' : 'Expand output';
    this.#more.setAttribute('aria-expanded', String(whole));
  }

  #fit() {
    if (this.folded) return;
    // a long traceback's last line is the one that says what went wrong
    if (this.#failed) this.#box.scrollTop = this.#box.scrollHeight;
    this.#failed = false;
    const whole = this.#box.classList.contains('expanded');
    const over = this.#box.scrollHeight > this.#box.clientHeight + 4;
    this.#more.hidden = !whole && !over;
    if (over) this.#box.tabIndex = 0; else this.#box.removeAttribute('tabindex');
  }

  clear() {
    this.#items = [];
    this.#clearNext = false;
    this.#inner.replaceChildren();
    this.#expand(false);
    this.element.hidden = true;
  }

  /** Take one event of a run: `output` or `clear_output`. */
  apply(event) {
    if (event.event === 'clear_output') {
      if (event.wait) this.#clearNext = true; else this.clear();
      return;
    }
    if (this.#clearNext) this.clear();
    this.add(event.output);
  }

  /** Take outputs kept from before. */
  restore(outputs, folded) {
    this.#restoring = true;
    for (const output of outputs) this.add(output);
    this.#restoring = false;
    this.folded = folded && !this.empty;
  }

  add(output) {
    this.element.hidden = false;
    const last = this.#items.at(-1);
    if (output.output_type !== 'stream') {
      this.#place({output, element: shown(output)});
    } else if (last?.terminal && last.output.name === output.name) {
      last.terminal.write(joined(output.text));
    } else {
      const terminal = new TerminalText();
      terminal.element.classList.add(output.name === 'stderr' ? 'nb-stderr' : 'nb-stdout');
      terminal.write(joined(output.text));
      this.#place({output: {output_type: 'stream', name: output.name}, element: terminal.element, terminal});
    }
    this.#draw();
  }

  #place(item) {
    this.#items.push(item);
    const failed = item.output.output_type === 'error';
    if (failed && !this.#restoring) this.folded = false;
    this.#failed = failed;
    item.frame = framed(item.element);
    this.#inner.append(item.frame);
  }

  /** Show new data in every output of this `display_id`; tells whether there was one. */
  update(output) {
    let found = false;
    const id = output.transient?.display_id;
    for (const item of this.#items) {
      if (id === undefined || item.output.transient?.display_id !== id) continue;
      item.output = {...item.output, data: output.data, metadata: output.metadata};
      const {frame} = item;
      item.element = shown(item.output);
      item.frame = framed(item.element);
      frame.replaceWith(item.frame);
      found = true;
    }
    return found;
  }

  // once a frame, whatever came meanwhile; follows the end of a stream unless the reader scrolled up
  #draw() {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      const box = this.#box;
      const following = box.scrollHeight - box.scrollTop - box.clientHeight < 24;
      for (const {terminal} of this.#items) terminal?.draw();
      if (this.folded) this.#said.textContent = this.#size;
      if (following && this.#items.at(-1)?.element.tagName === 'PRE') box.scrollTop = box.scrollHeight;
    });
  }

  /** The outputs as nbformat, at most `limit` characters of them; `cut` says what is missing. */
  save(limit) {
    const outputs = [];
    let left = limit;
    for (const {output, terminal} of this.#items) {
      const whole = terminal ? {...output, text: String(terminal)} : output;
      const size = JSON.stringify(whole).length;
      if (size > left) {
        if (terminal && left > 1000) outputs.push({...whole, text: whole.text.slice(0, left)});
        return {outputs, cut: `Only the first ${count(limit / 1000)} kB of this output were kept over the reload. Run the cell again to see all of it.`};
      }
      left -= size;
      outputs.push(whole);
    }
    return {outputs, cut: ''};
  }

  /** What the outputs say as text: the last result's, else the last line printed; `null` if there is neither. */
  get answer() {
    const result = this.#items.findLast(({output}) => output.output_type === 'execute_result' && output.data?.['text/plain'] !== undefined);
    if (result) return {text: bare(new TerminalText(joined(result.output.data['text/plain'])).plain), from: 'result'};
    const printed = this.#items.findLast(({output, terminal}) => output.name === 'stdout' && terminal.plain.trim());
    return printed ? {text: printed.terminal.plain.trim().split('\n').at(-1).trim(), from: 'printed'} : null;
  }
}

const ESCAPES = {n: '\n', t: '\t', r: '\r', '\\': '\\', "'": "'", '"': '"'};

const ITEM = /(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|\([^()]*\)|[^,'"()[\]{}])+/gs;

/** The items of a list's or a tuple's repr, bare, with commas between; `null` where that could not be read back. */
function bareItems(repr) {
  const [, body] = /^\[(.+)\]$/s.exec(repr) ?? /^\((.+,.*)\)$/s.exec(repr) ?? [];
  const parts = body?.match(ITEM);
  if (parts?.join() !== body?.replace(/,$/, '')) return null;
  const items = parts?.map(bare);
  return items?.every(item => item && !/[,[\](){}\n]/.test(item)) ? items.join(', ') : null;
}

/** A value's repr as an answer: `'abc'` → abc, `np.float64(1.5)` → 1.5, `['a', 2]` → a, 2. Anything else stays. */
export function bare(repr) {
  const items = bareItems(repr.trim());
  if (items) return items;
  const scalar = /^(?:np|numpy)\.(?:float|int|uint|bool|str|datetime|timedelta)\w*\((.*)\)$/s.exec(repr.trim())
    ?? /^(?:np|numpy)\.(True|False)_$/.exec(repr.trim()) ?? /^(?:Timestamp|Timedelta|Decimal)\(('[^']*')\)$/.exec(repr.trim());
  const value = scalar ? scalar[1] : repr.trim();
  const quoted = /^(['"])((?:\\.|(?!\1)[^\\])*)\1$/s.exec(value);
  return quoted ? quoted[2].replace(/\\(['"\\ntr])/g, (_, letter) => ESCAPES[letter]) : value;
}
