// What the kernel holds: names, types, shapes, values in short; a table's first rows on a click.
import {recall, remember} from './remembered.js';
import {sideways} from './sideways.js';
import {count, h} from './workbench.js';

const NONE = {
  none: 'No kernel yet: run a cell, and its variables appear here.',
  busy: 'The kernel is at work. The variables are shown when it is done.',
  ended: 'The kernel has ended, and its variables with it. The next cell you run starts a fresh one.',
  other: 'The kernel is another task’s. Run a cell here to see variables.',
  unreachable: 'The app can’t be reached. The variables are shown when it is back.',
};

export class VariablesPane {
  #client;
  #kernel;
  #taskId = null;
  #asked = 0;           // only the newest answer counts
  #heads = new Set();   // names whose first rows are shown
  #note = h('p', {class: 'muted small', role: 'status'});
  #body = h('tbody');
  #table = sideways(h('div', {class: 'nb-var-table', tabindex: 0, role: 'region', 'aria-label': 'List of variables'}, h('table', {},
    h('thead', {}, h('tr', {}, ['Name', 'Type', 'Shape', 'Value'].map(name => h('th', {scope: 'col'}, name)))), this.#body)));
  button = h('button', {type: 'button', class: 'btn', 'aria-expanded': 'false', 'aria-controls': 'nb-variables', onclick: () => this.toggle()}, 'Variables');
  element = h('section', {id: 'nb-variables', class: 'nb-variables', 'aria-label': 'Variables', hidden: true},
    h('div', {class: 'row spread'}, h('h3', {}, 'Variables'),
      h('button', {type: 'button', class: 'btn quiet nb-icon', 'aria-label': 'Close variables', onclick: () => this.toggle(false)}, '✕')),
    this.#note, this.#table);

  /** `kernel()` tells the kernel's state: none, idle, busy, ended, other (task's) or unreachable. */
  constructor(client, kernel) {
    this.#client = client;
    this.#kernel = kernel;
    this.element.addEventListener('keydown', event => { if (event.key === 'Escape') this.toggle(false); });
    this.#show(null, 'none');
    if (recall('variables')) this.#open(true);
  }

  get #isOpen() { return !this.element.hidden; }

  toggle(open = !this.#isOpen) {
    this.#open(open);
    remember('variables', open);
    if (open) this.refresh(this.#taskId); else this.button.focus();
  }

  #open(open) {
    this.element.hidden = !open;
    this.button.setAttribute('aria-expanded', String(open));
  }

  /** Ask anew, if it is open. */
  async refresh(taskId) {
    if (taskId !== this.#taskId) { this.#heads.clear(); this.#show(null, 'none'); }
    this.#taskId = taskId;
    if (!this.#isOpen || !taskId) return;
    const mine = this.#asked += 1;
    const state = this.#kernel();
    if (state !== 'idle') { this.#show(null, state); return; }
    const answer = await this.#client.variables(taskId).catch(() => null);
    if (mine !== this.#asked) return;
    if (answer === null) this.#show(null, 'unreachable'); else this.#show(answer, this.#kernel());
  }

  #show(answer, state) {
    const variables = answer?.variables;
    this.#table.hidden = !variables?.length;
    if (!variables) {
      this.#note.textContent = NONE[state] ?? (state === 'idle' ? NONE.other : NONE.busy);
      this.#body.replaceChildren();
      return;
    }
    const more = answer.count > variables.length ? `The first ${variables.length} of ${count(answer.count)} names.` : '';
    this.#note.textContent = variables.length ? more : 'No variables yet.';
    this.#note.hidden = !this.#note.textContent;
    const names = new Set(variables.filter(each => each.table).map(each => each.name));
    this.#heads = new Set([...this.#heads].filter(name => names.has(name)));
    this.#body.replaceChildren(...variables.flatMap(each => this.#rows(each)));
  }

  #rows({name, type, shape, value, table}) {
    const row = first => h('tr', {}, h('th', {scope: 'row', class: 'mono'}, first), h('td', {}, type), h('td', {class: 'nb-var-shape'}, shape), h('td', {class: 'mono nb-var-value', title: value}, value));
    if (!table) return [row(name)];
    const place = h('td', {colspan: 4});
    const below = h('tr', {class: 'nb-head', hidden: !this.#heads.has(name)}, place);
    const opener = h('button', {type: 'button', class: 'nb-var-open mono', title: 'Show its first rows', 'aria-expanded': String(!below.hidden), onclick: () => {
      below.hidden = !below.hidden;
      opener.setAttribute('aria-expanded', String(!below.hidden));
      if (below.hidden) { this.#heads.delete(name); return; }
      this.#heads.add(name);
      this.#fillHead(place, name);
    }}, name);
    if (!below.hidden) this.#fillHead(place, name);
    return [row(opener), below];
  }

  async #fillHead(place, name) {
    if (!place.firstChild) place.textContent = 'Reading…';
    const answer = await this.#client.head(this.#taskId, name).catch(() => null);
    const head = answer?.head;
    if (!head) {
      place.textContent = answer ? 'There is nothing to show now: the kernel is at work, or the name is gone.' : NONE.unreachable;
      return;
    }
    const [rows, columns] = head.shape;
    const cut = [rows > head.rows.length && `${head.rows.length} of ${count(rows)} rows`, columns > head.columns.length && `${head.columns.length} of ${count(columns)} columns`].filter(Boolean);
    place.replaceChildren(sideways(h('div', {class: 'nb-head-scroll', tabindex: 0, role: 'region', 'aria-label': `First rows of ${name}`}, h('table', {},
      h('thead', {}, h('tr', {}, h('td'), head.columns.map(each => h('th', {scope: 'col'}, each)))),
      h('tbody', {}, head.rows.map((row, at) => h('tr', {}, h('th', {scope: 'row'}, head.index[at]), row.map(each => h('td', {}, each)))))))),
      cut.length ? h('p', {class: 'small muted'}, `The first ${cut.join(' and ')}.`) : '');
  }
}
