// What the guard of speed counts (guard.mjs), on samples/: each page's requests, and the work of every night.
// Pages ask for what web/src/pages asks for. Numbers of experiments, traces and the like are those of a store of all samples.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { root } from './lib/tools.mjs';

// Paths of samples, relative to the folder in which everything is run. It has a copy of them.
const NIGHTS = 'samples/cpu_nightlies', LAST_NIGHT = `${NIGHTS}/2025-11-28`;
const TRACE_FILE = `${NIGHTS}/2025-11-15/transformer_mini/0/trace-cpu-inductor-False-train-None-None-None-transformer_mini.json.gz`;
/** The results files of all nights, in the order of their dates. */
const results = readdirSync(path.join(root, NIGHTS)).sort().map((night) => `${NIGHTS}/${night}/results.jsonl`);

/** What each prepared store is made of: every sample; the results, without dumps, of the nights before the last. */
export const stores = { all: ['samples'], before: results.filter((file) => !file.startsWith(LAST_NIGHT)) };

const ON = `accelerator_model=${encodeURIComponent('Intel(R) Xeon(R) Processor')}`;
const MODEL = `suite=cpu-mini&model=resnet_mini&test=train&${ON}`;
const PROFILED = '/runs/latest/results/38';  // transformer_mini, train, inductor
const TRACE = '/traces/114';  // its 6120 slices

/** What each page asks for, in this order, so that a first answer profits from those before it. */
const pages = {
  'overview': ['/overview?baseline=inductor&runs=30', '/store', '/alerts?limit=6&order=urgency', '/coverage?run=latest', `/history?${ON}&group_by=test&group_by=backend&runs=30`],
  'runs': ['/runs?limit=1000'],
  'a run': ['/runs/latest/models?baseline=inductor', '/artifacts?run=latest&superseded=false&limit=1'],
  'a run as CSV': ['/runs/latest/models?format=csv'],
  'verification': ['/verification?run=latest', `/verification/history?${ON}&runs=60`, '/verification/transitions?run=latest', '/failures?run=latest'],
  'models': ['/models?limit=1000', `/history/models?${ON}&test=eval&backend=inductor&runs=30`],
  'a model': ['/models?suite=cpu-mini&model=resnet_mini', '/metrics-registry?limit=1000', `/series?${MODEL}&metric=steady&baseline=inductor`, `/series/phases?${MODEL}`],
  'alerts': ['/alerts?state=all&limit=100&order=urgency'],
  'an alert': ['/alerts/10', `/series?suite=cpu-mini&model=unet_mini&test=eval&${ON}&backend=inductor&metric=steady&runs=180`],
  'compare': ['/compare?left=previous&right=latest', `/history/models?${ON}&runs=30`],
  'explore': [`/history?runs=1&group_by=test&group_by=column`, `/history/changes?${ON}`],
  'coverage': ['/coverage'],
  'errors': ['/errors?runs=90'],
  'ingests': ['/ingests?limit=1000', '/ingests/41'],
  'dumps': ['/artifacts?limit=100', '/artifacts/420/content'],
  'a profile': [PROFILED, `${PROFILED}/phases`, `${PROFILED}/measurements`, `${PROFILED}/dumped-counters`],
  'two profiles': ['/profile-diff?before_run=2025-11-15&before_experiment=38&run=latest&experiment=38&limit=20'],
  'search': ['/search?q=resnet'],
  'a trace': [TRACE, `${TRACE}/findings`, `${TRACE}/find?q=conv`, `${TRACE}/sums?begin=0&end=903649068`],
  'a tile': [`${TRACE}/tiles?level=14&index=10&tracks=0`],
  'a tile of all': [`${TRACE}/tiles?level=20&index=0&tracks=0`],
};

/**
 * What is run: `program` is `benchhud` itself, or `guard` (guard.cc), which gets a copy of a prepared store. `parts` are what is counted of it, under which
 * name: what guard calls so, or `all` that the program does.
 */
export const jobs = [
  { program: 'benchhud', words: ['--version'], parts: { all: 'start of the program' } },
  { program: 'benchhud', words: ['report', '--backends', 'inductor', 'aot_eager', '--accelerator', 'xeon', ...results], parts: { all: 'report' } },
  { program: 'guard', does: 'start', store: 'all', words: [], parts: { start: 'start of the server' } },
  { program: 'guard', does: 'ingest', store: 'before', words: [`${LAST_NIGHT}/results.jsonl`], parts: { ingest: 'ingest of a night', alerts: 'alerts of one more night' } },
  { program: 'guard', does: 'ingest', store: 'before', words: [TRACE_FILE], parts: { ingest: 'ingest of a trace' } },
  ...Object.entries(pages).map(([page, addresses]) => ({
    program: 'guard', does: 'ask', store: 'all', words: addresses.map((address) => `/api/v1${address}`),
    parts: Object.fromEntries(['first', 'repeated'].flatMap((when) => addresses.map((address, i) => [`${when}_${i}`, `${page}: ${address.split('?')[0]}, ${when}`]))),
  })),
];
