// The links between the views; each view stays as it is while another one is looked at.
import {workbench} from './workbench.js';

export function mount(masthead) {
  const links = [...masthead.querySelectorAll('a[data-view]')];

  function mark() {
    for (const link of links) {
      if (link.dataset.view === workbench.view) link.setAttribute('aria-current', 'page'); else link.removeAttribute('aria-current');
    }
  }

  for (const link of links) {
    link.addEventListener('click', event => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      if (workbench.view !== link.dataset.view) workbench.show(link.dataset.view);
    });
  }
  workbench.addEventListener('view', mark);
  mark();
}
