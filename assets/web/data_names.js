// Names and values as a reader must see them: what hides is made visible, and code gets them as Python writes them.

const hex = (character, width) => character.codePointAt(0).toString(16).padStart(width, '0');
const MARKS = {'\n': '↵', '\r': '␍', '\t': '⇥', '\u00a0': '⍽'};

/** One line in which line ends, tabs, outer spaces, and characters without a shape or that turn the text round show. */
export const visible = text => text.replace(/^ +| +$/g, spaces => '·'.repeat(spaces.length)).replace(/\r\n/g, '↵')
  .replace(/[\r\n\t\u00a0]/g, character => MARKS[character])
  .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu, character => `⟨U+${hex(character, 4).toUpperCase()}⟩`);

const ALIKE = [
  [/\p{Script=Cyrillic}/u, 'Cyrillic'], [/\p{Script=Greek}/u, 'Greek'], [/[\uff01-\uff5e]/u, 'full-width'],
  [/[\u2010-\u2015\u2212]/u, 'not the ASCII hyphen'], [/[\u2018-\u201f]/u, 'not an ASCII quote'], [/\p{M}/u, 'a separate accent'],
];

/** What in a name looks like another character than it is, as a sentence; "" for names in which nothing does. */
export function lookAlikes(name) {
  const found = [];
  for (const word of name.split(/\s+/)) {
    for (const [pattern, what] of ALIKE) {
      const letter = word.match(pattern)?.[0];
      // a whole word in Cyrillic or Greek is just that; among Latin letters one is mistaken for its twin
      if (letter && (!/Cyrillic|Greek/.test(what) || /\p{Script=Latin}/u.test(word))) found.push(`${letter} (U+${hex(letter, 4).toUpperCase()}, ${what})`);
    }
  }
  return found.length ? `Looks like another character: ${found.join(', ')}. Copy the name rather than type it.` : '';
}

/** The text as Python's repr writes it. */
export function pythonRepr(text) {
  if (text === null) return 'None';
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const inner = text.replace(/\\/g, '\\\\').replaceAll(quote, `\\${quote}`)
    .replace(/\n/g, '\\n').replace(/\r/g, '\\r').replace(/\t/g, '\\t')
    .replace(/(?! )[\p{C}\p{Z}]/gu, character => {
      const code = character.codePointAt(0);
      return code < 256 ? `\\x${hex(character, 2)}` : code < 65536 ? `\\u${hex(character, 4)}` : `\\U${hex(character, 8)}`;
    });
  return quote + inner + quote;
}
