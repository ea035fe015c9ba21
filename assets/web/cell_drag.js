// Moving a cell by its handle: drag it with mouse, pen or finger, or press the arrow keys on it.
import {h} from './workbench.js';

const EDGE = 60;   // px from the window's edge, where the page scrolls along
const STEP = 12;   // px a frame

/** The place a cell dropped at height `y` would have among the others. */
const placeAt = (others, y) => others.filter(each => {
  const {top, height} = each.element.getBoundingClientRect();
  return top + height / 2 < y;
}).length;

/** A cell's handle. `host` has `cells` and move(cell, to). */
export function dragHandle(cell, host) {
  const line = h('div', {class: 'nb-drop'});
  let drag = null;   // {y, to, frame} while one is under way

  function draw() {
    const others = host.cells.filter(each => each !== cell);
    drag.to = placeAt(others, drag.y);
    cell.element.parentElement.insertBefore(line, others[drag.to]?.element ?? null);
    const scroll = drag.y < EDGE ? -STEP : drag.y > innerHeight - EDGE ? STEP : 0;
    if (scroll) scrollBy({top: scroll, behavior: 'instant'});
    drag.frame = requestAnimationFrame(draw);
  }

  function end(drop) {
    if (!drag) return;
    cancelAnimationFrame(drag.frame);
    line.remove();
    cell.element.classList.remove('dragged');
    const {to} = drag;
    drag = null;
    if (drop && to !== undefined) host.move(cell, to);
  }

  return h('button', {
    type: 'button', tabindex: -1, class: 'btn quiet nb-icon nb-handle', title: 'Move cell: drag, or arrow keys', 'aria-label': 'Move cell: drag it, or press the arrow keys',
    onpointerdown: event => {
      if (event.button) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      drag = {y: event.clientY, frame: 0, from: event.clientY};
    },
    onpointermove: event => {
      if (!drag) return;
      drag.y = event.clientY;
      if (drag.frame || Math.abs(drag.y - drag.from) < 5) return;
      cell.element.classList.add('dragged');
      draw();
    },
    onpointerup: () => end(true),
    onpointercancel: () => end(false),
    onkeydown: event => {
      if (event.key === 'Escape' && drag) { event.preventDefault(); end(false); return; }
      const step = {ArrowUp: -1, ArrowDown: 1}[event.key];
      if (!step) return;
      event.preventDefault();
      host.move(cell, host.cells.indexOf(cell) + step);
    },
  }, '⠿');
}
