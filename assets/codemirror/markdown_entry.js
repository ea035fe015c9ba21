// Markdown as tokens; the page builds its own elements of them. Markup in it stays text.
import MarkdownIt from 'markdown-it';

const parser = new MarkdownIt({html: false, linkify: true});

/** The tokens of a Markdown text. */
export const markdownTokens = text => parser.parse(text, {});
