// The charts of a table's columns, from numbers the server has added up.
import {COLOURS, asText, draw} from './charts.js';

const [COLOUR] = COLOURS;
const DIVERGING = [[0, '#b04a7a'], [0.5, '#8882'], [1, '#5b6ee1']];

const CHARTS = {
  histogram: ({x, y}) => [{type: 'bar', x: y.map((_, at) => (x[at] + x[at + 1]) / 2), width: y.map((_, at) => x[at + 1] - x[at]), y, marker: {color: COLOUR}, customdata: y.map((_, at) => [x[at], x[at + 1]]), hovertemplate: '%{customdata[0]:,} to %{customdata[1]:,}: %{y:,}<extra></extra>'}],
  bars: ({x, y}) => [{type: 'bar', x: x.map(asText), y, marker: {color: COLOUR}, hovertemplate: '%{x}: %{y:,}<extra></extra>'}],
  time: ({x, y}) => [{type: 'scatter', mode: 'lines', x, y, line: {color: COLOUR, width: 1.6}, hovertemplate: '%{x}: %{y:,}<extra></extra>'}],
  scatter: ({x, y}) => [{type: 'scatter', mode: 'markers', x, y, marker: {color: COLOUR, size: 5, opacity: 0.55}, hovertemplate: '%{x:,} · %{y:,}<extra></extra>'}],
  box: ({x, y}) => [{type: 'box', x: x.map(asText), lowerfence: y.map(each => each[0]), q1: y.map(each => each[1]), median: y.map(each => each[2]), q3: y.map(each => each[3]), upperfence: y.map(each => each[4]), line: {color: COLOUR}}],
  heat: ({x, y, z}) => [{type: 'heatmap', x: x.map(asText), y: y.map(asText), z, colorscale: [[0, '#5b6ee111'], [1, COLOUR]], hovertemplate: '%{x} · %{y}: %{z:,}<extra></extra>'}],
  correlation: ({x, y, z}) => [{type: 'heatmap', x: x.map(asText), y: y.map(asText), z, zmin: -1, zmax: 1, colorscale: DIVERGING, hovertemplate: '%{x} · %{y}: %{z:.3f}<extra></extra>'}],
};
const LABELLED = {bars: {xaxis: {type: 'category'}}, box: {xaxis: {type: 'category'}}, heat: {xaxis: {type: 'category'}, yaxis: {type: 'category'}}, correlation: {xaxis: {type: 'category'}, yaxis: {type: 'category', autorange: 'reversed'}}};

/** Draw the answer of the server function `chart` in an element. */
export async function chartOf(element, answer) {
  await draw(element, () => CHARTS[answer.kind](answer), {bargap: 0.02, height: answer.kind === 'correlation' ? 420 : 300, ...LABELLED[answer.kind]});
}
