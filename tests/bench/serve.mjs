// How long every request of the pages takes on a store of a million results, while nights are being ingested.
import { spawn } from 'node:child_process';
import { Client } from './lib/client.mjs';
import { Server, copyOf, fleetStore } from './lib/server.mjs';
import { filesOf, fleetFile, fleetFolder, keepFigures, option, program, quantile, randomNumbers, removeStore, say, table } from './lib/tools.mjs';

const TARGET_MEDIAN_MS = 10, TARGET_P99_MS = 50;
const ACCELERATOR = 'NVIDIA A100-SXM4-40GB';

function query(values) {
  return new URLSearchParams(values).toString();
}

// What the pages ask (web/src/pages), each as a function that gives an address with parameters drawn anew.
async function addresses(client, random) {
  const pick = (items) => items[Math.floor(random() * items.length)];
  const runs = (await client.json('/api/v1/runs?limit=1000')).items;
  const models = (await client.json('/api/v1/models?limit=1000')).items;
  const ingests = (await client.json('/api/v1/ingests?limit=1000')).items;
  const results = (await client.json('/api/v1/runs/latest/models')).rows.flatMap((row) => Object.values(row.cells));
  const failed = results.filter((cell) => cell.failure);
  // What people type: beginnings of names, letter by letter; dates; words; and what is not there.
  const typed = [...models.flatMap(({ model }) => [1, 3, 5].map((letters) => model.slice(0, letters))), ...runs.slice(0, 50).map((one) => one.name.slice(0, 10)), 'training inductor', 'out of memory', 'alert 1', 'no such thing'];
  const baseline = () => pick(['inductor', 'inductor', 'eager']);
  // People look at recent nights: a run's age is drawn with the same chance for 1 to 2 nights back as for 2 to 4, 4 to 8 and so on. Any run
  // at all, which nobody may have looked at since the server started, is measured by itself.
  const run = () => runs[Math.floor(runs.length ** random()) - 1].id;
  const series = (metric) => () => {
    const model = pick(models);
    return `/series?${query({ suite: model.suite, model: model.model, test: pick(model.tests), accelerator_model: ACCELERATOR, runs: 180, metric, baseline: baseline() })}`;
  };
  const modelTable = (choices) => () => `/runs/${run()}/models?${query({ baseline: baseline(), baseline_run: 'same', estimator: 'steady', ...choices })}`;
  const result = () => `/runs/${run()}/results/${pick(results).experiment_id}`;
  return {
    'overview': () => `/overview?${query({ baseline: baseline(), runs: 30 })}`,
    'runs, 1000 of them': () => '/runs?limit=1000',
    'run': () => `/runs/${run()}`,
    'models of a run': modelTable({}),
    'models of any run': () => `/runs/${pick(runs).id}/models?${query({ baseline: 'inductor', baseline_run: 'same', estimator: 'steady' })}`,
    'models, baseline oldest run': modelTable({ baseline_run: 'oldest' }),
    'models, baseline latest run': modelTable({ baseline_run: 'latest' }),
    'models, upstream estimator': modelTable({ estimator: 'upstream' }),
    'models, verified only': modelTable({ verified_only: 'true' }),
    'models, CSV': modelTable({ format: 'csv' }),
    'verification': () => `/verification?run=${run()}`,
    'verification history, 60 runs': () => `/verification/history?${query({ accelerator_model: ACCELERATOR, runs: 60 })}`,
    'transitions': () => `/verification/transitions?${query({ run: run(), since: 'previous' })}`,
    'failures': () => `/failures?run=${run()}`,
    'errors, 90 runs': () => `/errors?${query({ runs: 90, test: pick(['eval', 'train']) })}`,
    'errors, 365 runs': () => `/errors?${query({ runs: 365, test: pick(['eval', 'train']) })}`,
    'an error, 90 runs': () => `/errors/history?${query({ signature: pick(failed).failure.signature })}`,
    'search': () => `/search?${query({ q: pick(typed) })}`,
    'search, all hits': () => `/search?${query({ q: pick(typed), limit: 200 })}`,
    'error text': () => `/lines/${pick(failed).failure.line_id}/error`,
    'a model': () => `/models?${query({ suite: 'torchbench', model: pick(models).model })}`,
    'metrics registry': () => '/metrics-registry?limit=1000',
    'series, steady': series('steady'),
    'series, speedup': series('speedup'),
    'series, compile': series('compile'),
    'series, xla_ExecuteTime_time_s': series('xla_ExecuteTime_time_s'),
    'result': result,
    'measurements of a result': () => `${result()}/measurements?limit=1000`,
    'ingests': () => '/ingests?limit=1000',
    'ingest': () => `/ingests/${pick(ingests).id}`,
    'rejected lines': () => `/rejected-lines?${query({ ingest: pick(ingests).id, limit: 1000 })}`,
  };
}

// Takes files in, one after the other, until stopped. What is under way then is killed: a file is in the store wholly or not at all.
class Ingesting {
  constructor(store, files) {
    this.files = files;
    this.times = [];
    this.done = this.run(store);
  }

  async run(store) {
    for (const file of this.files) {
      if (this.stopped) return;
      const began = performance.now();
      const status = await new Promise((resolve) => {
        this.process = spawn(program, ['ingest', '--db', store, file], { stdio: 'ignore' });
        this.process.on('exit', resolve);
      });
      if (status === 0) this.times.push(performance.now() - began);
    }
    if (!this.stopped) this.ranOut = true;
  }

  async stop() {
    this.stopped = true;
    this.process.kill('SIGKILL');
    await this.done;
  }
}

// Every client asks for everything in an order of its own, `times` times.
async function askAll(server, what, times, clients, random) {
  const taken = Object.fromEntries(Object.keys(what).map((name) => [name, { ms: [], bytes: [], ran: [], waited: [] }]));
  const shuffled = () => Object.keys(what).map((name) => [random(), name]).sort((a, b) => a[0] - b[0]).map(([, name]) => name);
  await Promise.all(Array.from({ length: clients }, async () => {
    const client = new Client(server.base);
    for (let time = 0; time < times; ++time) {
      for (const name of shuffled()) {
        const before = clients === 1 ? server.scheduled() : null;
        const answer = await client.ask('/api/v1' + what[name]());
        if (before) {
          const after = server.scheduled();
          taken[name].ran.push(after.ran - before.ran);
          taken[name].waited.push(after.waited - before.waited);
        }
        taken[name].ms.push(answer.ms);
        taken[name].bytes.push(answer.bytes);
      }
    }
    client.agent.destroy();
  }));
  return taken;
}

export async function serve(args) {
  const nights = option(args, 'nights', 1250);
  const times = option(args, 'times', 40);
  // A file that takes longer to be taken in than the clients ask, and nights that take a tenth of a second each.
  const large = [await fleetFile(`nights-${nights}-on.jsonl`, ['--nights', String(nights + 1500), '--skip', String(nights)])];
  const single = filesOf(await fleetFolder(`nights-from-${nights}`, ['--nights', String(nights + 400), '--skip', String(nights)]));
  const copy = copyOf(await fleetStore(nights), 'serve.db');
  const server = await Server.start(copy);
  const figures = {};
  let ingesting;
  try {
    const client = new Client(server.base);
    const random = randomNumbers(1);
    const what = await addresses(client, random);
    const info = await client.json('/api/v1/overview');
    say(`\n${info.store.result_count} results in ${info.store.run_count} runs`);
    await askAll(server, what, 2, 1, random);
    await server.settled();
    const modes = [['alone, nothing ingested', 1, []], ['alone, ingesting', 1, large], ['4 at a time, ingesting', 4, large], ['alone, a commit a night', 1, single]];
    for (const [mode, clients, source] of modes) {
      if (source.length > 0) ingesting = new Ingesting(copy, source);
      figures[mode] = await askAll(server, what, Math.ceil(times / clients), clients, random);
      if (source.length === 0) continue;
      await ingesting.stop();
      if (ingesting.ranOut) throw new Error('the nights to ingest ran out: make more');
      const { times: done } = ingesting;
      say(`${mode}: ${done.length} files committed meanwhile${done.length > 0 ? `, ${quantile(done, 0.5).toFixed(0)} ms each (median)` : ''}`);
    }
  } finally {
    if (ingesting) await ingesting.stop();
    await server.stop();
    removeStore(copy);
  }
  const missed = [];
  const names = Object.keys(Object.values(figures)[0]);
  say('\nMilliseconds from asking to the last byte: median / p99 / greatest. Targets: median under 10, p99 under 50.\n');
  table(['', 'answer, kB', ...Object.keys(figures)], names.map((name) => {
    const cells = Object.entries(figures).map(([mode, taken]) => {
      const { ms } = taken[name];
      const [mid, p99] = [quantile(ms, 0.5), quantile(ms, 0.99)];
      const isMissed = mid >= TARGET_MEDIAN_MS || p99 >= TARGET_P99_MS;
      if (isMissed && mode === 'alone, ingesting') missed.push(`${name}, ${mode}`);
      return `${mid.toFixed(1)} / ${p99.toFixed(1)} / ${Math.max(...ms).toFixed(1)}${isMissed ? ' !' : ''}`;
    });
    return [name, (quantile(Object.values(figures)[0][name].bytes, 0.5) / 1000).toFixed(1), ...cells];
  }));
  say('\nOf one client alone: milliseconds that the server computed meanwhile, and that it was ready to but had no processor: median / p99.'
    + '\nOn a machine with nothing else to do the second is nothing, and the first is nearly the whole.\n');
  const measured = Object.entries(figures).filter(([, taken]) => Object.values(taken)[0].ran.length > 0);
  table(['', ...measured.flatMap(([mode]) => [`computed, ${mode}`, 'waited'])], names.map((name) => [name, ...measured.flatMap(([, taken]) =>
    [taken[name].ran, taken[name].waited].map((values) => `${quantile(values, 0.5).toFixed(1)} / ${quantile(values, 0.99).toFixed(1)}`))]));
  for (const miss of missed) say(`missed: ${miss}`);
  keepFigures('serve', { figures });
  return missed.length === 0;
}
