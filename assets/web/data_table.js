// The virtual table: of any number of rows and columns only those in sight are on the page.
import {isNumber} from './data_columns.js';
import {lookAlikes, visible} from './data_names.js';
import {fitted, lettersOf} from './data_summary.js';
import {sideways} from './sideways.js';
import {count, h} from './workbench.js';

const ROW = 26;               // px
const LIMIT = 8_000_000;      // px; browsers draw nothing beyond some ten million
const LONG = 120;             // characters from which a cell is folded
const [CHARACTER, SMALL] = [7.6, 6.7];   // px, of the table's font and of a summary's
const PADDING = 22;           // px beside the letters of a column
const [NARROWEST, WIDEST, HEX] = [64, 320, 400];   // px of a column; sixteen bytes are seen whole
const STEP = 24;              // px that a key makes a column wider or narrower
const FADE = 22;              // px at the right edge, under the sign that columns follow
const AHEAD = 3;              // rows and columns drawn beyond the edge
const SETTLE = 150;           // ms after which a scaled scroll bar is put where it belongs

const between = (low, value, high) => Math.min(Math.max(value, low), high);

/**
 * `act` is what the table asks of the pane: `menu(column, button)`, `open(row, column)`, `copy(row, column)` with row -1
 * for the column's name and column -1 for the row, `moved()` when another cell became the active one, `summary(column)`
 * gives {text, title}, `sort(column)` when its name was clicked.
 */
export class DataTable {
  #source = null; #order = []; #edges = [0]; #top = 0; #expected = 0; #drawn = ''; #lines = new Map(); #frame = 0; #settle = 0; #act; #serial = 0; #laid = 0;
  active = {row: 0, at: 0};   // at: position among the columns shown; row -1: the head, at -1: the row's number

  constructor(act) {
    this.#act = act;
    this.head = h('tr', {role: 'row', 'aria-rowindex': 1});
    this.body = h('tbody', {role: 'rowgroup'});
    this.sheet = h('table', {class: 'mono', role: 'presentation'}, h('thead', {role: 'rowgroup'}, this.head), this.body);
    this.element = h('div', {class: 'rows', tabindex: 0, role: 'grid', 'aria-label': 'Rows of the file', 'aria-readonly': 'true'}, this.sheet);
    this.keys = h('p', {class: 'visually-hidden', id: 'data-keys'}, 'Arrow keys move. Enter opens a cell, or the menu of a column at its name. Shift with left or right changes the width of the column. Control and C copies.');
    this.element.setAttribute('aria-describedby', this.keys.id);
    this.outer = sideways(this.element);
    this.outer.append(this.keys);
    this.element.addEventListener('scroll', () => this.#scrolled());
    this.element.addEventListener('keydown', event => this.#key(event));
    this.element.addEventListener('pointerdown', event => this.#press(event));
    this.element.addEventListener('click', event => this.#click(event));
    this.element.addEventListener('dblclick', event => { if (event.target.closest('td')) this.#act.open(this.active.row, this.column); });
    new ResizeObserver(() => { if (this.#source && this.#laid !== this.element.clientWidth) this.layout(); this.refresh(); }).observe(this.element);
  }

  /** Show a source of rows (data_rows.js); cells that stand in `links` open a table of that name. `state` holds `hidden` (a Set of columns), `widths` (a Map), `top`, `left` and `active`, kept up to date. */
  show(source, state, sample, links = null) {
    this.#source = source;
    this.links = links;
    this.#lines.clear();
    this.state = state;
    this.sample = sample;
    this.active = state.active ?? {row: 0, at: 0};
    this.layout();
    this.#top = state.top ?? 0;
    this.#placeBar();
    this.element.scrollLeft = state.left ?? 0;
    this.refresh();
  }

  /** Show nothing until the next source. */
  clear() {
    this.#source = null;
    this.sparkline = null;
    this.#lines.clear();
    this.body.replaceChildren();
  }

  /** The column under the active cell, by its number in the file. */
  get column() { return this.#order[this.active.at] ?? -1; }
  get visible() { return this.#order; }
  get first() { return Math.floor(this.#top / ROW); }
  get last() { return Math.max(this.first, Math.min(Math.floor((this.#top + this.#room) / ROW), this.#total) - 1); }

  /** Work out where each column stands, after one was hidden or drawn wider. */
  layout() {
    const {columns} = this.#source;
    this.numberWidth = 24 + CHARACTER * Math.max(3, count(this.#source.all ?? 0).length);
    this.#order = columns.map((_, at) => at).filter(at => !this.state.hidden.has(at));
    this.#edges = [0];
    for (const width of this.#widths()) this.#edges.push(this.#edges.at(-1) + width);
    this.active.at = Math.min(this.active.at, this.#order.length - 1);
    this.#drawn = '';
  }

  /** What room there is beside the columns goes to those whose summary wants it. */
  #widths() {
    this.#laid = this.element.clientWidth;
    const widths = this.#order.map(column => this.state.widths.get(column) ?? this.#natural(column));
    const room = this.#laid - this.numberWidth - widths.reduce((all, width) => all + width, 0);
    if (room <= 0) return widths;
    const wanted = this.#order.map((column, at) => this.state.widths.has(column) ? 0 : Math.max(0, Math.min(WIDEST, Math.ceil(PADDING + SMALL * lettersOf(this.#act.summary(column).text))) - widths[at]));
    const share = Math.min(1, room / Math.max(1, wanted.reduce((all, more) => all + more, 0)));
    return widths.map((width, at) => Math.floor(width + share * wanted[at]));
  }

  #natural(column) {
    const {name, dtype, pandas_name: pandas} = this.#source.columns[column];
    const cells = (this.sample.get(column) ?? []).map(cell => cell?.length ?? 1);
    const letters = Math.max(Math.min(visible(name).length, 28) + 3, Math.min(pandas.length, 20), dtype.length + (dtype ? 10 : 0), ...cells);
    return between(NARROWEST, Math.round(letters * CHARACTER + PADDING), dtype === 'hex' ? HEX : WIDEST);
  }

  get #total() { return this.#source?.total ?? 0; }
  get #headHeight() { return this.head.offsetHeight || 44; }
  get #room() { return Math.max(ROW, this.element.clientHeight - this.#headHeight); }
  get #maxTop() { return Math.max(0, this.#total * ROW - this.#room); }
  get #maxBar() { return Math.max(1, this.element.scrollHeight - this.element.clientHeight); }
  get #scaled() { return this.#total * ROW > LIMIT; }

  /** Draw again what is in sight; everything anew after `anew()`. */
  refresh() {
    this.#frame ||= requestAnimationFrame(() => { this.#frame = 0; this.#draw(); });
  }

  anew() { this.#drawn = ''; this.refresh(); }

  #scrolled() {
    const bar = this.element.scrollTop;
    const moved = bar - this.#expected;
    if (moved) {
      // Under a scaled bar a short movement still goes row by row; a long one goes where the bar points.
      const near = this.#scaled && Math.abs(moved) < 2 * this.#room;
      this.#top = between(0, near ? this.#top + moved : bar * (this.#scaled ? this.#maxTop / this.#maxBar : 1), this.#maxTop);
      this.#expected = bar;
      if (this.#scaled) { clearTimeout(this.#settle); this.#settle = setTimeout(() => { this.#placeBar(); this.refresh(); }, SETTLE); }
    }
    this.refresh();
  }

  /** Put the scroll bar where the top row belongs. */
  #placeBar() {
    this.#size();
    this.#top = between(0, this.#top, this.#maxTop);
    this.element.scrollTop = this.#scaled ? this.#top * this.#maxBar / Math.max(1, this.#maxTop) : this.#top;
    this.#expected = this.element.scrollTop;
  }

  #size() {
    const height = `${this.#headHeight + Math.min(this.#total * ROW, LIMIT)}px`;
    const width = `${this.numberWidth + this.#edges.at(-1)}px`;
    if (this.sheet.style.height !== height) this.sheet.style.height = height;
    if (this.sheet.style.width !== width) this.sheet.style.width = width;
  }

  #draw() {
    if (!this.#source || !this.element.isConnected) return;
    const left = this.element.scrollLeft, right = left + this.element.clientWidth - this.numberWidth;
    const from = Math.max(0, this.#columnAt(left) - AHEAD), to = Math.min(this.#order.length - 1, this.#columnAt(right) + AHEAD);
    const drawn = `${from} ${to} ${this.#edges.at(-1)} ${this.#order.length} ${this.#source.described}`;
    if (drawn !== this.#drawn) {
      this.#drawn = drawn;
      this.#serial += 1;
      this.#drawHead(from, to);
    }
    this.#size();
    if (!this.#scaled && Math.abs(this.element.scrollTop - this.#top) > 1) { this.#top = this.element.scrollTop; this.#expected = this.#top; }
    this.#top = between(0, this.#top, this.#maxTop);
    const first = Math.max(0, this.first - AHEAD), last = Math.min(this.#total - 1, this.last + AHEAD);
    const columns = this.#order.slice(from, to + 1);
    const lines = new Map();
    const shift = this.#headHeight + (this.#scaled ? this.element.scrollTop - this.#top : 0);
    for (let row = first; row <= last; row += 1) {
      const there = columns.filter(column => this.#source.cell(row, column) !== undefined).length;
      const key = `${this.#serial} ${there} ${this.#source.number(row)}`;
      let line = this.#lines.get(row);
      if (line?.dataset.key !== key) line = this.#drawRow(row, key, from, columns);
      line.style.top = `${shift + row * ROW}px`;
      lines.set(row, line);
    }
    this.#lines = lines;
    const now = [...lines.values()];
    if (now.length !== this.body.childElementCount || now.some((line, at) => line !== this.body.children[at])) this.body.replaceChildren(...now);
    this.#markActive();
    this.element.setAttribute('aria-rowcount', this.#source.exact ? this.#total + 1 : -1);
    this.element.setAttribute('aria-colcount', this.#source.columns.length + 1);
    Object.assign(this.state, {top: this.#top, left, active: this.active});
    this.#source.want(first, last, columns);
    this.#act.scrolled();
  }

  /** The position of the column at `x` px from the first one's edge. */
  #columnAt(x) {
    let low = 0, high = this.#order.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#edges[middle] <= x) low = middle; else high = middle - 1;
    }
    return Math.max(0, low);
  }

  #widthOf(at) { return `${this.#edges[at + 1] - this.#edges[at]}px`; }

  #place(cells, from) {
    cells[0].style.width = `${this.numberWidth}px`;
    cells.slice(1).forEach((cell, step) => { cell.style.width = this.#widthOf(from + step); });
    if (cells[1]) cells[1].style.marginLeft = `${this.#edges[from]}px`;
    return cells;
  }

  #drawHead(from, to) {
    const {columns} = this.#source;
    const renamed = columns.some(({name, pandas_name: pandas}) => pandas && pandas !== name);
    const summed = columns.some((_, column) => this.#act.summary(column).text);
    const cells = this.#order.slice(from, to + 1).map((column, step) => this.#headCell(column, from + step, renamed, summed));
    const corner = h('th', {role: 'columnheader', class: 'number', 'aria-colindex': 1, 'data-at': -1}, h('span', {class: 'visually-hidden'}, 'Row'));
    this.head.replaceChildren(...this.#place([corner, ...cells], from));
  }

  #headCell(column, at, renamed, summed) {
    const {name, dtype, estimated, pandas_name: pandas} = this.#source.columns[column];
    const {text, title} = this.#act.summary(column);
    const sorted = this.#source.view.sort.find(each => each.column === column);
    const alike = lookAlikes(name);
    const label = name ? h('span', {class: 'name', title: name}, visible(name)) : h('span', {class: 'name muted'}, '(no name)');
    const menu = h('button', {type: 'button', class: 'column-menu', tabindex: -1, 'aria-label': `Column ${visible(name) || column + 1}`, 'aria-haspopup': 'menu', 'data-menu': column}, sorted ? (sorted.descending ? '↓' : '↑') : '▾');
    return h('th', {role: 'columnheader', class: isNumber(dtype) ? 'numeric' : '', 'aria-colindex': column + 2, 'data-at': at, 'aria-sort': sorted ? (sorted.descending ? 'descending' : 'ascending') : null},
      h('span', {class: 'title'}, label, alike && h('span', {class: 'alike', title: alike, role: 'img', 'aria-label': alike}, '⚠'), menu),
      renamed && h('span', {class: 'pandas', title: `pandas names it ${pandas}`}, pandas && pandas !== name ? `pandas: ${visible(pandas)}` : '\u00a0'),
      h('span', {class: 'dtype', title: estimated ? 'estimated from the rows read' : 'declared by the file'}, dtype || '\u00a0', dtype && estimated && h('span', {class: 'estimated'}, ' estimated')),
      summed && h('span', {class: 'summary', title}, text ? fitted(text, Math.floor((this.#edges[at + 1] - this.#edges[at] - PADDING) / SMALL)) : '\u00a0'),
      this.sparkline && h('span', {class: 'spark'}, this.sparkline(column)),
      h('span', {class: 'edge', 'data-edge': at, title: 'Drag, or Shift + ← →'}));
  }

  #drawRow(row, key, from, columns) {
    const number = this.#source.number(row);
    const cells = columns.map((column, step) => {
      const cell = h('td', {role: 'gridcell', 'aria-colindex': column + 2, 'data-at': from + step, class: isNumber(this.#source.columns[column].dtype) ? 'numeric' : ''});
      cell.append(...this.#content(this.#source.cell(row, column)));
      return cell;
    });
    const label = h('th', {role: 'rowheader', class: 'number', 'aria-colindex': 1, 'data-at': -1}, number === null ? '' : count(number + 1));
    return h('tr', {role: 'row', 'aria-rowindex': row + 2, 'data-row': row, 'data-key': key}, this.#place([label, ...cells], from));
  }

  #content(cell) {
    if (cell === undefined) return [h('span', {class: 'coming', 'aria-label': 'still coming'}, '…')];
    const {text, length} = cell;
    if (text === null) return [h('span', {class: 'missing', title: 'no value in the file'}, '∅')];
    if (this.links?.has(text)) return [h('button', {type: 'button', class: 'link', tabindex: -1, title: 'Open', 'data-fold': ''}, visible(text))];
    const shown = visible(text.slice(0, LONG)).replace(/^·+|·+$/g, dots => ' '.repeat(dots.length));
    if (text.length <= LONG && !length && !/[\r\n]/.test(text)) return [shown];
    return [h('button', {type: 'button', class: 'fold', tabindex: -1, title: 'Show the whole cell', 'data-fold': ''}, text.length > LONG ? `${shown} …` : shown)];
  }

  #markActive() {
    for (const cell of this.element.querySelectorAll('.active')) { cell.classList.remove('active'); cell.removeAttribute('id'); }
    const {row, at} = this.active;
    const line = row < 0 ? this.head : this.#lines.get(row);
    const cell = line?.querySelector(`[data-at="${at}"]`);
    if (cell) { cell.classList.add('active'); cell.id = 'data-cell-active'; this.element.setAttribute('aria-activedescendant', cell.id); } else this.element.removeAttribute('aria-activedescendant');
  }

  /** Make a cell the active one and bring it into sight. */
  go(row, at = this.active.at) {
    this.active = {row: between(-1, row, this.#total - 1), at: between(-1, at, this.#order.length - 1)};
    if (this.active.row >= 0) {
      const y = this.active.row * ROW;
      if (y < this.#top) this.#top = y;
      else if (y + ROW > this.#top + this.#room) this.#top = y + ROW - this.#room;
      this.#placeBar();
    }
    if (this.active.at >= 0) {
      const [left, right] = [this.#edges[this.active.at], this.#edges[this.active.at + 1]];
      const room = this.element.clientWidth - this.numberWidth;
      const clear = room - FADE;
      if (left < this.element.scrollLeft || right - left > clear) this.element.scrollLeft = left;
      else if (right > this.element.scrollLeft + clear) this.element.scrollLeft = right - clear;
    }
    this.refresh();
    this.#act.moved();
  }

  /** Like `go`, with the row in the middle. */
  jump(row, at = this.active.at) {
    this.#top = between(0, row * ROW - this.#room / 2, this.#maxTop);
    this.#placeBar();
    this.go(row, at);
  }

  #key(event) {
    if (event.target !== this.element || event.altKey) return;
    const {row, at} = this.active;
    const page = Math.max(1, Math.floor(this.#room / ROW) - 1);
    const far = event.ctrlKey || event.metaKey;
    const to = {
      ArrowUp: [far ? 0 : row - 1, at], ArrowDown: [far ? this.#total - 1 : row + 1, at], ArrowLeft: [row, far ? 0 : at - 1], ArrowRight: [row, far ? Infinity : at + 1],
      PageUp: [Math.max(0, row - page), at], PageDown: [row + page, at], Home: [far ? 0 : row, 0], End: [far ? this.#total - 1 : row, Infinity],
    }[event.key];
    const wider = event.shiftKey && at >= 0 ? {ArrowLeft: -1, ArrowRight: 1}[event.key] : 0;
    if (to && !wider) this.go(...to);
    else if (wider) this.#widen(at, this.#edges[at + 1] - this.#edges[at] + wider * STEP);
    else if (event.key === 'Enter' && row < 0 && at >= 0) this.#act.menu(this.column, this.head.querySelector(`[data-at="${at}"] .column-menu`));
    else if (event.key === 'Enter' && row >= 0 && at >= 0) this.#act.open(row, this.column);
    else if (far && event.key.toLowerCase() === 'c' && getSelection().isCollapsed) this.#act.copy(row, this.column);
    else return;
    event.preventDefault();
  }

  #press(event) {
    const edge = event.target.closest('[data-edge]');
    if (edge) { this.#drag(event, Number(edge.dataset.edge)); return; }
    if (event.pointerType === 'mouse') this.#activate(event);   // a finger may be about to scroll
  }

  #activate(event) {
    const cell = event.target.closest('[data-at]');
    if (!cell) return;
    const line = cell.closest('[data-row]');
    this.active = {row: line ? Number(line.dataset.row) : -1, at: Number(cell.dataset.at)};
    this.#markActive();
    this.#act.moved();
  }

  #click(event) {
    const {target} = event;
    if (!target.closest('[data-edge]')) this.#activate(event);
    const menu = target.closest('[data-menu]');
    const name = !menu && target.closest('th .title');
    if (name) this.#act.sort(this.column);
    else if (menu) this.#act.menu(Number(menu.dataset.menu), menu);
    else if (target.closest('[data-fold]')) this.#act.open(this.active.row, this.column);
  }

  #widen(at, width) {
    // Those before it stay as they are, so that its edge stays under the pointer.
    this.#order.slice(0, at).forEach((column, before) => this.state.widths.set(column, this.#edges[before + 1] - this.#edges[before]));
    this.state.widths.set(this.#order[at], Math.max(40, width));
    this.layout();
    this.refresh();
  }

  #drag(event, at) {
    event.preventDefault();
    const start = event.clientX, width = this.#edges[at + 1] - this.#edges[at];
    const move = ({clientX}) => this.#widen(at, width + clientX - start);
    const end = () => { removeEventListener('pointermove', move); removeEventListener('pointerup', end); removeEventListener('pointercancel', end); };
    addEventListener('pointermove', move);
    addEventListener('pointerup', end);
    addEventListener('pointercancel', end);
  }
}
