// Charts by plotly, loaded with the first one; each has a table of the same numbers beside it.
let loading = null;

function plotly() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = new URL('plotly.min.js', import.meta.url);
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => { loading = null; reject(new Error('plotly did not load')); };
    document.head.append(script);
  });
  return loading;
}

export const COLOURS = ['#5b6ee1', '#d9822b', '#2a9d8f', '#b04a7a', '#7a8b99'];

// Plotly takes tags and entities in a label for markup; a label is text, whatever a file's writer put in it.
export const asText = label => String(label).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

// What every chart shares; `ink` and `line` are the page's own colours, light or dark.
const layout = (ink, line, family) => ({
  height: 280, margin: {l: 52, r: 12, t: 12, b: 12}, paper_bgcolor: 'transparent', plot_bgcolor: 'transparent', font: {color: ink, family, size: 12}, showlegend: false,
  xaxis: {automargin: true, gridcolor: line, zerolinecolor: line}, yaxis: {automargin: true, gridcolor: line, zerolinecolor: line},
});

// How each chart was drawn last: it is drawn again when the page turns dark or light.
const drawn = new WeakMap();
let dark = document.body.classList.contains('dark');
new MutationObserver(() => {
  if (dark === document.body.classList.contains('dark')) return;
  dark = !dark;
  for (const element of document.querySelectorAll('.js-plotly-plot')) drawn.get(element)?.();
}).observe(document.body, {attributeFilter: ['class']});

/** Draw traces, made from the ink's colour, in a layout changed by `change`. */
export async function draw(element, traces, change) {
  let Plotly;
  try { Plotly = await plotly(); } catch { element.textContent = 'The chart did not load; its numbers stand in the table.'; return; }
  if (!element.isConnected) return;
  drawn.set(element, () => draw(element, traces, change));
  const style = getComputedStyle(element);
  const [ink, line] = [style.color, style.getPropertyValue('--border-color-primary') || '#8884'];
  const base = layout(ink, line, style.fontFamily);
  await Plotly.react(element, traces(ink), {...base, ...change, xaxis: {...base.xaxis, ...change.xaxis}, yaxis: {...base.yaxis, ...change.yaxis}}, {displayModeBar: false, responsive: true});
}

/**
 * Bars for each label, one of each series: `{name, values, low, high}`, the last two for error bars.
 * `percent` is for rates between 0 and 1; `choose(label, name)` is called on a click.
 */
export async function bars(element, labels, series, {percent = false, choose} = {}) {
  const few = series.every(({values}) => values.every(value => value < 6));   // of a count there is no half
  const traces = ink => series.map(({name, values, low, high}, at) => ({
    type: 'bar', name: asText(name), x: labels.map(asText), y: values, marker: {color: COLOURS[at % COLOURS.length]}, hovertemplate: percent ? '%{x}: %{y:.1%}<extra>%{fullData.name}</extra>' : '%{x}: %{y:,}<extra>%{fullData.name}</extra>',
    ...(low && {error_y: {type: 'data', symmetric: false, array: high.map((value, index) => value - values[index]), arrayminus: low.map((value, index) => values[index] - value), color: ink, thickness: 1.2, width: 4}}),
  }));
  await draw(element, traces, {
    barmode: 'group', bargap: 0.3, showlegend: series.length > 1, legend: {orientation: 'h', y: 1.15},
    xaxis: {type: 'category'}, yaxis: {rangemode: 'tozero', automargin: false, ...(percent ? {tickformat: '.0%', range: [0, 1]} : few && {dtick: 1})},
  });
  element.removeAllListeners?.('plotly_click');
  if (choose) element.on?.('plotly_click', ({points: [point]}) => choose(labels[point.pointNumber], series[point.curveNumber].name));
}
