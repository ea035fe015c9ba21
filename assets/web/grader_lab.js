// The grader lab: any gold, answer, mode and tolerances, graded as they are typed.
import {figure} from './ladder.js';
import {beside, goldLine, outcome, rungs} from './verdict.js';
import {LAB_FIELDS, address, copy, h, workbench} from './workbench.js';

const PAUSE = 250;             // ms without a key before grading
const LINK_LETTERS = 6000;     // an address much longer is cut by some programs it is sent through
const MODES = ['numeric', 'exact_short', 'list', 'flexible', 'exact_bool', 'list_csv', ''];
const LABELS = {gold: 'Gold', answer: 'Answer', reward_mode: 'Reward mode', atol: 'Absolute tolerance', rtol: 'Relative tolerance'};
const BLANK = {gold: '', answer: '', reward_mode: 'numeric', atol: '0.001', rtol: '0.001'};

const example = (label, gold, answer, reward_mode = 'exact_short', tolerance = '0.001') => ({label, gold, answer, reward_mode, atol: tolerance, rtol: tolerance});
const EXAMPLES = [
  ['One for each rung', [
    example('Same text but for case and spaces', 'North America', ' north  america'),
    example('A number within tolerance', '5.552', '5.55', 'numeric', '0.01'),
    example('A fraction given as a percentage', '0.125', '12.5%', 'numeric'),
    example('A list in another order', 'setosa, virginica, versicolor', 'versicolor, setosa, virginica', 'list'),
    example('Equal as mathematics', '1/3', '\\frac{2}{6}'),
    example('No rung: a miss', 'Toyota', 'Honda'),
  ]],
  ['Matches to doubt', [
    example('Another day of the same year', '2017-03-01', '2017-12-25', 'flexible'),
    example('Only the first part was read', '28x28x1', '28x28'),
    example('Another unit', '12 km', '12 m'),
    example('A label for its number', 'Type 2 diabetes', '2'),
    example('A range for its first number', '10-20', '10', 'flexible'),
    example('Equal once rounded to six decimals', '0.000000001', '0.000000002', 'exact_short', '0'),
    example('A percentage nobody asked for', '1', '0.01', 'numeric'),
    example('A decimal comma read as thousands', '314', '3,14', 'numeric'),
  ]],
  ['Misses by their form', [
    example('A prefix', 'yes', 'ANSWER: yes', 'exact_bool'),
    example('A full stop', 'yes', 'YES.', 'exact_bool'),
    example('A minus that is none', '-5', '−5', 'numeric'),
    example('True for yes', 'yes', 'true', 'exact_bool'),
    example('Semicolons in a list', 'a, b, c', 'a; b; c', 'list'),
  ]],
];

export function mount(pane, server) {
  const inputs = {
    gold: h('textarea', {id: 'lab-gold', rows: 1, class: 'mono', spellcheck: 'false', autocapitalize: 'off', placeholder: 'The right answer'}),
    answer: h('textarea', {id: 'lab-answer', rows: 1, class: 'mono', spellcheck: 'false', autocapitalize: 'off', placeholder: 'What is graded'}),
    reward_mode: h('select', {id: 'lab-mode'}, MODES.map(mode => h('option', {value: mode}, mode || '(none)'))),
    atol: h('input', {id: 'lab-atol', inputmode: 'decimal', autocomplete: 'off', class: 'mono'}),
    rtol: h('input', {id: 'lab-rtol', inputmode: 'decimal', autocomplete: 'off', class: 'mono'}),
  };
  const field = name => h('div', {class: 'field'}, h('label', {for: inputs[name].id}, LABELS[name]), inputs[name]);
  const examples = h('select', {id: 'lab-example'}, h('option', {value: ''}, 'Load an example…'),
    EXAMPLES.map(([group, some], at) => h('optgroup', {label: group}, some.map(({label}, index) => h('option', {value: `${at}.${index}`}, label)))));
  const button = (label, text) => h('button', {type: 'button', class: 'btn', onclick: event => copy(text(), event.currentTarget)}, label);
  const link = button('Copy link', () => new URL(`?${new URLSearchParams({view: 'lab', ...read()})}`, document.baseURI).href);
  const note = h('p', {class: 'small muted', role: 'status'});
  const verdictBox = h('div', {class: 'verdict', 'aria-live': 'polite'});
  const ladderBox = h('div', {class: 'ladder-box'});
  const form = h('form', {class: 'card lab-form'}, h('h2', {}, 'Grader lab'),
    h('p', {class: 'small muted'}, 'Any gold against any answer: what the grader decides, and how each rung of the ladder comes to it.'),
    h('div', {class: 'field'}, h('label', {for: 'lab-example'}, 'Examples'), examples),
    field('gold'), field('answer'),
    h('div', {class: 'lab-numbers'}, field('reward_mode'), field('atol'), field('rtol')),
    h('div', {class: 'row'}, link, button('Copy as test case', () => testCase()), button('Copy as Python', () => pythonCall())), note);
  pane.replaceChildren(h('div', {class: 'lab'}, form, h('div', {class: 'card lab-verdict'}, verdictBox, ladderBox)));

  let asked = 0, pause;

  const read = () => Object.fromEntries(LAB_FIELDS.map(name => [name, inputs[name].value]));

  const tolerance = name => Number(inputs[name].value.trim() || 'x');

  const testCase = () => JSON.stringify({gold: inputs.gold.value, prediction: inputs.answer.value, reward_mode: inputs.reward_mode.value, atol: tolerance('atol'), rtol: tolerance('rtol')});

  const pythonCall = () => `# grade is the reference grader’s\ngrade(${JSON.stringify(inputs.gold.value)}, ${JSON.stringify(inputs.answer.value)}, reward_mode=${JSON.stringify(inputs.reward_mode.value)}, rel_tol=${tolerance('rtol')}, abs_tol=${tolerance('atol')})`;

  function fill(values) {
    examples.value = '';
    for (const name of LAB_FIELDS) inputs[name].value = values[name];
    fit();
    changed(0);
  }

  function fit() {
    for (const name of ['gold', 'answer']) {
      inputs[name].style.height = 'auto';
      inputs[name].style.height = `${Math.min(inputs[name].scrollHeight + 2, 220)}px`;
    }
  }

  function keep() {
    const values = read();
    const short = values.gold.length + values.answer.length <= LINK_LETTERS;
    link.disabled = !short;
    note.textContent = short ? '' : 'The texts are too long for a link.';
    if (workbench.view === 'lab') address.set(short ? values : Object.fromEntries(LAB_FIELDS.map(name => [name, ''])));
  }

  function changed(wait = PAUSE) {
    asked += 1;
    clearTimeout(pause);
    keep();
    pause = setTimeout(grade, wait);
  }

  async function grade() {
    const mine = asked, prediction = inputs.answer.value, gold = inputs.gold.value;
    if (!gold) { say('Type a gold and an answer, or load an example.'); return; }
    const bad = ['atol', 'rtol'].filter(name => !(tolerance(name) >= 0 && Number.isFinite(tolerance(name))));
    if (bad.length) { say(`${bad.map(name => LABELS[name]).join(' and ')}: a tolerance is a number, zero or more.`, 'bad'); return; }
    pane.setAttribute('aria-busy', 'true');
    const late = setTimeout(() => { if (mine === asked) say('Grading…'); }, 400);
    let answer;
    try {
      answer = await server.grade_case({visitor: workbench.token, gold, prediction, reward_mode: inputs.reward_mode.value, atol: tolerance('atol'), rtol: tolerance('rtol')});
    } catch {
      answer = {error: 'Not graded: the app did not answer. Change anything to try again.'};
    }
    clearTimeout(late);
    if (mine !== asked) return;
    pane.removeAttribute('aria-busy');
    if (answer.error) { say(answer.error, 'bad'); return; }
    verdictBox.replaceChildren(outcome(answer, prediction, text => fill({...read(), answer: text})));
    ladderBox.replaceChildren(...[beside(server, answer, prediction), goldLine(answer.gold), ...rungs(answer, prediction, answer.graded_as)].filter(Boolean));
  }

  function say(text, look = '') {
    verdictBox.replaceChildren(h('p', {class: look ? `notice ${look}` : 'muted'}, text));
    ladderBox.replaceChildren();
  }

  function restore() {
    if (workbench.view !== 'lab') return;
    const values = Object.fromEntries(LAB_FIELDS.map(name => [name, address.get(name)]));
    const given = Object.values(values).some(Boolean);
    fill(given ? {...values, atol: values.atol || BLANK.atol, rtol: values.rtol || BLANK.rtol} : BLANK);
  }

  form.addEventListener('submit', event => event.preventDefault());
  examples.addEventListener('change', () => {
    if (!examples.value) return;
    const chosen = examples.value;
    const [group, index] = chosen.split('.');
    fill(EXAMPLES[group][1][index]);
    examples.value = chosen;
  });
  for (const input of Object.values(inputs)) input.addEventListener('input', () => { examples.value = ''; fit(); changed(); });
  workbench.addEventListener('visit', keep);
  workbench.addEventListener('lab', event => fill(event.detail));
  window.addEventListener('popstate', restore);
  if (workbench.view === 'lab') restore(); else fill(BLANK);
}
