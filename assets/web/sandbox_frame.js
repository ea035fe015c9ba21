// Markup and figures from a cell, in a frame that shares nothing with the page: no origin, no network, no storage.
import {h} from './workbench.js';

const MAX_HEIGHT = 4000;
const MAX_RESIZES = 400;  // a page whose height follows its frame's would grow for ever

const dark = () => document.body.classList.contains('dark');

const LOOK = `
:root { --text: #1f2937; --line: #d5dae1; --soft: #f3f5f8; --link: #4338ca; --faint: #64748b; }
:root.dark { color-scheme: dark; --text: #f1f5f9; --line: #3f4b5d; --soft: #1e293b; --link: #a5b4fc; --faint: #94a3b8; }
html, body { margin: 0; background: transparent; }
body { color: var(--text); font: 13px/1.5 ui-sans-serif, system-ui, sans-serif; }
#output { overflow-x: auto; overflow-y: hidden; --before: #000; --after: #000; mask-image: linear-gradient(to right, var(--before), #000 22px calc(100% - 22px), var(--after)); }
.moved #output { --before: transparent; }
.onward #output { --after: transparent; }
.moved body::before, .onward body::after { position: fixed; top: calc(50% - 13px); font-size: 18px; color: var(--faint); pointer-events: none; }
.moved body::before { content: '‹'; left: 4px; }
.onward body::after { content: '›'; right: 4px; }
a { color: var(--link); }
img, svg { max-width: 100%; height: auto; }
table { border-collapse: collapse; border: 0; font-size: 13px; font-variant-numeric: tabular-nums; margin: 2px 0 6px; }
th, td { padding: 3px 10px; border: 0; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
thead th { border-bottom: 2px solid var(--line); }
tbody tr:nth-child(even) { background: var(--soft); }
caption { text-align: left; padding: 4px 0; }
pre { margin: 0; font: 13px/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
`;

const tell = `
const tell = message => parent.postMessage(message, '*');
addEventListener('message', event => {
  if (event.source === parent && 'dark' in event.data) document.documentElement.classList.toggle('dark', event.data.dark);
});`;

const policy = scripts => `default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; media-src data:; script-src ${scripts}; form-action 'none'; base-uri 'none'`;

const page = (scripts, body) => `<!doctype html><html class="${dark() ? 'dark' : ''}"><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(scripts)}"><style>${LOOK}</style><body>${body}`;

const hears = new WeakMap();  // frame → what it does with a message of its document

addEventListener('message', event => {
  for (const frame of document.querySelectorAll('iframe.nb-frame')) {
    if (frame.contentWindow === event.source) hears.get(frame)?.(event.data);
  }
});

new MutationObserver(() => {
  for (const frame of document.querySelectorAll('iframe.nb-frame')) frame.contentWindow?.postMessage({dark: dark()}, '*');
}).observe(document.body, {attributeFilter: ['class']});

function sandboxed(label, source, hear = () => {}) {
  const frame = h('iframe', {class: 'nb-frame', sandbox: 'allow-scripts', title: label, referrerpolicy: 'no-referrer'});
  let resizes = 0;
  hears.set(frame, message => {
    const height = Number(message?.height);
    if (height > 0 && resizes < MAX_RESIZES) {
      resizes += 1;
      frame.style.height = `${Math.min(Math.ceil(height), MAX_HEIGHT)}px`;
    }
    hear(message ?? {}, frame);
  });
  frame.addEventListener('load', () => { resizes = 0; frame.contentWindow?.postMessage({dark: dark()}, '*'); });
  frame.srcdoc = source;
  return frame;
}

/** A frame showing `markup`, as high as it is. Its scripts run, cut off from the page and the network. */
export function markupFrame(markup, label) {
  // the measuring script comes first, so that nothing in the markup can swallow it
  return sandboxed(label, page("'unsafe-inline'", `<script>{${tell}
    addEventListener('DOMContentLoaded', () => {
      const output = document.getElementById('output') ?? document.body;
      const {classList} = document.documentElement;
      const edges = () => {
        classList.toggle('moved', output.scrollLeft > 0);
        classList.toggle('onward', output.scrollLeft + output.clientWidth < output.scrollWidth - 1);
      };
      const say = () => { edges(); tell({height: output.getBoundingClientRect().height + 1}); };
      new ResizeObserver(say).observe(output);
      output.addEventListener('scroll', edges);
      addEventListener('load', say);
      say();
    });
  }</script><div id="output">${markup}`));
}

/** A figure's layout, dark on a dark page unless it chose colours of its own. Runs in the frame. */
function inTheme(layout) {
  const {paper_bgcolor: paper, plot_bgcolor: ground, font, template} = layout;
  if (!document.documentElement.classList.contains('dark') || paper || ground || font?.color) {
    document.body.style.background = document.documentElement.classList.contains('dark') && !paper ? '#fff' : '';
    return layout;
  }
  const style = getComputedStyle(document.documentElement);
  const [text, line, soft] = ['--text', '--line', '--soft'].map(name => style.getPropertyValue(name).trim());
  const given = template?.layout ?? {};
  const axis = {gridcolor: line, linecolor: line, zerolinecolor: line};
  const space = {...axis, backgroundcolor: 'transparent'};
  return {...layout, template: {
    ...template,
    data: {...template?.data, table: [{header: {fill: {color: line}, line: {color: soft}}, cells: {fill: {color: soft}, line: {color: line}}}]},
    layout: {
      ...given, paper_bgcolor: 'transparent', plot_bgcolor: 'transparent', font: {...given.font, color: text},
      xaxis: {...given.xaxis, ...axis}, yaxis: {...given.yaxis, ...axis},
      scene: {xaxis: {...given.scene?.xaxis, ...space}, yaxis: {...given.scene?.yaxis, ...space}, zaxis: {...given.scene?.zaxis, ...space}},
      polar: {...given.polar, bgcolor: 'transparent', angularaxis: axis, radialaxis: axis},
      ternary: {...given.ternary, bgcolor: 'transparent', aaxis: axis, baxis: axis, caxis: axis},
      geo: {...given.geo, bgcolor: 'transparent', landcolor: soft, lakecolor: 'transparent', subunitcolor: line},
      modebar: {bgcolor: 'transparent', color: line, activecolor: text},
    },
  }};
}

/** A frame with a plotly figure, drawn by the app's own plotly.js. `figure`: {data, layout, config, frames}. */
export function plotlyFrame(figure, label) {
  const library = new URL('plotly.min.js', import.meta.url).href;
  const height = Number(figure.layout?.height) || 420;
  // figures of many points compile their shaders at run time, which needs 'unsafe-eval'
  const source = page(`'unsafe-inline' 'unsafe-eval' ${library}`, `<div id="output"></div><script src="${library}"></script><script>{${tell}
    ${inTheme}
    let figure = null;
    async function draw() {
      const {data, layout = {}, config = {}, frames} = figure;
      const plot = document.getElementById('output');
      try {
        if (!window.Plotly) throw new Error('plotly.js did not load');
        const margin = {l: 48, r: 16, t: 40, b: 44, ...layout.margin};
        const fitted = {...inTheme(layout), margin, height: layout.height ?? 420, autosize: !layout.width, uirevision: layout.uirevision ?? 'kept'};
        const first = !plot.data;
        await Plotly.react(plot, data ?? [], fitted, {...config, responsive: true, displaylogo: false});
        if (first && frames?.length) await Plotly.addFrames(plot, frames);
      } catch (error) {
        plot.textContent = 'This figure could not be drawn: ' + error.message;
      }
    }
    addEventListener('message', event => {
      if (event.source !== parent) return;
      figure = event.data.figure ?? figure;
      if (figure && ('dark' in event.data || event.data.figure)) draw();
    });
    tell({ready: true});
  }</script>`);
  const frame = sandboxed(label, source, (message, self) => {
    if (message.ready) self.contentWindow.postMessage({figure}, '*');
  });
  frame.style.height = `${height}px`;
  frame.classList.add('nb-figure');
  return frame;
}
