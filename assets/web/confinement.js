// How far cells are confined: said at the page's foot, and at its head where they are not fully.
import {h} from './workbench.js';

const ASK_AGAIN = 1500;  // ms, while the sandbox is being tried

export function mount(pane, server) {
  const foot = h('p', {class: 'small muted', role: 'status'}, 'Kernels: the sandbox is being tried…');
  pane.replaceChildren(foot);

  function say({all, layers, why_not: whyNot, off}) {
    pane.dataset.confined = off ? 'off' : all ? 'all' : layers.length ? 'partly' : 'not';
    if (all) { foot.textContent = `Kernels are confined: ${layers.join(', ')}.`; return; }
    if (off) { foot.textContent = off; head('bad', off); return; }
    foot.textContent = layers.length ? `Kernels are confined in part: ${layers.join(', ')}.` : 'Kernels are not confined.';
    head('warn', layers.length
      ? `Code in cells is confined in part only (${layers.join(', ')}). It can still: ${whyNot}. Run only code you trust.`
      : `Code in cells is not confined: ${whyNot}. It can do on this machine whatever you can. Run only code you trust.`);
  }

  function head(look, text) {
    document.getElementById('workbench')?.before(h('div', {class: 'pane confinement-head'}, h('p', {class: `notice ${look}`, role: 'alert'}, text)));
  }

  async function ask() {
    let state;
    try { state = await server.confinement_state({}); } catch { state = {tried: false}; }
    if (state.tried) say(state); else setTimeout(ask, ASK_AGAIN);
  }

  ask();
}
