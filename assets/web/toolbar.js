// Buttons that stand together are one stop of Tab: the left and right arrow, Home and End go along them.
import {h} from './workbench.js';

/** A toolbar of `buttons` called `label`; `before` stands in it and is no stop. */
export function toolbar(label, kind, buttons, before = []) {
  const stopAt = button => { for (const each of buttons) each.tabIndex = each === button ? 0 : -1; };
  const element = h('span', {class: kind, role: 'toolbar', 'aria-label': label}, before, buttons);
  stopAt(buttons[0]);
  element.addEventListener('focusin', event => { if (buttons.includes(event.target)) stopAt(event.target); });
  element.addEventListener('keydown', event => {
    const shown = buttons.filter(button => button.checkVisibility());
    const at = shown.indexOf(event.target);
    const to = {ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: shown.length - 1}[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    shown[(to + shown.length) % shown.length].focus();
  });
  return element;
}
