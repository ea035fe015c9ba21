// Markdown as elements of the page. They are built one by one from the parser's tokens: markup in the text stays text.
import {sideways} from './sideways.js';
import {h} from './workbench.js';

let loading = null;
const parser = () => loading ??= import('./markdown.js').catch(error => { loading = null; throw error; });

const BLOCKS = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'ul', 'ol', 'li', 'blockquote', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'em', 'strong', 's']);

function opened(token) {
  if (token.tag === 'a') {
    const href = token.attrGet('href');
    return /^(https?:|mailto:)/i.test(href) ? h('a', {href, target: '_blank', rel: 'noopener noreferrer'}) : h('span');
  }
  if (!BLOCKS.has(token.tag)) return h('span');
  // the page has two levels of headings above a cell's
  const heading = /^h(\d)$/.exec(token.tag);
  const element = h(heading ? `h${Math.min(Number(heading[1]) + 2, 6)}` : token.tag, heading ? {class: `md-h${heading[1]}`} : {});
  const align = /^text-align:(left|right|center)$/.exec(token.attrGet('style') ?? '');
  if (align) element.style.textAlign = align[1];
  if (token.tag === 'ol' && token.attrGet('start')) element.start = Number(token.attrGet('start'));
  return element;
}

function single(token) {
  switch (token.type) {
    case 'softbreak': return '\n';
    case 'hardbreak': return h('br');
    case 'hr': return h('hr');
    case 'code_inline': return h('code', {}, token.content);
    case 'fence': case 'code_block': return h('pre', {class: 'nb-text'}, token.content);
    case 'image': {
      const source = token.attrGet('src');
      // another server's picture would tell it of the visitor
      if (source.startsWith('data:')) return h('img', {class: 'nb-image', src: source, alt: token.content});
      return /^https?:/i.test(source) ? h('a', {href: source, target: '_blank', rel: 'noopener noreferrer'}, token.content || source) : token.content;
    }
    default: return token.content;
  }
}

function fill(root, tokens) {
  const stack = [root];
  for (const token of tokens) {
    if (token.type === 'inline') fill(stack.at(-1), token.children);
    else if (token.hidden) continue;
    else if (token.nesting > 0) { const element = opened(token); stack.at(-1).append(element); stack.push(element); }
    else if (token.nesting < 0) stack.pop();
    else stack.at(-1).append(single(token));
  }
}

/** Show `text` as Markdown in `element`; as it stands where the parser does not load. */
export async function showMarkdown(element, text) {
  try {
    const {markdownTokens} = await parser();
    element.replaceChildren();
    fill(element, markdownTokens(text));
    for (const table of element.querySelectorAll('table')) {
      const box = h('div', {class: 'md-table'});
      table.replaceWith(sideways(box));
      box.append(table);
    }
  } catch (error) {
    console.error(error);
    element.textContent = text;
  }
}
