// The parts of CodeMirror 6 a cell uses, and nothing else.
import {autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap} from '@codemirror/autocomplete';
import {defaultKeymap, history, historyKeymap, indentWithTab} from '@codemirror/commands';
import {python} from '@codemirror/lang-python';
import {bracketMatching, indentOnInput, indentUnit, syntaxHighlighting} from '@codemirror/language';
import {Compartment, EditorState, Prec} from '@codemirror/state';
import {EditorView, drawSelection, highlightSpecialChars, keymap, lineNumbers, placeholder} from '@codemirror/view';
import {classHighlighter} from '@lezer/highlight';

/** What makes an editor one of Python: its grammar, indentation, brackets and colours (as `tok-*` classes). */
export const pythonEditing = [
  history(), drawSelection(), highlightSpecialChars(), indentUnit.of('    '), EditorState.tabSize.of(4), indentOnInput(),
  bracketMatching(), closeBrackets(), python(), syntaxHighlighting(classHighlighter),
  keymap.of([...closeBracketsKeymap, ...completionKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab]),
];

export {Compartment, EditorState, EditorView, Prec, autocompletion, keymap, lineNumbers, placeholder};
