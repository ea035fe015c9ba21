// A report on a task, written for the dataset's discussions. The gold is in it only once the visitor has seen it.
import {copy, h, workbench} from './workbench.js';

const KINDS = ['The gold looks wrong', 'The question can be read in more than one way', 'The grader takes a wrong answer or refuses a right one',
  'Data files are missing or differ', 'Something else'];
const LONGEST_LINK = 6000;   // characters; servers refuse addresses not much longer

const seen = new Map();   // task id: gold
workbench.addEventListener('gold', event => { seen.set(event.detail.task_id, event.detail.gold); });

export function taskReport(task) {
  const {dataset, revision, url} = task.report;
  const kind = h('select', {name: 'kind'}, KINDS.map(each => h('option', {}, each)));
  const words = h('textarea', {name: 'words', rows: 3, placeholder: 'What you did, and what came out…'});
  const link = h('a', {class: 'btn', target: '_blank', rel: 'noopener noreferrer', onclick: point, onfocus: point, onpointerenter: point}, 'Open it on the Hub');
  const note = h('p', {class: 'small muted', role: 'status'});

  const title = () => `${kind.value}: ${task.task_id}`;
  const quoted = text => text.replace(/^/gm, '> ');

  function body() {
    const gold = seen.get(task.task_id);
    return [
      `**${kind.value}.** ${words.value.trim() || '(say here what is wrong)'}`,
      [`- task_id: \`${task.task_id}\``, `- dataset: ${dataset}, split ${task.split}${revision ? `, revision ${revision}` : ''}`,
        `- Kaggle dataset: ${task.kaggle_dataset}`, `- reward_mode: ${task.reward_mode || 'none'}, atol ${task.atol}, rtol ${task.rtol}`].join('\n'),
      `Question:\n\n${quoted(task.question)}`,
      gold === undefined ? null : `Gold answer:\n\n${quoted(gold)}`,
    ].filter(Boolean).join('\n\n');
  }

  function point() {
    const address = new URL(url);
    address.searchParams.set('title', title());
    address.searchParams.set('description', body());
    const short = address.href.length <= LONGEST_LINK;
    if (!short) address.searchParams.delete('description');
    note.textContent = short ? '' : 'The text is too long for a link: copy it too, and paste it there.';
    link.href = address.href;
  }

  if (url) { point(); kind.addEventListener('input', point); words.addEventListener('input', point); }
  return h('details', {class: 'report'}, h('summary', {}, 'Report this task'),
    h('div', {class: 'report-form'}, h('label', {class: 'field'}, 'What is wrong', kind), h('label', {class: 'field'}, 'In your words', words),
      h('p', {class: 'small muted'}, 'Task, revision and question are filled in. The gold answer is left out unless you have seen it here.'),
      h('div', {class: 'row'}, url && link, h('button', {type: 'button', class: 'btn', onclick: event => copy(`${title()}\n\n${body()}`, event.currentTarget)}, 'Copy the report')), note));
}
