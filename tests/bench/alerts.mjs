// Made-up series watched night by night: all nights from nothing, as after a night that came late, and one night more. Then
// the same through the program, on a store of nights: one more night is ingested, and all are watched anew by other rules.
import { copyFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { alertsProgram, data, fleetFile, keepFigures, measure, option, program, removeStore, say, spread, table } from './lib/tools.mjs';

const TARGET_ALL_S = 5, TARGET_NIGHT_S = 0.3;

export async function alerts(args) {
  const series = option(args, 'series', 10_000), nights = option(args, 'nights', 400);
  const run = await measure([alertsProgram, String(series), String(nights)]);
  const figures = JSON.parse(run.output);
  say(`\n${series} timed series × ${nights} nights, in processor time; ${run.peak_mb.toFixed(0)} MB at most. "lively": steps in one of a hundred, and one in all\n`);
  table(['', 'all nights, s', 'one night more, ms: median', 'worst of 20', 'alerts', 'of them confirmed', 'standing at the end'],
    Object.entries(figures).map(([name, of]) => [name, of.all_s.toFixed(2), (1000 * of.night_s).toFixed(1), (1000 * of.worst_night_s).toFixed(1), of.alerts, of.confirmed, of.standing]));
  const whole = await wholeProgram(option(args, 'stored', 365), option(args, 'rounds', 5));
  keepFigures('alerts', { series, nights, peak_mb: run.peak_mb, ...figures, whole });
  return figures.quiet.all_s < TARGET_ALL_S && figures.quiet.night_s < TARGET_NIGHT_S;
}

async function wholeProgram(nights, rounds) {
  const before = await fleetFile(`alerts-${nights}.jsonl`, ['--nights', String(nights)]);
  const after = await fleetFile(`alerts-${nights}-next.jsonl`, ['--nights', String(nights + 1), '--skip', String(nights)]);
  const full = path.join(data, 'alerts-full.db'), store = path.join(data, 'alerts.db'), rules = path.join(data, 'alerts-rules.json');
  removeStore(full);
  await measure([program, 'ingest', '--db', full, before]);
  const night = [], anew = [];
  // The first round warms the caches and does not count.
  for (let round = 0; round <= rounds; ++round) {
    removeStore(store);
    copyFileSync(full, store);
    const one = await measure([program, 'ingest', '--db', store, after]);
    // The same rules in other words.
    writeFileSync(rules, `{"false_discovery_rate": 0.05${'0'.repeat(round + 1)}}`);
    const all = await measure([program, 'alerts', 'rules', rules, '--db', store]);
    if (round > 0) night.push(one), anew.push(all);
  }
  removeStore(store);
  removeStore(full);
  const column = (runs, of, digits) => spread(runs.map((run) => run[of]), digits);
  say(`\nThe program on a store of ${nights} nights of 800 experiments, ${rounds} rounds: median (least–greatest)\n`);
  table(['', 'one night more', 'all nights anew', 'ratio, pair by pair'], [
    ['processor time, s', column(night, 'cpu_s'), column(anew, 'cpu_s'), spread(night.map((one, i) => anew[i].cpu_s / one.cpu_s), 1)],
    ['wall, s', column(night, 'wall_s'), column(anew, 'wall_s'), spread(night.map((one, i) => anew[i].wall_s / one.wall_s), 1)],
    ['peak memory, MB', column(night, 'peak_mb', 0), column(anew, 'peak_mb', 0), ''],
  ]);
  return { nights, night, anew };
}
