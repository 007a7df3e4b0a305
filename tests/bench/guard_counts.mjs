// How counts are compared with the committed ones. Counts: {name of a path: {instructions, statements}}; whole programs have no statements.

/** A larger share above the committed instructions fails; as far below, the committed ones are to be renewed. */
export const MOST_CHANGE = 0.05;
/** Counts that are as close to the committed ones are not written again, so that the file's changes are those that a commit made. */
const NOISE = 0.005;

/** A share as text: +5.1 %. */
function percent(share) {
  return `${share < 0 ? '−' : '+'}${Math.abs(share * 100).toFixed(1)} %`;
}

/** One path → {name, failed, stale, text}. `stale`: its committed count is to be renewed, because it is too high. `text`: what is to be said about it. */
function judge(name, committed, measured) {
  if (!measured) return { name, failed: true, stale: false, text: 'it was not counted' };
  if (!committed) return { name, failed: true, stale: false, text: 'no count of it is committed' };
  const change = measured.instructions / committed.instructions - 1;
  // Statements are few and exact: one more is one more query for each request.
  const more = (measured.statements ?? 0) - (committed.statements ?? 0);
  const slower = change > MOST_CHANGE, faster = change < -MOST_CHANGE;
  const said = [];
  if (slower || faster) said.push(`${percent(change)} instructions`);
  if (more !== 0) said.push(`${Math.abs(more)} ${more > 0 ? 'more' : 'fewer'} SQL statement${Math.abs(more) === 1 ? '' : 's'}`);
  return { name, failed: slower || more > 0, stale: faster || more < 0, text: said.join(', ') };
}

/** Verdicts of all paths that were measured or have a committed count. */
export function compare(committed, measured) {
  return [...new Set([...Object.keys(measured), ...Object.keys(committed)])].map((name) => judge(name, committed[name], measured[name]));
}

/** What is to be committed: the measured counts, but the committed one where only noise is between them. */
export function renewed(committed, measured) {
  const isSame = (known, count) => known && known.statements === count.statements && Math.abs(count.instructions / known.instructions - 1) < NOISE;
  return Object.fromEntries(Object.entries(measured).map(([name, count]) => [name, isSame(committed[name], count) ? committed[name] : count]));
}

/** Lines about packages whose versions differ. They explain counts; no verdict depends on them. */
export function versionDifferences(committed, here) {
  return [...new Set([...Object.keys(committed), ...Object.keys(here)])]
    .filter((name) => committed[name] !== here[name])
    .map((name) => `${name}: ${here[name] ?? 'none'} here, ${committed[name] ?? 'none'} there`);
}

/** → [header, rows] of a table of all paths. */
export function verdictTable(verdicts, committed, measured) {
  const rows = verdicts.map(({ name, failed, stale }) => {
    const known = committed[name], count = measured[name];
    const change = known && count ? percent(count.instructions / known.instructions - 1) : '';
    return [name, count?.instructions ?? '', known?.instructions ?? '', change, count?.statements ?? '', known?.statements ?? '', failed ? 'FAILED' : stale ? 'renew' : ''];
  });
  return [['path', 'instructions', 'committed', 'change', 'statements', 'committed', ''], rows];
}
