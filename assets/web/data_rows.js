// The rows of one table, fetched page by page: from the preview at first, from the copy of the whole file once it is there.

export const PAGE = 50;         // rows
const BLOCK = 50;               // columns
const PAGES_KEPT = 400;
const NEAR = 1000;              // rows that the preview reads soon enough in a file of any size;
const SMALL = 2_000_000;        // bytes: in one of these, all rows
const LARGE = 50_000_000;       // bytes from which a file is copied on demand only
const AT_ONCE = 3;              // requests
const ASK_AGAIN = 500;          // ms
const CHECK_AGAIN = 2000;       // ms, while every row is looked through for what may mislead
const WIDEST = 1000;            // columns of one request

const sleep = time => new Promise(done => { setTimeout(done, time); });

/**
 * `where` names the table: {task_id, name, table, reading}; `first` is its preview; `changed()` is called when there is
 * something new to draw. `whole` is what the server last said of the copy: null (not asked), or with a `state` or `error`.
 */
export class Rows {
  #server; #changed; #cache = new Map(); #numbers = new Map(); #wanted = []; #running = new Set(); #version = 0; #alive = true; #copying = null; #asked = new Set(); #asking = false;
  whole = null;
  described = 0;      // grows when the types of more columns have come
  view = {sort: [], filters: [], find: ''};
  error = '';
  demanded = false;   // whether the person did something that needs the whole file

  constructor(server, where, first, changed) {
    this.#server = server;
    this.#changed = changed;
    this.where = where;
    this.columns = first.columns;
    this.large = first.size > LARGE;
    this.small = first.size <= SMALL;
    this.near = this.small ? Infinity : NEAR;
    this.#count(first);
    this.#keepPreview(first);
  }

  get plain() { return !this.view.sort.length && !this.view.filters.length && !this.view.find; }
  get ready() { return this.whole?.state === 'ready'; }
  /** Rows of the view; an estimate unless `exact`, null while a sorted or filtered view is made. */
  get total() { return this.plain ? (this.ready ? this.whole.rows : this.fileTotal) : this.viewTotal; }
  get exact() { return this.ready || (this.plain && this.fileExact); }
  /** Rows of the file. */
  get all() { return this.ready ? this.whole.rows : this.fileTotal; }

  close() { this.#alive = false; this.#version += 1; }

  /** The cell: undefined where it is still to come, else {text, length} with the full length of one that was cut. */
  cell(row, column) {
    const page = this.#cache.get(`${Math.floor(row / PAGE)} ${Math.floor(column / BLOCK)}`);
    const line = page?.rows[row % PAGE];
    if (!line) return undefined;
    const at = column % BLOCK;
    return {text: line[at] ?? null, length: page.cut.get(`${row % PAGE} ${at}`)};
  }

  /** The row's number in the file, from 0; null where it is still to come. */
  number(row) { return this.plain ? row : this.#numbers.get(Math.floor(row / PAGE))?.[row % PAGE] ?? null; }

  /** Fetch what is missing of the rows from `first` to `last` in these columns, and forget what was wanted before. */
  want(first, last, columns) {
    const blocks = [...new Set(columns.map(column => Math.floor(column / BLOCK)))];
    this.#wanted = [];
    for (let page = Math.floor(Math.max(0, first) / PAGE); page <= Math.floor(Math.max(0, last) / PAGE); page += 1) {
      for (const block of blocks) if (!this.#cache.has(`${page} ${block}`)) this.#wanted.push([page, block]);
    }
    this.#next();
    if (blocks.length) this.#describe(blocks);
  }

  /** The first preview tells types and summaries of its own columns: those of the others come with a preview of them. */
  async #describe(blocks) {
    const block = blocks.find(each => !this.#asked.has(each) && !this.columns[each * BLOCK].dtype && !this.columns[each * BLOCK].pandas_name);
    if (block === undefined || this.#asking) return;
    this.#asking = true;
    this.#asked.add(block);
    const columns = this.#columnsOf(block);
    const answer = await this.#ask('preview', {offset: 0, columns});
    this.#asking = false;
    if (!this.#alive || !answer.columns) return;
    for (const column of columns) this.columns[column] = answer.columns[column];
    this.described += 1;
    this.#changed();
  }

  #columnsOf(block) { return this.columns.map((_, at) => at).slice(block * BLOCK, (block + 1) * BLOCK); }

  setView(view) {
    this.view = view;
    this.viewTotal = null;
    this.error = '';
    this.#version += 1;
    this.#cache.clear();
    this.#numbers.clear();
    this.#running.clear();
    if (!this.plain) this.copyWhole(true);
    this.#changed();
  }

  /** Have the whole file copied; `demanded` also after it was stopped or failed. Ends with whether it is there. */
  copyWhole(demanded) {
    this.demanded ||= demanded;
    this.#copying ??= this.#copy(demanded).finally(() => { this.#copying = null; });
    return this.#copying;
  }

  async #copy(demanded) {
    let again = demanded;
    while (this.#alive && !this.ready) {
      this.whole = await this.#ask('whole', {again});
      again = false;
      if (!this.#alive) return false;
      if (this.ready) { this.fileTotal = this.whole.rows; this.fileExact = true; this.#check(); }
      this.#changed();
      if (this.whole.state === 'copying') await sleep(ASK_AGAIN);
      else break;
    }
    return this.ready;
  }

  async #check() {
    while (this.whole.checking) {
      await sleep(CHECK_AGAIN);
      if (!this.#alive) return;
      const answer = await this.#ask('whole', {});
      if (!this.#alive) return;
      this.whole = answer.state === 'ready' ? answer : {...this.whole, checking: false};
      this.#changed();
    }
  }

  /** End the copying, or the look through every row. */
  async stop() {
    const answer = await this.#ask('stop', {what: 'whole'});
    if (this.ready) this.whole = {...this.whole, checking: false};
    else if (answer.error) this.whole = answer;
    this.#changed();
  }

  retry() { this.error = ''; this.#next(); this.#changed(); }

  /** One row in all columns: `{cells, cut}`, or `{error}`. */
  async row(row) {
    const [cells, cut] = [[], []];
    for (let start = 0; start < this.columns.length; start += WIDEST) {
      const columns = this.columns.map((_, at) => at).slice(start, start + WIDEST);
      const answer = await this.#fetch(row, 1, columns);
      if (!answer.rows?.length) return {error: answer.error || 'The row is not there yet. Try again in a moment.'};
      cells.push(...answer.rows[0]);
      cut.push(...answer.cut.filter(([line]) => line === 0).map(([, at]) => start + at));
    }
    return {cells, cut};
  }

  #fetch(offset, rows, columns) {
    return this.ready ? this.patiently('rows', {view: this.view, offset, rows, columns}) : this.#ask('preview', {offset, columns});
  }

  /** Ask until the answer is there: one that takes long comes with the state of the work. */
  async patiently(name, request) {
    const version = this.#version;
    for (;;) {
      const answer = await this.#ask(name, request);
      if (!answer.state || ['ready', 'stopped', 'copying'].includes(answer.state) || version !== this.#version) return answer;
      await sleep(ASK_AGAIN);
    }
  }

  async #ask(name, request) {
    try {
      return await this.#server[name]({...this.where, ...request});
    } catch {
      return {error: 'The app did not answer.'};
    }
  }

  #mayAsk(page) {
    if (this.error) return false;
    if (this.ready) return true;
    if (!this.plain) return false;
    if (this.whole?.error || page * PAGE < this.near) return true;
    if (!this.whole) this.copyWhole(this.large);
    return false;
  }

  async #next() {
    while (this.#running.size < AT_ONCE) {
      const at = this.#wanted.findIndex(([page, block]) => !this.#running.has(`${page} ${block}`) && this.#mayAsk(page));
      if (at < 0) return;
      const [[page, block]] = this.#wanted.splice(at, 1);
      this.#load(page, block);
    }
  }

  async #load(page, block) {
    const key = `${page} ${block}`;
    const version = this.#version;
    this.#running.add(key);
    const columns = this.#columnsOf(block);
    const fromCopy = this.ready;
    const answer = await this.#fetch(page * PAGE, PAGE, columns);
    if (version !== this.#version) return;
    this.#running.delete(key);
    if (answer.rows) {
      this.#keep(key, answer.rows, answer.cut);
      if (fromCopy) { this.#numbers.set(page, answer.numbers); if (!this.plain) this.viewTotal = answer.total; } else if (!this.ready) this.#count(answer);
    } else if (answer.error) this.error = answer.error;
    else { this.whole = answer; this.copyWhole(false); }
    this.#changed();
    this.#next();
  }

  #keep(key, rows, cut) {
    this.#cache.set(key, {rows, cut: new Map(cut.map(([row, column, length]) => [`${row} ${column}`, length]))});
    if (this.#cache.size > PAGES_KEPT) this.#cache.delete(this.#cache.keys().next().value);
  }

  /** The first preview holds several blocks of columns. */
  #keepPreview({rows, cut, shown, columns, offset}) {
    if (offset % PAGE) return;
    const wide = shown.length ? shown.length : columns.length;
    for (let start = 0; start < wide; start += BLOCK) {
      const end = Math.min(start + BLOCK, columns.length);
      if (end > wide) return;
      const within = cut.filter(([, column]) => column >= start && column < end).map(([row, column, length]) => [row, column - start, length]);
      this.#keep(`${offset / PAGE} ${start / BLOCK}`, rows.map(row => row.slice(start, end)), within);
    }
  }

  /** How many rows there are, by a preview: where it doesn't know, those seen and a page more. */
  #count({total_rows: total, exact, offset, rows}) {
    const seen = offset + rows.length;
    if (rows.length < PAGE && rows.length) [this.fileTotal, this.fileExact] = [seen, true];
    else if (total !== null) [this.fileTotal, this.fileExact] = [exact ? total : Math.max(total, seen), exact];
    else if (!this.fileExact) this.fileTotal = Math.max(this.fileTotal ?? 0, rows.length ? seen + PAGE : seen);
  }
}
