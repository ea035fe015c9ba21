// What a sighted visitor would stumble over on the page as it stands, each as a line of text.
() => {
  const faults = [];
  const name = element => {
    const words = (element.getAttribute('aria-label') ?? element.textContent).trim().replace(/\s+/g, ' ').slice(0, 50);
    const classes = [...element.classList].map(each => `.${each}`).join('');
    return `${element.tagName.toLowerCase()}${element.id && `#${element.id}`}${classes} “${words}”`;
  };
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (wide > 0) faults.push(`the page scrolls ${wide} px sideways`);

  const seen = element => element.checkVisibility({visibilityProperty: true, opacityProperty: true, contentVisibilityAuto: true})
    && !element.closest('.visually-hidden, .skip:not(:focus), .js-plotly-plot, .cm-editor');
  const hidesX = style => ['hidden', 'clip'].includes(style.overflowX);
  const hidesY = style => ['hidden', 'clip'].includes(style.overflowY);
  const boxes = [...document.querySelectorAll('#masthead *, .pane *, dialog *')].filter(seen);

  // Text cut off with no sign of it: neither an ellipsis nor a way to scroll to the rest.
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const holder = node.parentElement;
    if (!node.data.trim() || !holder.closest('#masthead, .pane, dialog') || holder.closest('option, datalist') || !seen(holder)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const text = range.getBoundingClientRect();
    if (!text.width) continue;
    for (let box = holder; box && box !== document.body; box = box.parentElement) {
      const style = getComputedStyle(box);
      if (['auto', 'scroll'].includes(style.overflowX) || ['auto', 'scroll'].includes(style.overflowY)) break;
      if (style.textOverflow === 'ellipsis' && hidesX(style) || style.webkitLineClamp !== 'none') break;
      if (style.display === 'inline') continue;
      const edge = box.getBoundingClientRect();
      if (hidesX(style) && (text.right > edge.right + 1 || text.left < edge.left - 1)
        || hidesY(style) && (text.bottom > edge.bottom + 3 || text.top < edge.top - 3)) faults.push(`cut off: ${name(holder)} by ${name(box)}`);
    }
  }

  // Two controls on one spot, as far as each can be seen in the boxes it scrolls in.
  const shown = element => {
    const box = element.getBoundingClientRect();
    let {left, top, right, bottom} = box;
    for (let around = element.parentElement; around && around !== document.body; around = around.parentElement) {
      const style = getComputedStyle(around);
      if (style.overflowX === 'visible' && style.overflowY === 'visible') continue;
      const edge = around.getBoundingClientRect();
      [left, top, right, bottom] = [Math.max(left, edge.left), Math.max(top, edge.top), Math.min(right, edge.right), Math.min(bottom, edge.bottom)];
    }
    return {left, top, right, bottom};
  };
  const dialog = document.querySelector('dialog:modal');
  const raised = element => {   // what stands over the page on purpose: stuck, fixed or popped up
    for (let each = element; each && each !== document.body; each = each.parentElement) {
      if (['sticky', 'fixed'].includes(getComputedStyle(each).position) && !['browse', 'judge'].includes(each.id)) return each;
    }
    return null;
  };
  const controls = boxes.filter(each => each.matches('a[href], button, input, select, textarea, summary') && (!dialog || dialog.contains(each)))
    .map(element => ({element, box: shown(element), over: raised(element)})).filter(({box}) => box.right - box.left > 1 && box.bottom - box.top > 1);
  controls.forEach(({element, box, over}, index) => {
    for (const other of controls.slice(index + 1)) {
      if (element.contains(other.element) || over !== other.over) continue;
      const across = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
      const down = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
      if (across > 2 && down > 2) faults.push(`overlapping: ${name(element)} and ${name(other.element)}`);
    }
  });
  return [...new Set(faults)];
}
