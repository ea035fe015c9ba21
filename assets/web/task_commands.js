// Commands that take a task elsewhere, each with a button that copies it.
import {sideways} from './sideways.js';
import {copy, h} from './workbench.js';

const APP = '{app}';   // stands where this page's own address belongs

export function taskCommands(commands) {
  const app = new URL('.', document.baseURI).href;
  return h('details', {class: 'commands'}, h('summary', {}, 'This task from code'), h('ul', {}, commands.map(({label, language, text, note}) => {
    const shown = text.replace(APP, () => app);
    return h('li', {},
      h('div', {class: 'row spread'}, h('h3', {}, label),
        h('button', {type: 'button', class: 'btn', 'aria-label': `Copy: ${label}`, onclick: event => copy(shown, event.currentTarget)}, 'Copy')),
      sideways(h('pre', {class: 'mono', tabindex: 0, role: 'group', 'aria-label': `${label}, ${language}`}, shown)),
      h('p', {class: 'small muted'}, note));
  })));
}
