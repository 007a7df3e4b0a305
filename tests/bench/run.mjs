// Runs benchmarks and tells whether each met its target. `--rounds N` and the sizes can be given.
import { alerts } from './alerts.mjs';
import { ingest } from './ingest.mjs';
import { load64 } from './load.mjs';
import { memory } from './memory.mjs';
import { packs } from './packs.mjs';
import { pages } from './pages.mjs';
import { places } from './places.mjs';
import { report } from './report.mjs';
import { serve } from './serve.mjs';
import { tiles } from './tiles.mjs';
import { timeline } from './timeline.mjs';
import { trace } from './trace.mjs';
import { viewer } from './viewer.mjs';
import { waiting } from './waiting.mjs';
import { xplane } from './xplane.mjs';
import { data, say } from './lib/tools.mjs';

const benchmarks = { alerts, ingest, load: load64, memory, packs, pages, places, report, serve, tiles, timeline, trace, viewer, waiting, xplane };

const [asked = 'all', ...args] = process.argv.slice(2);
const names = asked === 'all' ? Object.keys(benchmarks) : [asked];
if (names.some((name) => !(name in benchmarks))) {
  say(`usage: ./dev bench [${Object.keys(benchmarks).join('|')}|all] [--rounds N] [--bytes N] [--nights N]`);
  process.exit(2);
}
let all = true;
for (const name of names) {
  const met = await benchmarks[name](args);
  all &&= met;
  say(`\n${name}: ${met ? 'the target is met' : 'the target is MISSED'} (docs/performance.md)`);
}
say(`\nThe figures are kept in ${data}`);
process.exit(all ? 0 : 1);
