// What people wait for in the pages, in Chromium on a store of a million results: the first page, every page's numbers, what they click, and
// the scrolling of a table of 5,000 rows.
import { chromiumBrowser } from './lib/browser.mjs';
import { Server, copyOf, fleetStore } from './lib/server.mjs';
import { keepFigures, median, option, quantile, removeStore, say, spread, table } from './lib/tools.mjs';

const TARGET_FIRST_MS = 1000, TARGET_SCRIPT_KB = 150, TARGET_CLICK_MS = 100, TARGET_FRAME_MS = 8;
const WIDE = { models: 2500, backends: 'eager,inductor,openxla+dynamo' };

// Runs in the page. Where the numbers are drawn: a headline, nothing that waits, nothing that is of an earlier question.
const isReady = () => !!document.querySelector('main h1') && !document.querySelector('main .waiting') && !document.querySelector('main .late');

/** Put into every page: what it takes until a change is painted. */
function tools() {
  const painted = () => new Promise((resolve) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve(performance.now());
    port2.postMessage(0);
  }));
  window.bench = {
    painted,
    /** Milliseconds from doing something to the paint in which `done` holds. */
    async until(act, done = () => true) {
      const began = performance.now();
      act();
      for (;;) {
        const at = await painted();
        if (done()) return at - began;
        if (at - began > 20000) throw new Error('it never came');
      }
    },
    type(input, text) {
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, text);
      input.dispatchEvent(new Event('input', { bubbles: true }));
    },
    /** The button of these whose text begins so: others of its kind come and go. */
    button: (selector, text) => [...document.querySelectorAll(selector)].find((one) => one.textContent.trim().startsWith(text)),
    /** How many rows the filter says that it shows. */
    shown: () => document.querySelector('.filter .shown').textContent,
    ready: () => !!document.querySelector('main h1') && !document.querySelector('main .waiting') && !document.querySelector('main .late'),
  };
  // The moment of the headline, and of an answered click behind it: from the beginning of the navigation.
  const see = () => {
    if (!document.querySelector('main h1')) return requestAnimationFrame(see);
    painted().then((headline) => {
      window.bench.headline = headline;
      document.querySelector('button[aria-label="Keys"]').click();
      const answered = () => (document.querySelector('dialog.help[open]') ? painted().then((at) => (window.bench.answered = at)) : requestAnimationFrame(answered));
      answered();
    });
  };
  if (new URLSearchParams(location.search).has('measure-first')) requestAnimationFrame(see);
}

async function openTab(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  await context.addInitScript(tools);
  return context.newPage();
}

/** Processor time of the page's own thread in milliseconds: script, style, layout. */
async function spent(session) {
  const { metrics } = await session.send('Performance.getMetrics');
  const of = (name) => (metrics.find((one) => one.name === name)?.value ?? 0) * 1000;
  return { script: of('ScriptDuration'), style: of('RecalcStyleDuration'), layout: of('LayoutDuration') };
}

async function firstPage(browser, base, rounds) {
  const taken = { headline: [], answered: [], script_kb: 0 };
  for (let round = 0; round < rounds; ++round) {
    // A tab of its own has a cache of its own: cold.
    const page = await openTab(browser);
    await page.goto(`${base}/?measure-first`, { waitUntil: 'commit' });
    await page.waitForFunction(() => window.bench?.answered);
    const { headline, answered, scripts } = await page.evaluate(() => ({
      headline: window.bench.headline,
      answered: window.bench.answered,
      // As they came, compressed; pieces that other pages load later are not among them.
      scripts: performance.getEntriesByType('resource').filter((one) => one.name.endsWith('.js')).map((one) => one.encodedBodySize),
    }));
    if (!scripts.length) throw new Error('no script was loaded');
    taken.script_kb = scripts.reduce((sum, size) => sum + size, 0) / 1000;
    taken.headline.push(headline);
    taken.answered.push(answered);
    await page.context().close();
  }
  return taken;
}

/** Every page by a link inside the pages, its data asked for anew; pages that this version does not have are left out. */
async function allPages(browser, base, addresses, rounds) {
  const taken = {};
  const page = await openTab(browser);
  await page.goto(base + '/ingests');
  await page.waitForFunction(isReady);
  for (const [name, address] of Object.entries(addresses)) {
    const ms = [];
    for (let round = 0; round < rounds; ++round) {
      await page.goto(base + (address.startsWith('/ingests') ? '/runs' : '/ingests'));
      await page.waitForFunction(isReady);
      ms.push(await page.evaluate((to) => window.bench.until(() => {
        const link = Object.assign(document.createElement('a'), { href: to });
        document.querySelector('main').append(link);
        link.click();
        // What was drawn before is no answer.
        window.bench.was = document.querySelector('main h1');
      }, () => window.bench.ready() && document.querySelector('main h1') !== window.bench.was), address));
      if (/no page at this address/.test(await page.locator('main h1').innerText())) break;
    }
    if (ms.length === rounds) taken[name] = ms;
  }
  await page.context().close();
  return taken;
}

/** What people do on pages, each to the paint that answers it. */
async function interactions(browser, base, addresses, wide, rounds) {
  const taken = {};
  const add = (name, ms) => (taken[name] ??= []).push(ms);
  const page = await openTab(browser);
  const open = async (address) => {
    await page.goto(base + address);
    await page.waitForFunction(isReady);
    await page.waitForTimeout(300);
  };
  const until = (act, done) => page.evaluate(([a, d]) => window.bench.until(new Function(a), d ? new Function(`return ${d}`) : undefined), [act, done]);
  // No suite and no test has a "p" in its name, about every fifth model has one.
  const filter = (text) => until(`bench.was = bench.shown(); bench.type(document.querySelector('.filter input'), '${text}')`, 'bench.shown() !== bench.was');
  for (let round = 0; round < rounds; ++round) {
    await open(addresses['a run']);
    add('run: filter typed', await filter('p'));
    await filter('');
    add('run: sorted by a click', await until("document.querySelector('.table-box thead button').click()", "document.querySelector('.table-box [aria-sort]')"));
    add('run: menu opened', await until("bench.button('.menu > button', 'Columns').click()", "document.querySelector('.menu-panel input[type=checkbox]')"));
    const columns = await page.locator('.table-box col').count();
    add('run: column taken away', await until("document.querySelector('.menu-panel input[type=checkbox]').click()", `document.querySelectorAll('.table-box col').length < ${columns}`));
    await open(addresses['a run']);
    // To the run before and back: both are then known.
    for (const name of [null, null, 'run: switched, known', 'run: switched, known']) {
      const title = await page.title();
      const step = (await page.locator('a[aria-label="Next run"]').count()) ? 'Next run' : 'Previous run';
      const ms = await until(`document.querySelector('a[aria-label="${step}"]').click()`, `document.title !== ${JSON.stringify(title)} && bench.ready()`);
      await page.waitForTimeout(100);
      if (name) add(name, ms);
    }
    await open('/runs');
    add('1,000 runs: filter typed', await filter('2025-05'));
    await filter('');
    add('1,000 runs: sorted by a click', await until("bench.button('.table-box thead button', 'Results').click()", "document.querySelector('.table-box [aria-sort]')"));
    add('search: opened', await until("document.querySelector('.search-open').click()", "document.querySelector('.palette[open]')"));
    add('search: letter typed, hits drawn', await until("bench.type(document.querySelector('.palette input'), 're')", "document.querySelector('.palette mark') && !document.querySelector('.palette .late')"));
    await page.goto(wide.base + wide.run);
    await page.waitForFunction(isReady);
    await page.waitForTimeout(500);
    add('5,000 rows: filter typed', await filter('p'));
    add('5,000 rows: filter narrowed', await filter('py'));
    add('5,000 rows: filter emptied', await filter(''));
    add('5,000 rows: sorted by a click', await until("document.querySelector('.table-box thead button').click()", "document.querySelector('.table-box [aria-sort]')"));
    add('5,000 rows: the other way round', await until("document.querySelector('.table-box thead button').click()", "document.querySelector('.table-box [aria-sort=descending]')"));
    add('5,000 rows: grouped', await until("bench.button('.choice button', 'suite').click()", "document.querySelector('tr.group')"));
  }
  await page.context().close();
  return taken;
}

/** Scrolls the table by a few rows a frame, as a wheel does, and by a page a frame, as a dragged bar does. */
async function scrolling(browser, wide, rounds) {
  const taken = {};
  const page = await openTab(browser);
  await page.goto(wide.base + wide.run);
  await page.waitForFunction(isReady);
  await page.waitForTimeout(1000);
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  for (let round = 0; round <= rounds; ++round) {
    for (const [name, step] of [['90 px a frame', 90], ['700 px a frame', 700]]) {
      const before = await spent(session);
      const seen = await page.evaluate(async (by) => {
        const box = document.querySelector('.table-box');
        box.scrollTop = 0;
        const long = [];
        const observer = new PerformanceObserver((list) => long.push(...list.getEntries().map((entry) => entry.duration)));
        observer.observe({ type: 'longtask' });
        await window.bench.painted();
        const frames = [];
        await new Promise((done) => {
          let last = 0;
          const frame = (now) => {
            if (last) frames.push(now - last);
            last = now;
            box.scrollTop += by;
            if (frames.length < 180) requestAnimationFrame(frame);
            else done();
          };
          requestAnimationFrame(frame);
        });
        observer.disconnect();
        return { frames, long: long.length, top: box.scrollTop };
      }, step);
      const after = await spent(session);
      if (round === 0) continue;
      const figures = (taken[name] ??= { frame: [], p95: [], script: [], style: [], layout: [], long: [] });
      figures.frame.push(median(seen.frames));
      figures.p95.push(quantile(seen.frames, 0.95));
      for (const kind of ['script', 'style', 'layout']) figures[kind].push((after[kind] - before[kind]) / seen.frames.length);
      figures.long.push(seen.long);
      if (seen.top < step * 100) throw new Error(`the table did not scroll: ${seen.top}`);
    }
  }
  const rows = await page.locator('.table-box table').getAttribute('aria-rowcount');
  await page.context().close();
  return { taken, rows: Number(rows) - 1 };
}

export async function pages(args) {
  const nights = option(args, 'nights', 1250);
  const rounds = option(args, 'rounds', 7);
  const stores = [copyOf(await fleetStore(nights), 'pages.db'), copyOf(await fleetStore(2, { name: 'store-wide', fleet: ['--models', String(WIDE.models), '--backends', WIDE.backends] }), 'pages-wide.db')];
  const servers = [];
  const figures = {};
  const missed = [];
  const expect = (met, what) => {
    if (!met) missed.push(what);
    return met ? '' : ' !';
  };
  const browser = await chromiumBrowser();
  try {
    for (const store of stores) servers.push(await Server.start(store));
    for (const server of servers) await server.settled();
    const [{ base }, { base: wideBase }] = servers;
    const api = async (path, from = base) => (await fetch(`${from}/api/v1${path}`)).json();
    const { store: { result_count, run_count } } = await api('/overview');
    const [latest] = (await api('/runs?limit=1')).items;
    const [{ suite, model }] = (await api('/models?limit=1')).items;
    const signature = (await api('/errors')).items?.[0]?.signature ?? '';
    const addresses = {
      'overview': '/', 'runs': '/runs', 'a run': `/runs/${latest.id}`, 'verification': '/verification', 'a model': `/models/${encodeURIComponent(suite)}/${encodeURIComponent(model)}`,
      'alerts': '/alerts', 'compare': '/compare', 'explore': '/explore', 'coverage': '/coverage', 'errors': '/errors', 'an error': `/errors?signature=${encodeURIComponent(signature)}`,
      'a backend': '/backends/inductor', 'a suite': `/suites/${encodeURIComponent(suite)}`, 'models': '/models', 'search': '/search?q=train', 'dumps': '/artifacts', 'ingests': '/ingests',
    };
    const wideRun = (await api('/runs?limit=1', wideBase)).items[0];
    const wide = { base: wideBase, run: `/runs/${wideRun.id}` };

    figures.first = await firstPage(browser, base, rounds);
    figures.pages = await allPages(browser, base, addresses, rounds);
    figures.interactions = await interactions(browser, base, addresses, wide, rounds);
    figures.scrolling = await scrolling(browser, wide, rounds);

    say(`\n${result_count} results in ${run_count} runs; medians (least–greatest) of ${rounds}, in milliseconds unless said.\n`);
    table(['the first page, nothing cached', ''], [
      ['compressed script, kB', `${figures.first.script_kb.toFixed(1)}${expect(figures.first.script_kb <= TARGET_SCRIPT_KB, 'script of the first page')}`],
      ['headline drawn', spread(figures.first.headline, 0)],
      ['and a click answered', `${spread(figures.first.answered, 0)}${expect(median(figures.first.answered) < TARGET_FIRST_MS, 'the first page')}`],
    ]);
    say('');
    table(['a page, followed from another, to its numbers', ''], Object.entries(figures.pages).map(([name, ms]) => [name, spread(ms, 0)]));
    say('');
    table(['an interaction, to the paint that answers it', ''], Object.entries(figures.interactions).map(([name, ms]) => [name, `${spread(ms, 0)}${expect(median(ms) < TARGET_CLICK_MS, name)}`]));
    say(`\nScrolling a table of ${figures.scrolling.rows} rows, 180 frames a round; processor time a frame.\n`);
    table(['', 'a frame', 'p95', 'script', 'style', 'layout', 'long tasks'], Object.entries(figures.scrolling.taken).map(([name, one]) => [
      name, spread(one.frame, 1), spread(one.p95, 1), `${spread(one.script)}${expect(median(one.script) <= TARGET_FRAME_MS, `scrolling ${name}`)}`, spread(one.style), spread(one.layout), spread(one.long, 0)]));
  } finally {
    await browser.close();
    for (const server of servers) await server.stop();
    for (const store of stores) removeStore(store);
  }
  for (const miss of missed) say(`missed: ${miss}`);
  keepFigures('pages', { figures });
  return missed.length === 0;
}
