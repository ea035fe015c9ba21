// How far the list was scrolled, by the list's address and the task open beside it; kept in this tab.
import {recallInTab, rememberInTab} from './remembered.js';

const NAME = 'scroll';
const KEPT = 50;
const PAUSE_MS = 150;
const FRAMES = 4;

function stored() {
  try { return new Map(recallInTab(NAME)); } catch { return new Map(); }
}

/** Watches `list`. `shown(name)` names the list now in it, and tells whether it was in it before; `restore()` scrolls to where that one was left beside the task `open()`, if anywhere. */
export function listScroll(list, open) {
  const places = stored();   // key: [index of the first row in sight, pixels of it above the edge]
  let name = '', pause = 0;
  const key = () => JSON.stringify([name, open()]);

  function save() {
    const index = [...list.children].findIndex(child => child.offsetTop + child.offsetHeight > list.scrollTop);
    if (index < 0) return;
    places.delete(key());
    places.set(key(), [index, Math.round(list.scrollTop - list.children[index].offsetTop)]);
    if (places.size > KEPT) places.delete(places.keys().next().value);
    rememberInTab(NAME, [...places]);
  }

  // Rows get their true height once they come in sight, which moves those below them.
  function settle(child, above, frames) {
    if (!child.isConnected || !list.clientHeight) return;
    list.scrollTop = child.offsetTop + above;
    if (frames) requestAnimationFrame(() => settle(child, above, frames - 1));
  }

  list.addEventListener('scroll', () => { clearTimeout(pause); pause = setTimeout(save, PAUSE_MS); }, {passive: true});

  return {
    save,
    shown(next) {
      const same = next === name;
      name = next;
      return same;
    },
    restore() {
      const [index, above] = places.get(key()) ?? [];
      const child = list.children[index];
      if (child) settle(child, above, FRAMES);
      return Boolean(child);
    },
  };
}
