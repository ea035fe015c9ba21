// A column in one line of every row, as services/tables/summary.py tells it of the first ones, and what of a line a narrow head holds.
import {pythonRepr} from './data_names.js';
import {count} from './workbench.js';

const LINES = 2;         // of a head
const BETWEEN = ' · ';   // phrases
const TEXT = /^([^·]* · )most often /;   // the summary of a column of text tells no range

/** A number as code takes it, without separators; beyond what a double holds exactly, with an exponent. */
export const number = value => typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER ? value.toExponential() : String(value ?? '');

export const isNumeric = ({type}) => type === 'int' || type === 'float';

/** The profile of a column in one line. */
export function summaryOf(profile) {
  const {approximate, distinct, min, max, top, missing, blank} = profile;
  const parts = [];
  if (distinct === 1 && top.length) parts.push(`only ${pythonRepr(top[0][0])}`);
  else if (distinct) {
    parts.push(`${approximate.includes('distinct') ? 'about ' : ''}${count(distinct)} different`);
    if (isNumeric(profile)) parts.push(`${number(min)} to ${number(max)}`);
    if (top[0]?.[1] > 1) parts.push(`most often ${pythonRepr(top[0][0])} (${count(top[0][1])})`);
  }
  if (blank) parts.push(`${count(blank)} blank`);
  if (missing > blank) parts.push(`${count(missing - blank)} ${blank ? 'more ' : ''}missing`);
  return parts.join(BETWEEN);
}

/** How many lines a text takes where this many letters stand in one. */
function linesOf(text, letters) {
  let [lines, used] = [1, 0];
  for (const {length} of text.split(' ')) {
    if (used && used + 1 + length > letters) { lines += 1; used = length; } else used += (used && 1) + length;
    while (used > letters) { lines += 1; used -= letters; }
  }
  return lines;
}

/** The letters of a line that lets the summary stand whole. */
export function lettersOf(summary) {
  let letters = Math.ceil(summary.length / LINES);
  while (linesOf(summary, letters) > LINES) letters += 1;
  return letters;
}

/** What `text` leaves when its last parts go, one after the other. */
const shorter = (text, between) => text.split(between).slice(0, -1).map((_, at, kept) => `${kept.slice(0, kept.length - at).join(between)}\u00a0…`);

/** The summary where this many letters stand in a line: cut after a phrase, or in the first of them after a word; of text, where its commonest value wants the room of "most often", with the value alone. */
export function fitted(summary, letters) {
  const brief = summary.replace(TEXT, '$1');
  const start = brief.split(BETWEEN).slice(0, brief === summary ? 1 : 2).join(BETWEEN);
  return [summary, brief, ...shorter(brief, BETWEEN), ...shorter(start, ' ')]
    .filter(text => !text.endsWith('·\u00a0…')).sort((one, other) => other.length - one.length)
    .find(text => linesOf(text, letters) <= LINES) ?? `${summary.slice(0, LINES * letters - 1)}…`;
}
