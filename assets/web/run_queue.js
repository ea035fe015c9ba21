// The order cells run in. One at a time is sent to the kernel: a browser keeps only a few connections to one
// server, and each running cell holds one, so sending all would leave none for Stop.

export class RunQueue {
  #client;
  #changed;
  #heard;
  #jobs = [];
  current = null;   // the job running: {notebook, cell, group, runId}
  step = '';        // of stopping it: '' | interrupting | ending

  /** `changed()` is called whenever `busy`, `current` or `step` may have changed, `heard(event)` with a run's news. */
  constructor(client, changed, heard) { this.#client = client; this.#changed = changed; this.#heard = heard; }

  get busy() { return this.current !== null; }

  has(cell) { return this.current?.cell === cell || this.#jobs.some(job => job.cell === cell); }

  holds(notebook) { return this.current?.notebook === notebook || this.#jobs.some(job => job.notebook === notebook); }

  /** Queue cells. Given together, they stop at the first that fails. */
  add(notebook, cells) {
    const group = cells.length > 1 ? {} : null;
    for (const cell of cells) {
      if (this.has(cell)) continue;
      this.#jobs.push({notebook, cell, group, runId: null});
      if (this.current) cell.wait(this.current.notebook === notebook ? '' : 'Waiting for a cell of another task to finish.');
    }
    this.#work();
  }

  /** Go on with a run which the server has already. */
  attach(notebook, cell, runId) {
    this.#jobs.push({notebook, cell, group: null, runId});
    this.#work();
  }

  /** Drop what waits. */
  clear(reason, chosen = () => true) {
    const dropped = this.#jobs.filter(chosen);
    this.#jobs = this.#jobs.filter(job => !dropped.includes(job));
    for (const job of dropped) job.cell.skip(reason);
    this.#changed();
    return dropped.length;
  }

  #enter(step) { this.step = step; this.#changed(); }

  /** Drop what waits and interrupt the running cell, or `end` its kernel. Resolves with the server's answer. */
  async stop(end) {
    const job = this.current;
    this.clear('Not run: stopped before its turn.');
    this.#enter(end ? 'ending' : 'interrupting');
    const answer = await this.#client.stop(end).catch(error => ({failed: true, message: error.message, offer: end}));
    if (this.current === job) this.#enter('');
    return answer;
  }

  async #work() {
    if (this.current) return;
    while (this.#jobs.length) {
      const job = this.current = this.#jobs.shift();
      const {notebook, cell} = job;
      this.step = '';
      const receive = event => { this.#heard(event); cell.receive(event); };
      let running;
      if (job.runId) {
        cell.resume();
        running = this.#client.follow(job.runId, receive);
      } else {
        cell.start(this.#client.token);
        running = this.#client.run({taskId: notebook.taskId, cellId: cell.id, code: cell.code}, receive);
      }
      this.#changed();
      const done = await running.catch(error => {
        console.error(error);
        return {event: 'done', status: 'lost', message: 'The page could not read the kernel’s answer. The output up to here is kept; run the cell again.'};
      });
      cell.finish(done);
      if (done.status === 'error') {
        if (job.group) this.clear('Not run: an earlier cell failed.', other => other.group === job.group);
      } else if (done.status !== 'ok') this.clear('Not run: the cell before it did not finish.');
      this.current = null;
      this.step = '';
    }
    this.#changed();
  }
}
