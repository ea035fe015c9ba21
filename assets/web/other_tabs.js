// Tabs of this browser that show the same task: each is told of the others, whichever came first.

/** Tell `changed(shared)` whether another tab shows the task given to the function returned. */
export function watchOtherTabs(changed) {
  const own = crypto.getRandomValues(new Uint32Array(2)).join('-');
  const channel = new BroadcastChannel('workbench.notebooks');
  const others = new Map();  // tab → its task
  let task = null;

  const say = (kind, more = {}) => channel.postMessage({kind, tab: own, task, ...more});
  const tell = () => changed(task !== null && [...others.values()].includes(task));

  channel.addEventListener('message', ({data}) => {
    if (data.kind === 'gone') others.delete(data.tab); else others.set(data.tab, data.task);
    if (data.kind === 'here') say('too');
    tell();
  });
  addEventListener('pagehide', () => say('gone'));
  addEventListener('pageshow', event => { if (event.persisted) { others.clear(); say('here'); } });

  return shown => {
    task = shown;
    say('here');
    tell();
  };
}
