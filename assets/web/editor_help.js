// What the kernel knows about code being typed: completions (as one types, or Tab) and documentation (Shift+Tab).
import {
  EditorView, Prec, StateEffect, StateField, acceptCompletion, autocompletion, closeCompletion, completionStatus, globalCompletion,
  indentLess, indentMore, keymap, localCompletionSource, moveCompletionSelection, selectedCompletion, showTooltip, startCompletion,
} from './codemirror.js';
import {TerminalText} from './terminal_text.js';
import {h} from './workbench.js';

const KINDS = {function: 'function', instance: 'variable', statement: 'variable', module: 'namespace', class: 'class', keyword: 'keyword', param: 'property',
  'dict key': 'property', attribute: 'property', magic: 'keyword', path: 'text'};
const NO_KERNEL = 'The documentation comes from the kernel: run a cell first, and wait until none runs.';
const NONE_YET = 'Completions come from the kernel: run a cell first, and wait until none runs.';
const NOTHING = 'The kernel knows nothing about this name.';

// Jupyter counts code points, the editor UTF-16 units
const codePoints = (text, units) => Array.from(text.slice(0, units)).length;
const utf16Units = (text, points) => Array.from(text).slice(0, points).join('').length;

const request = (state, position) => {
  const code = state.doc.toString();
  return {code, cursor: codePoints(code, position)};
};

/** Completions of the words in the code and of Python's own: all there is without a kernel that is free. */
function withoutKernel(context) {
  const [words, names] = [localCompletionSource(context), globalCompletion(context)];
  return words && names ? {...words, options: [...words.options, ...names.options]} : words ?? names;
}

function completions(ask) {
  return async context => {
    if (!context.explicit) {
      const worth = context.matchBefore(/[A-Za-z_]\w+$/) ?? context.matchBefore(/[\w)\]'"]\.$/);
      if (!worth || /^\d+\.$/.test(worth.text) || context.tokenBefore(['Comment', 'String'])) return null;
    }
    const asked = request(context.state, context.pos);
    const answer = await ask('complete', asked);
    if (!answer?.matches) {
      const own = withoutKernel(context);
      if (!own && !answer && context.explicit) setTimeout(() => tell(context.view, context.state, NONE_YET));
      return own;
    }
    const from = utf16Units(asked.code, answer.start);
    // magics only where one was begun
    const matches = answer.matches.filter(([text]) => !text.startsWith('%') || asked.code[from] === '%');
    if (!matches.length) return null;
    const options = matches.map(([label, kind]) => ({label, type: KINDS[kind]}));
    return {from, to: utf16Units(asked.code, answer.end), options, validFor: /^\w*$/};
  };
}

const showDocumentation = StateEffect.define();

const documentation = StateField.define({
  create: () => null,
  update(shown, transaction) {
    for (const effect of transaction.effects) if (effect.is(showDocumentation)) return effect.value;
    return transaction.docChanged || transaction.selection ? null : shown;
  },
  provide: field => showTooltip.from(field, shown => shown && {
    pos: shown.position,
    create: () => ({dom: h('div', {class: 'nb-doc', role: 'status', 'aria-label': 'Documentation'}, new TerminalText(shown.text).element)}),
  }),
});

function closeDocumentation(view) {
  if (!view.state.field(documentation)) return false;
  view.dispatch({effects: showDocumentation.of(null)});
  return true;
}

async function inspect(view, ask) {
  const {state} = view;
  const position = state.selection.main.head;
  const answer = await ask('inspect', request(state, position));
  tell(view, state, answer ? answer.text || NOTHING : NO_KERNEL);
}

/** Show `text` at the cursor, unless one typed on, or moved, since `state` was. */
function tell(view, state, text) {
  const position = state.selection.main.head;
  if (view.state.doc !== state.doc || view.state.selection.main.head !== position) return;
  view.dispatch({effects: showDocumentation.of({position, text})});
}

/** The text before the cursor on its line; `null` when something is selected. */
function beforeCursor({state}) {
  const {main} = state.selection;
  const line = state.doc.lineAt(main.head);
  return main.empty ? line.text.slice(0, main.head - line.from) : null;
}

function tab(view) {
  if (completionStatus(view.state) === 'active') {
    if (!selectedCompletion(view.state)) moveCompletionSelection(true)(view);
    acceptCompletion(view);
    return true;
  }
  return /[\w.'"[(%/]$/.test(beforeCursor(view) ?? '') ? startCompletion(view) : indentMore(view);
}

function shiftTab(view, ask) {
  if (!beforeCursor(view)?.trim()) return indentLess(view);
  closeCompletion(view);
  inspect(view, ask);
  return true;
}

/** Closes what is shown, and else is not used up: it goes on to leave the editor. */
function escape(view) {
  if (completionStatus(view.state) === 'pending') closeCompletion(view);
  return closeDocumentation(view);
}

/** An editor's extensions. `ask(kind, {code, cursor})`, kind `complete` or `inspect`, resolves with the kernel's answer, or `null`. */
export const editorHelp = ask => [
  // nothing is chosen before one chooses: Enter stays a new line
  autocompletion({
    override: [completions(ask)], activateOnTypingDelay: 150, selectOnOpen: false, interactionDelay: 0, defaultKeymap: false, icons: false, maxRenderedOptions: 60,
  }),
  documentation,
  Prec.high(keymap.of([
    {key: 'Tab', run: tab}, {key: 'Shift-Tab', run: view => shiftTab(view, ask)}, {key: 'Escape', run: escape},
  ])),
  EditorView.domEventHandlers({focusout(event, view) { if (event.relatedTarget && !view.dom.contains(event.relatedTarget)) closeDocumentation(view); }}),
];
