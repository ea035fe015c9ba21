// Charts by plotly, loaded with the first one; each has a table of the same numbers beside it.
let loading = null;

function plotly() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = new URL('web/plotly.min.js', document.baseURI);
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => { loading = null; reject(new Error('plotly did not load')); };
    document.head.append(script);
  });
  return loading;
}

const COLOURS = ['#5b6ee1', '#d9822b', '#2a9d8f', '#b04a7a', '#7a8b99'];

// Plotly takes tags and entities in a label for markup; a label is text, whatever a file's writer put in it.
const asText = label => String(label).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/**
 * Bars for each label, one of each series: `{name, values, low, high}`, the last two for error bars.
 * `percent` is for rates between 0 and 1; `choose(label, name)` is called on a click.
 */
export async function bars(element, labels, series, {percent = false, choose} = {}) {
  let Plotly;
  try { Plotly = await plotly(); } catch { element.textContent = 'The chart did not load; its numbers stand in the table.'; return; }
  if (!element.isConnected) return;
  const style = getComputedStyle(element);
  const [ink, line] = [style.color, style.getPropertyValue('--border-color-primary') || '#8884'];
  const traces = series.map(({name, values, low, high}, at) => ({
    type: 'bar', name: asText(name), x: labels.map(asText), y: values, marker: {color: COLOURS[at % COLOURS.length]}, hovertemplate: percent ? '%{x}: %{y:.1%}<extra>%{fullData.name}</extra>' : '%{x}: %{y:,}<extra>%{fullData.name}</extra>',
    ...(low && {error_y: {type: 'data', symmetric: false, array: high.map((value, index) => value - values[index]), arrayminus: low.map((value, index) => values[index] - value), color: ink, thickness: 1.2, width: 4}}),
  }));
  await Plotly.react(element, traces, {
    barmode: 'group', height: 280, margin: {l: 52, r: 12, t: 12, b: 12}, bargap: 0.3, showlegend: series.length > 1, legend: {orientation: 'h', y: 1.15},
    paper_bgcolor: 'transparent', plot_bgcolor: 'transparent', font: {color: ink, family: style.fontFamily, size: 12},
    xaxis: {type: 'category', automargin: true, gridcolor: line}, yaxis: {rangemode: 'tozero', gridcolor: line, zerolinecolor: line, ...(percent && {tickformat: '.0%', range: [0, 1]})},
  }, {displayModeBar: false, responsive: true});
  element.removeAllListeners?.('plotly_click');
  if (choose) element.on('plotly_click', ({points: [point]}) => choose(labels[point.pointNumber], series[point.curveNumber].name));
}
