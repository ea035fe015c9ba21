// A box that scrolls sideways shows on which side it goes on.
import {h} from './workbench.js';

/** `box` in a frame that fades it, with a sign, at each edge beyond which there is more. The frame takes the place of it, or of `whole`, which holds it. */
export function sideways(box, whole = box) {
  const hint = side => h('div', {class: `more-columns ${side}`, 'aria-hidden': 'true'});
  const frame = h('div', {class: 'sideways'}, whole, hint('before'), hint('after'));
  const look = () => {
    frame.classList.toggle('moved', box.scrollLeft > 0);
    frame.classList.toggle('onward', box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
  };
  const sizes = new ResizeObserver(look);
  const watch = () => { for (const each of [box, ...box.children]) sizes.observe(each); };
  new MutationObserver(watch).observe(box, {childList: true});
  box.addEventListener('scroll', look);
  watch();
  return frame;
}
