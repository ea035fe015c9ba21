// Snippets for programs and agents, with the address of this very app and the task chosen in them.
import {sideways} from './sideways.js';
import {copy, h, withCode, workbench} from './workbench.js';

export function mount(pane, server) {
  const app = new URL('./', document.baseURI).href;
  const said = h('p', {class: 'visually-hidden', role: 'status'});
  const body = h('div', {class: 'use'});
  let shown = null;  // the task the snippets are about
  pane.replaceChildren(said, body);

  function snippet({title, note, code}) {
    const text = code.replaceAll('{app}', app);
    const button = h('button', {type: 'button', class: 'btn', 'aria-label': `Copy: ${title}`, onclick: async () => {
      said.textContent = '';
      await copy(text, button);
      said.textContent = button.textContent;
    }}, 'Copy');
    return h('section', {class: 'card', 'aria-label': title},
      h('div', {class: 'row spread'}, h('h2', {}, title), button),
      h('p', {class: 'small muted'}, withCode(note)),
      sideways(h('pre', {tabindex: 0, role: 'group', 'aria-label': `Code: ${title}`}, h('code', {}, text))));
  }

  const intro = task => h('div', {class: 'card'}, h('h2', {}, 'Use it from code'),
    h('p', {}, withCode('Five endpoints, for programs and as MCP tools for agents: `search_tasks`, `get_task`, `list_files`, `preview_file` and `grade`.')),
    h('p', {}, 'None of them runs code, and none tells a gold answer. What can’t be answered comes with a sentence and a state: nothing that failed is graded as wrong.'),
    h('p', {class: 'small muted'}, withCode(`The snippets ask this app, about the task \`${task}\`. Copy one and run it as it stands.`)));

  async function ask() {
    if (workbench.view !== 'code') return;
    const task_id = workbench.chosen;
    if (shown === task_id) return;
    shown = task_id;
    if (!body.firstChild) body.replaceChildren(h('p', {class: 'muted'}, 'Writing the snippets…'));
    try {
      const answer = await server.snippets({task_id});
      if (answer.error) throw new Error(answer.error);
      body.replaceChildren(intro(answer.task_id), ...answer.snippets.map(snippet));
    } catch (error) {
      shown = null;
      body.replaceChildren(h('p', {}, `The snippets did not come. ${error.message} `, h('button', {type: 'button', class: 'btn', onclick: ask}, 'Try again')));
    }
  }

  workbench.addEventListener('view', ask);
  workbench.addEventListener('choose', ask);
  workbench.addEventListener('source', () => { shown = null; ask(); });
  ask();
}
