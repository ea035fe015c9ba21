// The kernel routes: one JSON object up, newline-delimited JSON events down.

/** The app answered, and refused: `message` is its sentence. */
export class Refusal extends Error {
  constructor(status, message) { super(message); this.status = status; }
}

class ConnectionLost extends Error {}

const pause = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));

/** JSON whose integers past 2^53 keep their digits when they are printed again, where the browser can. */
export function parseExactly(text) {
  if (!JSON.rawJSON || !text.includes('application/json')) return JSON.parse(text);
  return JSON.parse(text, (_, value, context) =>
    Number.isInteger(value) && !Number.isSafeInteger(value) && context?.source ? JSON.rawJSON(context.source) : value);
}

async function post(path, body) {
  let response;
  try {
    response = await fetch(new URL(`kernel/${path}`, document.baseURI), {
      method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body), cache: 'no-store',
    });
  } catch {
    throw new ConnectionLost('The app can’t be reached. Cells and outputs are kept; try again when it is back.');
  }
  if (response.ok) return response;
  const answer = await response.json().catch(() => ({}));
  const said = answer.message ?? answer.detail;
  const message = typeof said === 'string' ? said : `The app refused this (HTTP ${response.status}). Cells and outputs are kept.`;
  // a proxy whose app is gone answers 502-504: the same as no answer
  if (response.status >= 502) throw new ConnectionLost(message);
  throw new Refusal(response.status, message);
}

async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    let part;
    try { part = await reader.read(); } catch { throw new ConnectionLost('The connection broke.'); }
    if (part.done) return;
    const lines = (rest + part.value).split('\n');
    rest = lines.pop();
    for (const line of lines) if (line.trim()) yield parseExactly(line);
  }
}

export class KernelClient {
  constructor(token) { this.token = token; }

  async #ask(path, more = {}) { return (await post(path, {token: this.token, ...more})).json(); }

  status() { return this.#ask('status'); }
  stop(end = false) { return this.#ask('stop', {end}); }
  restart() { return this.#ask('restart'); }
  /** Answer what a run asks. */
  answerInput(runId, text) { return this.#ask('input', {run_id: runId, text}); }
  /** `kind` is complete or inspect, `cursor` counts code points. */
  help(kind, taskId, {code, cursor}) { return this.#ask(kind, {task_id: taskId, code, cursor}); }
  /** `variables` is null when no kernel of the task is free to say. */
  variables(taskId) { return this.#ask('variables', {task_id: taskId}); }
  /** `head` is null when there is none to be had. */
  head(taskId, name) { return this.#ask('head', {task_id: taskId, name}); }
  answer(taskId) { return this.#ask('answer', {task_id: taskId}); }

  /**
   * Run a cell. `receive` gets every event once and in order, `{event: "connection", lost}` when the line to the app
   * breaks or is back, and never throws. Resolves with the last event, `done`; what kept it from running is one too.
   */
  async run({taskId, cellId, code}, receive) {
    let response;
    try {
      response = await post('run', {token: this.token, task_id: taskId, cell_id: cellId, code});
    } catch (error) {
      if (!(error instanceof Refusal || error instanceof ConnectionLost)) throw error;
      return {event: 'done', status: 'refused', message: error.message};
    }
    return this.#follow(response.headers.get('X-Run-Id'), response, receive);
  }

  /** Find a run again and get all its events from the first on. */
  follow(runId, receive) { return this.#follow(runId, null, receive); }

  async #follow(runId, response, receive) {
    let seen = -1;
    let lost = false;
    let wait = 500;
    receive({event: 'run', run_id: runId});
    for (;;) {
      try {
        response ??= await post('events', {token: this.token, run_id: runId, after: seen});
        for await (const event of events(response)) {
          if (lost) { lost = false; wait = 500; receive({event: 'connection', lost}); }
          if (event.seq <= seen) continue;
          seen = event.seq;
          if (event.event === 'done') return event;
          receive(event);
        }
      } catch (error) {
        if (error instanceof Refusal) {
          return {event: 'done', status: 'lost', message: 'The kernel that ran this cell is gone. The output up to here is kept; run the cell again.'};
        }
        if (!(error instanceof ConnectionLost)) throw error;
      }
      response = null;
      if (!lost) { lost = true; receive({event: 'connection', lost}); }
      await pause(wait);
      wait = Math.min(wait * 2, 8000);
    }
  }
}
