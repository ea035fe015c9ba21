// The charts of a table's columns, from numbers the server has added up.
import {COLOURS, asText, draw} from './charts.js';
import {visible} from './data_names.js';

const [COLOUR] = COLOURS;
const APART = [[0, '#b04a7a'], [0.5, '#8882'], [1, COLOUR]];   // from -1 over none to 1
const LABEL = 24;                                               // characters at an axis

const positions = labels => labels.map((_, at) => at);
const words = labels => labels.map(label => asText(visible(String(label))));
const short = label => label.length > LABEL ? `${label.slice(0, LABEL)}…` : label;
// By position: two labels may be the same, and plotly would take them for one.
const axis = labels => ({tickvals: positions(labels), ticktext: labels.map(label => asText(short(visible(String(label)))))});

function matrix({x, y, z}, look, number) {
  const [across, down] = [words(x), words(y)];
  return {
    traces: [{type: 'heatmap', x: positions(x), y: positions(y), z, text: z.map((row, b) => row.map((_, a) => `${across[a]} · ${down[b]}`)), hovertemplate: `%{text}: %{z:${number}}<extra></extra>`, ...look}],
    layout: {xaxis: {...axis(x), showgrid: false}, yaxis: {...axis(y), showgrid: false, autorange: 'reversed'}, height: Math.max(300, 120 + 22 * y.length)},
  };
}

const CHARTS = {
  histogram: ({x, y}) => ({traces: [{type: 'bar', x: y.map((_, at) => (x[at] + x[at + 1]) / 2), width: y.map((_, at) => x[at + 1] - x[at]), y, marker: {color: COLOUR}, customdata: y.map((_, at) => [x[at], x[at + 1]]), hovertemplate: '%{customdata[0]:,} to %{customdata[1]:,}: %{y:,}<extra></extra>'}]}),
  bars: ({x, y}) => ({traces: [{type: 'bar', x: positions(x), y, text: words(x), textposition: 'none', marker: {color: COLOUR}, hovertemplate: '%{text}: %{y:,}<extra></extra>'}], layout: {bargap: 0.2, xaxis: axis(x)}}),
  time: ({x, y}) => ({traces: [{type: 'scatter', mode: x.length < 60 ? 'lines+markers' : 'lines', x, y, line: {color: COLOUR, width: 1.6}, hovertemplate: '%{x}: %{y:,}<extra></extra>'}], layout: {xaxis: {type: 'date'}}}),
  scatter: ({x, y}) => ({traces: [{type: 'scatter', mode: 'markers', x, y, marker: {color: COLOUR, size: 5, opacity: 0.55}, hovertemplate: '%{x:,} · %{y:,}<extra></extra>'}]}),
  box: ({x, y}) => ({traces: [{type: 'box', x: positions(x), lowerfence: y.map(five => five[0]), q1: y.map(five => five[1]), median: y.map(five => five[2]), q3: y.map(five => five[3]), upperfence: y.map(five => five[4]), line: {color: COLOUR}, name: ''}], layout: {xaxis: axis(x)}}),
  heat: answer => matrix(answer, {colorscale: [[0, '#5b6ee111'], [1, COLOUR]]}, ','),
  correlation: answer => matrix(answer, {zmin: -1, zmax: 1, colorscale: APART}, '.3f'),
};

/** Draw the answer of the server function `chart` in an element. */
export async function chartOf(element, answer) {
  const {traces, layout} = CHARTS[answer.kind](answer);
  await draw(element, () => traces, {bargap: 0.02, height: 300, ...layout});
}
