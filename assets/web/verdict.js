// A verdict drawn whole: the outcome and why, what to doubt in a match, what a miss came close to, and the ladder.
import {excerpt, figure, ladder} from './ladder.js';
import {h, workbench} from './workbench.js';

const REASONS = {
  exact: 'The texts are the same.',
  numeric: 'The numbers are close enough.',
  numeric_scaled: 'The numbers are close enough, one of them as a percentage.',
  list: 'The lists match, item by item.',
  math_verify: 'math_verify finds the two equal.',
  miss: 'No rung of the ladder matched.',
  not_gradable: 'No rung matched, and the symbolic one could not run. This is not a zero: there is no reward.',
};
export const OUTCOMES = {'right': ['✓', 'Right', 'good'], 'wrong': ['✕', 'Wrong', 'bad'], 'not gradable': ['!', 'Not gradable', 'warn']};

/** What the rung that says most of a miss found, and the first pair of a list that does not match. */
function missedBy(telling) {
  const apart = telling.pairs.filter(pair => !pair.matched_by);
  if (!apart.length) return telling.detail;   // the texts differ, if nothing else
  const [{gold, prediction}] = apart;
  return `${telling.detail} ${apart.length === 1 ? 'The pair' : 'The first'} that does not: ${excerpt(gold)} in the gold, ${excerpt(prediction)} in the answer.`;
}

/** Why the verdict is what it is; math_verify may have read no more than a part of the texts, which is said here. */
function reasonOf({method, rungs, gold, telling}, prediction) {
  if (method === 'miss') return `${REASONS.miss} ${telling ? missedBy(rungs.find(rung => rung.name === telling)) : rungs[0].detail}`;
  const {gold: left, prediction: right, order} = rungs.find(rung => rung.name === method) ?? {};
  if (order === 'sorted') return 'The lists match once both are sorted: in which order the items stand is not graded.';
  const whole = left?.text === gold.trim() && right?.text === prediction.trim();
  if (method !== 'math_verify' || !left?.text || !right?.text || whole) return REASONS[method];
  return `${REASONS[method]} It read ${excerpt(left.text)} in the gold and ${excerpt(right.text)} in the answer.`;
}

/** The outcome, and beside it what to doubt or what came close. `use(answer)`, where given, takes a suggested answer. */
export function outcome(answer, prediction, use) {
  const [icon, words, look] = OUTCOMES[answer.outcome];
  return h('div', {class: 'verdict-body'},
    h('div', {class: `outcome ${look}`, 'data-outcome': answer.outcome, 'data-method': answer.method},
      h('span', {class: 'outcome-icon', 'aria-hidden': 'true'}, icon),
      h('div', {}, h('p', {class: 'outcome-words'}, words), h('p', {class: 'small'}, reasonOf(answer, prediction)),
        h('p', {class: 'small muted'}, answer.reward === null ? 'no reward' : `reward ${answer.reward.toFixed(1)}`, ' · method ', h('span', {class: 'mono'}, answer.method)))),
    answer.cautions.length > 0 && h('section', {class: 'notice warn beside', 'aria-label': 'Cautions'},
      h('h3', {}, answer.outcome === 'right' ? 'Look twice at this match' : 'Look twice at this task'),
      h('ul', {}, answer.cautions.map(caution => h('li', {'data-caution': caution.kind}, h('p', {}, caution.what), h('p', {class: 'small muted'}, caution.why),
        caution.also_passes !== null && h('p', {class: 'small'}, 'This would pass as well: ', suggested(caution.also_passes, use)))))),
    answer.near_misses.length > 0 && h('section', {class: 'notice beside', 'aria-label': 'Near misses'},
      h('h3', {}, 'A small change would pass'),
      h('ul', {}, answer.near_misses.map(near => h('li', {'data-near-miss': near.kind}, h('p', {}, near.edit),
        h('p', {class: 'small'}, suggested(near.answer, use), h('span', {class: 'muted'}, ` by ${near.method}`)))))));
}

function suggested(text, use) {
  const shown = visible(text);
  return use ? h('button', {type: 'button', class: 'suggested mono', title: 'Put this answer into the box', onclick: () => use(text)}, shown)
    : h('q', {class: 'mono quote'}, shown);
}

/** The mode and tolerances, what they ask for where that is said nowhere else, and every rung. */
export const rungs = (answer, prediction, asked = '') => [
  h('div', {class: 'row spread'}, h('h3', {}, 'The ladder'),
    h('span', {class: 'small muted'}, `${answer.reward_mode || 'no mode'} · atol ${figure(answer.atol)} · rtol ${figure(answer.rtol)}`)),
  asked && h('p', {class: 'small muted'}, `This mode asks for ${asked}. A gold that is one number is compared as a number in every mode.`),
  ladder(answer, prediction),
];

export const goldLine = gold => h('p', {class: 'gold'}, h('span', {class: 'small muted'}, 'Gold'), h('q', {class: 'mono quote', 'data-gold': true}, gold));

/** What the dataset's own grader says of the same case, where the app runs it; asked for after the verdict is shown. */
export function beside(server, {gold, reward_mode, atol, rtol, outcome: ours}, prediction) {
  if (!('reference_verdict' in server)) return null;
  const line = h('p', {class: 'small muted', role: 'status'}, 'The dataset’s own grader is asked…');
  server.reference_verdict({gold, prediction, reward_mode, atol, rtol}).catch(() => ({error: 'The dataset’s own grader was not asked: the app did not answer.'})).then(theirs => {
    const at = theirs.revision ? ` (revision ${theirs.revision.slice(0, 7)})` : '';
    const said = `reward ${theirs.reward?.toFixed(1)}, method ${theirs.method}`;
    if (theirs.error || theirs.why_not) line.textContent = theirs.error || theirs.why_not;
    else if (theirs.disagrees) { line.className = 'notice bad'; line.textContent = `The dataset’s own grader${at} disagrees: ${said}. Please report this case.`; }
    else line.textContent = ours === 'not gradable' ? `The dataset’s own grader${at} says: ${said}.` : `The dataset’s own grader${at} agrees: ${said}.`;
  });
  return line;
}

/** A button that opens the same case in the grader lab. */
export const inLab = ({gold, reward_mode, atol, rtol}, prediction) => h('div', {}, h('button', {type: 'button', class: 'btn quiet',
  onclick: () => workbench.openLab({gold, answer: prediction, reward_mode, atol: String(atol), rtol: String(rtol)})}, 'Open in the grader lab'));

const UNSEEN = /[\u00a0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff\u00ad]/gu;

/** `text` with the characters nobody sees named. */
export const visible = text => excerpt(text).replace(UNSEEN, character => `⟨U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`);
