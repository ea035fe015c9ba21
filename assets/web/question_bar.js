// The question in reach: once it has scrolled away it stands, short, over what is looked at, with ways to the other panes.
import {h, withCode, workbench} from './workbench.js';

// pane: its name, and what in it gets the focus
const WAYS = {
  task_browser: ['List', '.tasks'], task_view: ['Task', '.asked'], data_preview: ['Data', '.fold-pane'],
  notebook: ['Notebook', '.fold-pane'], grade_panel: ['Grade', 'textarea'],
};

export function mount(pane) {
  const text = h('span', {class: 'text'});
  const question = h('button', {type: 'button', class: 'question', 'aria-expanded': 'false', title: 'The whole question, or two lines of it', onclick: () => expand(text.classList.toggle('whole'))}, text);
  const ways = h('span', {class: 'ways'}, Object.entries(WAYS).map(([id, [label]]) => h('button', {type: 'button', class: `btn quiet to-${id}`, 'aria-label': `Go to ${label}`, onclick: () => go(id)}, label)));
  const bar = h('nav', {class: 'bar', 'aria-label': 'The question, and ways through the task', hidden: true}, question, ways);
  pane.append(bar);

  function go(id) {
    shorten();
    const target = document.querySelector(`.pane.${id}`);
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    target.scrollIntoView({block: 'start', behavior: still ? 'auto' : 'smooth'});
    target.querySelector(WAYS[id][1])?.focus({preventScroll: true});
  }

  const expand = whole => question.setAttribute('aria-expanded', String(whole));
  const shorten = () => { text.classList.remove('whole'); expand(false); };

  let asked = null;

  function look() {
    const focused = bar.contains(document.activeElement);
    bar.hidden = !asked?.checkVisibility() || asked.getBoundingClientRect().bottom > 0;
    if (bar.hidden && focused) asked?.focus({preventScroll: true});
  }

  workbench.onTask(task => {
    asked = task && document.querySelector('#task_view .asked');
    shorten();
    text.replaceChildren(...withCode(task?.question ?? ''));
    look();
  });
  workbench.addEventListener('view', look);
  addEventListener('scroll', look, {passive: true});
  addEventListener('resize', look);
}
