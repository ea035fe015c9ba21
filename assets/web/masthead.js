// The way past the list, and the links between the views; each view stays as it is while another one is looked at.
import {keepPageScroll} from './page_scroll.js';
import {workbench} from './workbench.js';

export function mount(masthead) {
  const links = [...masthead.querySelectorAll('a[data-view]')];

  const skip = masthead.querySelector('.skip');

  function mark() {
    skip.textContent = workbench.view ? `Skip to: ${links.find(link => link.dataset.view === workbench.view)?.textContent ?? 'the view'}` : 'Skip to the task';
    for (const link of links) {
      if (link.dataset.view === workbench.view) link.setAttribute('aria-current', 'page'); else link.removeAttribute('aria-current');
    }
  }

  skip.addEventListener('click', event => {
    event.preventDefault();   // the address says what is shown, and no more
    const heading = document.querySelector(workbench.view ? `#${CSS.escape(workbench.view)} h2` : '#task_view h2');
    if (!heading) return;
    heading.tabIndex = -1;
    heading.focus();
  });

  for (const link of links) {
    link.addEventListener('click', event => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      if (workbench.view !== link.dataset.view) workbench.show(link.dataset.view);
    });
  }
  masthead.querySelector('.keys').addEventListener('click', () => workbench.dispatchEvent(new Event('keys')));
  keepPageScroll();
  workbench.addEventListener('view', mark);
  mark();
}
