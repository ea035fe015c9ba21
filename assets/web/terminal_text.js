// Text as a terminal shows it: colours, carriage return, backspace, erase and cursor moves.
// Like a terminal, only the last lines (the screen) can still change; lines above it are settled and drawn once,
// so a long stream costs what is new, not what is there.
import {h} from './workbench.js';

const SCREEN = 64;     // lines a cursor can reach
const CHUNK = 200;     // settled lines a block: a browser lays out a block anew when it grows
const LONG_LINE = 300; // past this a line is prose, not a table, and wraps
const PLAIN = null;

// escape sequences (CSI, OSC, others), then the single characters that move the cursor
// eslint-disable-next-line no-control-regex
const CONTROL = /\x1b\[([0-9;:?]*)[ -/]*([@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[^[\]]|[\r\n\b\x07]/g;
// eslint-disable-next-line no-control-regex
const UNFINISHED = /\x1b(?:\[[0-9;:?]*[ -/]*|\][^\x07\x1b]{0,4096}\x1b?)?$/;

const CUBE = [0, 95, 135, 175, 215, 255];
const hex = (...rgb) => '#' + rgb.map(part => Math.min(255, Math.max(0, part | 0)).toString(16).padStart(2, '0')).join('');

/** A colour of the 256-colour table: 0-15 stay numbers (the theme's own colours), the rest become #rrggbb. */
function tableColour(number) {
  if (number < 16) return number;
  if (number >= 232) return hex(...Array(3).fill(8 + 10 * (number - 232)));
  const cube = number - 16;
  return hex(CUBE[Math.floor(cube / 36)], CUBE[Math.floor(cube / 6) % 6], CUBE[cube % 6]);
}

/** The style after a `CSI … m` sequence, given the one before it. `null` is plain text. */
function restyle(style, parameters) {
  const codes = parameters.split(/[;:]/).map(Number);
  let next = {...style};
  for (let i = 0; i < codes.length; i += 1) {
    const code = codes[i];
    if (code === 0) next = {};
    else if (code === 1) next.bold = true;
    else if (code === 2) next.dim = true;
    else if (code === 3) next.italic = true;
    else if (code === 4) next.underline = true;
    else if (code === 7) next.inverse = true;
    else if (code === 22) { delete next.bold; delete next.dim; }
    else if (code === 23) delete next.italic;
    else if (code === 24) delete next.underline;
    else if (code === 27) delete next.inverse;
    else if (code === 39) delete next.fg;
    else if (code === 49) delete next.bg;
    else if (code >= 30 && code <= 37) next.fg = code - 30;
    else if (code >= 40 && code <= 47) next.bg = code - 40;
    else if (code >= 90 && code <= 97) next.fg = code - 82;
    else if (code >= 100 && code <= 107) next.bg = code - 92;
    else if (code === 38 || code === 48) {
      const name = code === 38 ? 'fg' : 'bg';
      if (codes[i + 1] === 5) { next[name] = tableColour(codes[i + 2] & 255); i += 2; }
      else if (codes[i + 1] === 2) { next[name] = hex(...codes.slice(i + 2, i + 5)); i += 4; }
    }
  }
  return Object.keys(next).length ? next : PLAIN;
}

/** The sequence that gives `style` from plain text. */
function sequence(style) {
  if (style === PLAIN) return '\x1b[0m';
  const codes = [0];
  if (style.bold) codes.push(1);
  if (style.dim) codes.push(2);
  if (style.italic) codes.push(3);
  if (style.underline) codes.push(4);
  if (style.inverse) codes.push(7);
  for (const [colour, base] of [[style.fg, 30], [style.bg, 40]]) {
    if (typeof colour === 'number') codes.push(colour < 8 ? base + colour : base + 52 + colour);
    else if (colour) codes.push(base + 8, 2, ...colour.match(/[0-9a-f]{2}/g).map(part => parseInt(part, 16)));
  }
  return `\x1b[${codes.join(';')}m`;
}

function styledNode(text, style) {
  if (style === PLAIN) return text;
  const [fg, bg] = style.inverse ? [style.bg ?? 'page', style.fg ?? 'text'] : [style.fg, style.bg];
  const classes = ['bold', 'dim', 'italic', 'underline'].filter(name => style[name]).map(name => `ansi-${name}`);
  const span = h('span', {}, text);
  for (const [colour, kind] of [[fg, 'fg'], [bg, 'bg']]) {
    if (colour === undefined) continue;
    if (String(colour).startsWith('#')) { classes.push(`ansi-${kind}`); span.style.setProperty(`--ansi-${kind}`, colour); }
    else classes.push(`ansi-${kind}-${colour}`);
  }
  span.className = classes.join(' ');
  return span;
}

class Line {
  text = '';
  styles = null;  // one a character, or null while all are plain

  put(column, text, style) {
    if (column > this.text.length) this.put(this.text.length, ' '.repeat(column - this.text.length), PLAIN);
    if (style !== PLAIN && !this.styles) this.styles = Array(this.text.length).fill(PLAIN);
    if (this.styles) {
      const styles = this.styles;
      for (let i = 0; i < text.length; i += 1) styles[column + i] = style;
    }
    this.text = this.text.slice(0, column) + text + this.text.slice(column + text.length);
  }

  cut(column) {
    this.text = this.text.slice(0, column);
    if (this.styles) this.styles.length = this.text.length;
  }

  /** [text, style] pieces, each of one style. */
  * pieces() {
    if (!this.styles) { if (this.text) yield [this.text, PLAIN]; return; }
    for (let start = 0, end = 0; start < this.text.length; start = end) {
      while (end < this.text.length && this.styles[end] === this.styles[start]) end += 1;
      yield [this.text.slice(start, end), this.styles[start]];
    }
  }

  toString() {
    if (!this.styles) return this.text;
    let text = '';
    for (const [piece, style] of this.pieces()) text += style === PLAIN ? piece : sequence(style) + piece + sequence(PLAIN);
    return text;
  }
}

export class TerminalText {
  element = h('pre', {class: 'nb-text'});
  #settled = [];        // lines above the screen, as text
  #undrawn = [];        // settled lines not on the page yet
  #block = null;        // the settled block being filled
  #blockLines = 0;
  #live = h('div');
  #screen = [new Line()];
  #row = 0;
  #column = 0;
  #style = PLAIN;
  #rest = '';           // an escape sequence whose end has not come yet
  #stale = false;       // written to since it was drawn

  constructor(text = '') {
    this.element.append(this.#live);
    if (text) { this.write(text); this.draw(); }
  }

  write(chunk) {
    this.#stale = true;
    let text = this.#rest + chunk;
    this.#rest = UNFINISHED.exec(text)?.[0] ?? '';
    if (this.#rest) text = text.slice(0, -this.#rest.length);
    let from = 0;
    CONTROL.lastIndex = 0;
    for (let match = CONTROL.exec(text); match; match = CONTROL.exec(text)) {
      if (match.index > from) this.#put(text.slice(from, match.index));
      from = CONTROL.lastIndex;
      if (match[0] === '\n') this.#newline();
      else if (match[0] === '\r') this.#column = 0;
      else if (match[0] === '\b') this.#column = Math.max(0, this.#column - 1);
      else if (match[2]) this.#control(match[2], match[1]);
    }
    if (from < text.length) this.#put(text.slice(from));
  }

  #put(text) {
    const line = this.#screen[this.#row];
    line.put(this.#column, text, this.#style);
    this.#column += text.length;
    if (line.text.length > LONG_LINE) this.element.classList.add('wrap');
  }

  #newline() {
    this.#row += 1;
    this.#column = 0;
    if (this.#row === this.#screen.length) this.#screen.push(new Line());
    if (this.#screen.length > SCREEN) {
      const line = this.#screen.shift();
      this.#row -= 1;
      this.#undrawn.push(line);
      this.#settled.push(String(line));
    }
  }

  #control(kind, parameters) {
    const [first, second] = parameters.split(';').map(Number);
    const steps = Math.min(first || 1, 10_000);
    const line = this.#screen[this.#row];
    if (kind === 'm') this.#style = restyle(this.#style, parameters);
    else if (kind === 'A') this.#row = Math.max(0, this.#row - steps);
    else if (kind === 'B') this.#row = Math.min(this.#screen.length - 1, this.#row + steps);
    else if (kind === 'C') this.#column += steps;
    else if (kind === 'D') this.#column = Math.max(0, this.#column - steps);
    else if (kind === 'G') this.#column = steps - 1;
    else if (kind === 'H') {
      this.#row = Math.min(this.#screen.length, steps) - 1;
      this.#column = Math.min(second || 1, 10_000) - 1;
    } else if (kind === 'K') {
      if (first === 1) line.put(0, ' '.repeat(this.#column), PLAIN);
      else line.cut(first === 2 ? 0 : this.#column);
    } else if (kind === 'J') {
      const kept = first >= 2 ? 0 : this.#row;
      this.#screen.length = kept + 1;
      this.#screen[kept].cut(first >= 2 ? 0 : this.#column);
      this.#row = kept;
      if (first >= 2) this.#column = 0;
    }
  }

  /** Bring the page up to date. */
  draw() {
    if (!this.#stale) return;
    this.#stale = false;
    for (const line of this.#undrawn) {
      if (!this.#block || this.#blockLines === CHUNK) {
        this.#block = h('div');
        this.#blockLines = 0;
        this.#live.before(this.#block);
      }
      this.#blockLines += 1;
      this.#drawLine(this.#block, line, true);
    }
    this.#undrawn = [];
    const live = h('div');
    this.#screen.forEach((line, row) => this.#drawLine(live, line, row < this.#screen.length - 1));
    this.#live.replaceWith(live);
    this.#live = live;
  }

  #drawLine(block, line, ended) {
    for (const [text, style] of line.pieces()) block.append(styledNode(text, style));
    if (ended) block.append('\n');
  }

  /** The text as it stands, its styles as escape sequences: writing it again gives the same picture. */
  toString() {
    return [...this.#settled, ...this.#screen].join('\n');
  }

  /** The text as it stands, without styles. */
  get plain() {
    // eslint-disable-next-line no-control-regex
    return this.toString().replace(/\x1b\[[0-9;]*m/g, '');
  }
}
