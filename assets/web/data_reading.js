// How delimited text is taken apart, a form to change it, and what may mislead in the file.
import {count, h, withCode} from './workbench.js';

const ENCODINGS = ['utf-8', 'utf-8-sig', 'cp1252', 'latin-1', 'utf-16', 'utf-16-le', 'utf-16-be', 'cp1251', 'cp1250', 'shift_jis', 'gb18030', 'big5', 'euc-kr', 'mac-roman'];
const DELIMITERS = {',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'bar', ' ': 'space', ':': 'colon', '^': 'caret', '~': 'tilde'};
const inWords = delimiter => DELIMITERS[delimiter] ?? `“${delimiter}”`;

/** The line "How it is read". `change(reading)` is called with another one, or with null for the one found. */
export function readingLine(change) {
  const line = h('summary', {class: 'small'});
  const encoding = h('select', {}), delimiter = h('select', {});
  const header = h('input', {type: 'checkbox'}), quotes = h('input', {type: 'checkbox'});
  const back = h('button', {type: 'button', class: 'btn', onclick: () => change(null)}, 'Back to as found');
  const form = h('form', {class: 'row reading', onsubmit: event => {
    event.preventDefault();
    change({encoding: encoding.value, delimiter: delimiter.value, header: header.checked, quotes: quotes.checked});
  }}, h('label', {class: 'field'}, 'Encoding', encoding), h('label', {class: 'field'}, 'Between fields', delimiter),
  h('label', {class: 'row small'}, header, 'The first row holds the names'), h('label', {class: 'row small'}, quotes, 'Quotes enclose cells'),
  h('button', {type: 'submit', class: 'btn'}, 'Read again'), back);
  const element = h('details', {class: 'how-read'}, line, form);

  function show(used, chosen) {
    element.hidden = !used;
    if (!used) return;
    line.textContent = `${chosen ? 'Read by your choice' : 'How it is read'}: ${used.encoding}, ${inWords(used.delimiter)} between fields, ${used.header ? 'names in the first row' : 'no row of names'}, ${used.quotes ? 'quotes enclose cells' : 'quotes are part of cells'}`;
    const options = (known, value, words) => [...new Set([...known, value])].map(each => h('option', {value: each, selected: each === value}, words(each)));
    encoding.replaceChildren(...options(ENCODINGS, used.encoding, each => each));
    delimiter.replaceChildren(...options(Object.keys(DELIMITERS), used.delimiter, inWords));
    header.checked = used.header;
    quotes.checked = used.quotes;
    back.hidden = !chosen;
  }

  return {element, show};
}

/** The warnings, folded to one line on a narrow screen. `jump(row)` goes to a row (from 1); `use(args)` writes the reading line into the notebook. */
export function warningList(jump, use) {
  const line = h('summary', {class: 'small'});
  const list = h('ul', {class: 'notes small', 'aria-label': 'Warnings'});
  const folded = h('details', {class: 'warnings', open: matchMedia('(min-width: 481px)').matches}, line, list);
  const told = h('div', {class: 'small muted told'});
  const element = h('div', {}, told, folded);
  const one = ({text, rows}, cure) => h('li', {}, withCode(text),
    rows.length > 0 && h('span', {class: 'where'}, ' ', rows.map(row => h('button', {type: 'button', class: 'link', onclick: () => jump(row)}, `row ${count(row)}`))), cure);
  const cureOf = (args, many) => args && h('span', {class: 'cure'}, many > 1 && `These ${many}:`, h('code', {}, `read_csv(…, ${args})`), h('button', {type: 'button', class: 'btn', onclick: () => use(args)}, 'Use in notebook'));

  /** Those that one line reads right stand together, over that line. */
  function grouped(all) {
    const groups = new Map();
    for (const each of all) groups.set(each.arguments, [...groups.get(each.arguments) ?? [], each]);
    return [...groups].flatMap(([args, group]) => group.map((each, at) => one(each, at === group.length - 1 && cureOf(args, group.length))));
  }

  return {
    element,
    /** What every row tells takes the place of what the first rows told; until then it is said how many those are. */
    show({notes, warnings, warned}, whole = null, stop = null) {
      const kinds = new Set(whole?.warnings.map(({kind}) => kind));
      const kept = whole?.checked && warned ? [] : warnings.filter(({kind}) => !kinds.has(kind));
      const all = [...kept, ...(whole?.warnings ?? [])];
      const partly = warned && !whole?.checked;
      element.hidden = !notes.length && !all.length && !partly;
      told.replaceChildren(...notes.map(note => h('p', {}, note)));
      if (partly) {
        told.append(h('p', {}, `The warnings are of the first ${count(warned)} rows.`,
          whole?.checking && [' Every row is being looked through… ', h('button', {type: 'button', class: 'link', onclick: stop}, 'Stop')]));
      }
      folded.hidden = !all.length;
      line.textContent = `${count(all.length)} warning${all.length === 1 ? '' : 's'}`;
      list.replaceChildren(...grouped(all));
    },
  };
}
