// The grade panel: an answer, its verdict, the ladder, and the attempts made in this tab.
import {KernelClient} from './kernel_client.js';
import {onLetters} from './keys.js';
import {excerpt} from './ladder.js';
import {recallInTab, rememberInTab} from './remembered.js';
import {OUTCOMES, beside, goldLine, inLab, outcome, rungs} from './verdict.js';
import {h, heading, rest, rests, workbench} from './workbench.js';

const ATTEMPTS_KEPT = 30;
/** The answer in the box and the attempts: kept on reload, gone with the tab. */
const kept = {
  get: taskId => ({draft: '', attempts: [], ...recallInTab(`grade.${taskId}`)}),
  set: (taskId, state) => rememberInTab(`grade.${taskId}`, state),
};

export function mount(pane, server) {
  const kernel = new KernelClient(workbench.token);
  const button = (label, onclick, look = '') => h('button', {type: 'button', class: `btn ${look}`, onclick}, label);
  const box = h('textarea', {rows: 1, id: 'answer', autocomplete: 'off', spellcheck: 'false', autocapitalize: 'off', placeholder: 'A number, a label, yes or no, a list…', class: 'mono'});
  const gradeButton = h('button', {type: 'submit', class: 'btn primary'}, 'Grade');
  const revealButton = button('Reveal gold', reveal, 'quiet');
  const shows = h('p', {class: 'small muted'}, 'A verdict shows the gold answer too, right or wrong.');
  const note = h('p', {class: 'small muted', role: 'status'});
  const of = h('p', {class: 'notice small', role: 'status', hidden: true});   // whose verdict is shown, once the box holds another answer
  const verdictBox = h('div', {class: 'verdict', 'aria-live': 'polite'});
  const ladderBox = h('div', {class: 'ladder-box'});
  const attemptsBox = h('div', {class: 'attempts'});
  const form = h('form', {class: 'answer'}, h('label', {class: 'field', for: 'answer'}, 'Your answer'), box,
    h('div', {class: 'row'}, gradeButton, button('Use last output', useLastOutput), button('Use answer.txt', useAnswerFile), revealButton), shows, note);
  const card = h('div', {class: 'card'}, heading(pane, 'Grade'), form, of, verdictBox, ladderBox, attemptsBox);

  const last = new Map();   // task id → its last verdict and answer, shown again on coming back
  let task = null, state = null, asked = 0, graded = null;

  const tell = (event, detail) => workbench.dispatchEvent(new CustomEvent(event, {detail: {task_id: task.task_id, ...detail}}));

  function say(text) { note.textContent = text; }

  function fit() {
    box.style.height = 'auto';
    box.style.height = `${Math.min(box.scrollHeight + 2, 160)}px`;
  }

  function save() {
    while (!kept.set(task.task_id, state)) {
      if (!state.attempts.length) { say('The browser has no room to keep this answer over a reload.'); return; }
      state.attempts.pop();   // the oldest
    }
  }

  function put(text) {
    box.value = text;
    edited();
    box.focus();
  }

  /** An edit makes a verdict on its way one on another text: it is dropped. */
  function edited() {
    state.draft = box.value;
    save();
    fit();
    if (rests(gradeButton)) idle();
    tellWhose();
    say('');
  }

  function tellWhose() {
    of.hidden = graded === null || graded === box.value;
    if (!of.hidden) of.replaceChildren('The verdict below is of ', h('q', {class: 'mono quote'}, excerpt(graded)), '. Grade to see what the answer in the box gets.');
    for (const each of [verdictBox, ladderBox]) each.classList.toggle('of-another', !of.hidden);
  }

  function idle() {
    asked += 1;
    rest(gradeButton, false);
    gradeButton.textContent = 'Grade';
    graded = null;
    tellWhose();
    verdictBox.replaceChildren();
    ladderBox.replaceChildren();
  }

  async function grade() {
    if (rests(gradeButton)) return;
    const prediction = box.value;
    if (!prediction.trim()) { say('Type an answer first.'); box.focus(); return; }
    idle();
    const mine = asked;
    rest(gradeButton, true);
    gradeButton.textContent = 'Grading…';
    say('');
    verdictBox.replaceChildren(h('p', {class: 'row muted'}, h('span', {class: 'spinner', 'aria-hidden': 'true'}), 'Grading… edit the answer to cancel.'));
    let answer;
    try {
      answer = await server.grade({task_id: task.task_id, prediction});
    } catch {
      answer = {error: 'The answer was not graded: the app did not answer. It is kept here; press Grade to try again.'};
    }
    if (mine !== asked) return;
    idle();
    if (answer.error) verdictBox.replaceChildren(h('p', {class: 'notice bad'}, answer.error));
    else show(answer, prediction);
  }

  function draw(answer, prediction) {
    graded = prediction;
    verdictBox.replaceChildren(...[outcome(answer, prediction, put),
      answer.outcome === 'right' && button('Next unsolved task', () => workbench.dispatchEvent(new Event('next')))].filter(Boolean));
    revealButton.hidden = shows.hidden = true;
    ladderBox.replaceChildren(...[beside(server, answer, prediction), goldLine(answer.gold), ...rungs(answer, prediction), inLab(answer, prediction)].filter(Boolean));
  }

  function show(answer, prediction) {
    draw(answer, prediction);
    last.set(task.task_id, [answer, prediction]);
    state.attempts = [{answer: prediction, outcome: answer.outcome, method: answer.method, time: Date.now()}, ...state.attempts].slice(0, ATTEMPTS_KEPT);
    save();
    showAttempts();
    tell('graded', {outcome: answer.outcome});
    tell('gold', {gold: answer.gold});
    verdictBox.querySelector('.outcome').scrollIntoView({block: 'nearest'});   // on a phone it is below the fold
  }

  async function reveal() {
    const mine = asked, of = task.task_id;
    let answer;
    try { answer = await server.reveal({task_id: of}); } catch { answer = {error: 'The gold was not revealed: the app did not answer. Try again.'}; }
    if (mine !== asked || task?.task_id !== of) return;
    if (answer.error) { say(answer.error); return; }
    revealButton.hidden = shows.hidden = true;
    ladderBox.replaceChildren(goldLine(answer.gold), h('p', {class: 'small muted'}, 'Revealed before grading.'));
    tell('gold', {gold: answer.gold});
    box.focus();   // the button that had it is gone
  }

  function useLastOutput() {
    const output = workbench.notebook?.lastOutput();
    if (!output) {
      say(workbench.notebook?.busy ? 'A cell is running. Use its result once it is there.' : 'No cell of this task has given a result yet. Run one first.');
      return;
    }
    put(output.text);
    say(`Taken from ${output.label}.`);
  }

  async function useAnswerFile() {
    const of = task.task_id;
    say('Reading answer.txt…');
    let answer;
    try { answer = await kernel.answer(of); } catch (error) { answer = {message: error.message}; }
    if (task?.task_id !== of) return;
    if (!answer.found) { say(answer.message || 'There is no answer.txt in the notebook’s folder yet.'); return; }
    put(answer.text.replace(/\r?\n$/, ''));
    say(answer.message || 'Taken from answer.txt.');
  }

  function showAttempts() {
    if (!state.attempts.length) { attemptsBox.replaceChildren(); return; }
    const clear = button('Clear', () => { state.attempts = []; save(); showAttempts(); box.focus(); }, 'quiet');
    const shown = new Intl.DateTimeFormat(undefined, {hour: '2-digit', minute: '2-digit', second: '2-digit'});
    attemptsBox.replaceChildren(h('details', {open: attemptsBox.querySelector('details')?.open ?? true},
      h('summary', {}, h('h3', {}, `Attempts in this tab (${state.attempts.length})`)),
      h('ul', {}, state.attempts.map(attempt => {
        const [icon, words, look] = OUTCOMES[attempt.outcome];
        return h('li', {}, h('button', {type: 'button', class: 'attempt', title: 'Put this answer back into the box', onclick: () => put(attempt.answer)},
          h('span', {class: `attempt-outcome ${look}`}, `${icon} ${words}`), h('span', {class: 'mono attempt-answer'}, excerpt(attempt.answer)),
          h('span', {class: 'small muted'}, `${attempt.method} · ${shown.format(attempt.time)}`)));
      })), clear));
  }

  onLetters({g: () => { if (task) { box.scrollIntoView({block: 'nearest'}); box.focus(); } }});
  form.addEventListener('submit', event => { event.preventDefault(); grade(); });
  box.addEventListener('input', edited);
  box.addEventListener('keydown', event => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) { event.preventDefault(); grade(); }
  });

  function setTask(next) {
    task = next;
    say('');
    idle();
    revealButton.hidden = shows.hidden = false;
    if (!task) { pane.replaceChildren(h('div', {class: 'card'}, heading(pane, 'Grade'), h('p', {class: 'muted'}, 'Pick a task, and grade an answer to it here.'))); return; }
    state = kept.get(task.task_id);
    pane.replaceChildren(card);
    box.value = state.draft;
    fit();
    if (last.has(task.task_id)) { draw(...last.get(task.task_id)); tellWhose(); }
    showAttempts();
  }

  setTask(null);
  workbench.onTask(setTask);
}
