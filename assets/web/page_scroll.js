// Where on the page one was, over a reload: the browser's own try is over before the panes are there.
import {recallInTab, rememberInTab} from './remembered.js';

const NAME = 'page_scroll';
const PANES = ['solve', 'judge', 'lab', 'batch', 'about', 'code'].map(column => `#${column} .pane`).join();   // what scrolls with the page
const PATIENCE_MS = 5000;   // for panes above the place that are still to come

const top = pane => Math.round(pane.getBoundingClientRect().top);

/** Keep the place, as the pane at the top of the window and how far it is above it; go there as the page grows, until a person does anything. */
export function keepPageScroll() {
  const kept = recallInTab(NAME);
  addEventListener('pagehide', () => {
    const pane = scrollY > 0 && [...document.querySelectorAll(PANES)].find(each => each.checkVisibility() && each.getBoundingClientRect().bottom > 0);
    rememberInTab(NAME, pane ? {address: location.search, pane: pane.classList[1], top: top(pane)} : null);
  });
  const [{type} = {}] = performance.getEntriesByType('navigation');
  if (type !== 'reload' || kept?.address !== location.search) return;
  const grown = new ResizeObserver(() => {
    const pane = document.querySelector(`.pane.${CSS.escape(kept.pane)}`);
    if (pane?.checkVisibility()) scrollBy({top: top(pane) - kept.top});
  });
  const over = new AbortController();
  const end = () => { grown.disconnect(); over.abort(); };
  for (const sign of ['wheel', 'touchstart', 'pointerdown', 'keydown']) addEventListener(sign, end, {passive: true, signal: over.signal});
  setTimeout(end, PATIENCE_MS);
  grown.observe(document.body);
}
