// The edges between the columns: dragged or moved by arrow keys, where they were left they stay.
import {recall, remember} from './remembered.js';
import {h} from './workbench.js';

const STEP = 16;   // px an arrow key moves an edge
const ROOM = 420;  // px the middle column keeps
/** The columns that have an edge to drag; `grows` is the direction, along x, in which its column grows. */
const COLUMNS = {
  browse: {label: 'Width of the task list', usual: 320, least: 220, most: 640, grows: 1},
  judge: {label: 'Width of the grade panel', usual: 360, least: 280, most: 720, grows: -1},
};

export function mount(pane) {
  const grid = document.getElementById('workbench');
  const widths = {...recall('columns')};

  const other = name => (name === 'browse' ? 'judge' : 'browse');
  const column = name => document.getElementById(name);
  const within = (name, width) => Math.round(Math.max(COLUMNS[name].least, Math.min(COLUMNS[name].most, width)));

  /** As wide as was wished, while the middle column keeps its room. */
  function apply() {
    for (const [name, {usual, least}] of Object.entries(COLUMNS)) {
      const room = grid.clientWidth - ROOM - (grid.clientWidth >= 1200 ? widths[other(name)] ?? COLUMNS[other(name)].usual : 0);
      const width = Math.max(least, Math.min(within(name, Number(widths[name]) || usual), room));
      grid.style.setProperty(`--${name}`, `${width}px`);
      edges[name].setAttribute('aria-valuenow', String(width));
    }
  }

  function set(name, width) {
    if (width === null) delete widths[name]; else widths[name] = within(name, width);
    remember('columns', widths);
    apply();
  }

  function edge(name, {label, least, most, grows}) {
    const element = h('div', {class: `edge ${name}`, role: 'separator', tabindex: 0, 'aria-orientation': 'vertical', 'aria-label': label,
      'aria-valuemin': least, 'aria-valuemax': most, title: `${label}: drag, or use the arrow keys; double-click for the usual one`});
    let from = null;
    element.addEventListener('pointerdown', event => {
      if (event.button !== 0) return;
      element.setPointerCapture(event.pointerId);
      from = {x: event.clientX, width: column(name).getBoundingClientRect().width};
      event.preventDefault();
    });
    element.addEventListener('pointermove', event => { if (from) set(name, from.width + grows * (event.clientX - from.x)); });
    for (const end of ['pointerup', 'pointercancel']) element.addEventListener(end, () => { from = null; });
    element.addEventListener('dblclick', () => set(name, null));
    element.addEventListener('keydown', event => {
      const width = column(name).getBoundingClientRect().width;
      const to = {ArrowRight: width + grows * STEP, ArrowLeft: width - grows * STEP, Home: least, End: most, Enter: null}[event.key];
      if (to === undefined) return;
      event.preventDefault();
      set(name, to);
    });
    return element;
  }

  const edges = Object.fromEntries(Object.entries(COLUMNS).map(([name, about]) => [name, edge(name, about)]));
  pane.append(...Object.values(edges));
  new ResizeObserver(apply).observe(grid);
  apply();
}
