// Made-up series watched night by night: all nights from nothing, as after a night that came late, and one night more.
import { alertsProgram, keepFigures, measure, option, say, table } from './lib/tools.mjs';

const TARGET_ALL_S = 5, TARGET_NIGHT_S = 0.3;

export async function alerts(args) {
  const series = option(args, 'series', 10_000), nights = option(args, 'nights', 400);
  const run = await measure([alertsProgram, String(series), String(nights)]);
  const figures = JSON.parse(run.output);
  say(`\n${series} timed series × ${nights} nights, in processor time; ${run.peak_mb.toFixed(0)} MB at most. "lively": steps in one of a hundred, and one in all\n`);
  table(['', 'all nights, s', 'one night more, ms: median', 'worst of 20', 'alerts', 'of them confirmed'],
    Object.entries(figures).map(([name, of]) => [name, of.all_s.toFixed(2), (1000 * of.night_s).toFixed(1), (1000 * of.worst_night_s).toFixed(1), of.alerts, of.confirmed]));
  keepFigures('alerts', { series, nights, peak_mb: run.peak_mb, ...figures });
  return figures.quiet.all_s < TARGET_ALL_S && figures.quiet.night_s < TARGET_NIGHT_S;
}
