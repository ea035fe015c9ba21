// The parts of CodeMirror 6 a cell uses, and nothing else.
import {
  acceptCompletion, autocompletion, closeBrackets, closeBracketsKeymap, closeCompletion, completionKeymap,
  completionStatus, moveCompletionSelection, selectedCompletion, startCompletion,
} from '@codemirror/autocomplete';
import {defaultKeymap, history, historyKeymap, indentLess, indentMore} from '@codemirror/commands';
import {globalCompletion, localCompletionSource, python} from '@codemirror/lang-python';
import {bracketMatching, indentOnInput, indentUnit, syntaxHighlighting} from '@codemirror/language';
import {Compartment, EditorState, Prec, StateEffect, StateField} from '@codemirror/state';
import {EditorView, drawSelection, highlightSpecialChars, keymap, lineNumbers, placeholder, showTooltip} from '@codemirror/view';
import {classHighlighter} from '@lezer/highlight';

/** What every editor has. */
export const editing = [
  history(), drawSelection(), highlightSpecialChars(), indentUnit.of('    '), EditorState.tabSize.of(4), keymap.of([...defaultKeymap, ...historyKeymap]),
];

/** What makes one an editor of Python: its grammar, indentation, brackets and colours (as `tok-*` classes). Goes first. */
export const pythonEditing = [
  indentOnInput(), bracketMatching(), closeBrackets(), python(), syntaxHighlighting(classHighlighter), keymap.of([...closeBracketsKeymap, ...completionKeymap]),
];

export {
  Compartment, EditorState, EditorView, Prec, StateEffect, StateField, acceptCompletion, autocompletion, closeCompletion, completionStatus,
  globalCompletion, indentLess, indentMore, keymap, lineNumbers, localCompletionSource, moveCompletionSelection, placeholder, selectedCompletion,
  showTooltip, startCompletion,
};
