// What people wait for on a trace's page, in Chromium: the first picture, each frame while they move through it for seconds without a
// pause, and the memory that it takes. Made-up traces of up to 100 million events.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Server } from './lib/server.mjs';
import { chromiumBrowser, pageMemory } from './lib/browser.mjs';
import { data, keepFigures, measure, median, option, quantile, removeStore, say, table, tilesProgram } from './lib/tools.mjs';

const TARGET_FIRST_MS = 1000, TARGET_FRAME_MS = 8, TARGET_MB = 300;
/** Keys that are held one after the other, and for how long: into the trace, along it, out again. */
const WAY = [['w', 1500], ['d', 1000], ['s', 1000], ['a', 1000], ['w', 2500], ['d', 1500], ['s', 1500]];
const REPEAT_MS = 33;

const ownMb = (pid) => Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

async function firstPicture(browser, address) {
  // A tab of its own has a cache of its own: cold.
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(address, { waitUntil: 'commit' });
  const ms = await page.waitForFunction(() => window.benchhudViewer?.frame().items > 0 && performance.now()).then((handle) => handle.jsonValue());
  await context.close();
  return ms;
}

async function moved(browser, address) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const metrics = async () => Object.fromEntries((await session.send('Performance.getMetrics')).metrics.map(({ name, value }) => [name, value]));
  await page.goto(address);
  await page.waitForFunction(() => window.benchhudViewer?.frame().items > 0 && !window.benchhudViewer.frame().isLate);
  await page.evaluate(() => {
    window.frames_ = [];
    let last = -1;
    const look = () => {
      const { frames, ms, rects, standIns } = window.benchhudViewer.frame();
      if (frames !== last) window.frames_.push({ ms, rects, standIns });
      last = frames;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  const box = await page.locator('.trace-over').boundingBox();
  await page.mouse.move(box.x + box.width * 0.4, box.y + 60);
  const before = await metrics();
  for (const [key, ms] of WAY) {
    for (const end = performance.now() + ms; performance.now() < end;) {
      await page.keyboard.down(key);
      await new Promise((done) => setTimeout(done, REPEAT_MS));
    }
    await page.keyboard.up(key);
  }
  const after = await metrics();
  const frames = await page.evaluate(() => window.frames_);
  const ms = frames.map((one) => one.ms);
  const figures = {
    frames: frames.length,
    script_ms: ((after.ScriptDuration - before.ScriptDuration) * 1000) / frames.length,
    draw: { median: median(ms), p99: quantile(ms, 0.99), over: ms.filter((one) => one > TARGET_FRAME_MS).length / ms.length },
    most_rects: Math.max(...frames.map((one) => one.rects)),
    stood_in: frames.filter((one) => one.standIns > 0).length / frames.length,
    heap_mb: after.JSHeapUsedSize / 1e6,
    page_mb: await pageMemory(browser, ownMb),
  };
  await page.close();
  return figures;
}

export async function timeline(args) {
  const rounds = option(args, 'rounds', 5);
  const figures = {};
  let all = true;
  for (const events of [1e6, 1e7, option(args, 'events', 1e8)]) {
    const store = path.join(data, 'timeline.db');
    removeStore(store);
    await measure([tilesProgram, 'write', store, String(events)]);
    const server = await Server.start(store);
    const browser = await chromiumBrowser();
    try {
      await server.settled();
      const address = `${server.base}/trace/1`;
      const first = [];
      for (let round = 0; round < rounds; ++round) first.push(await firstPicture(browser, address));
      figures[events] = { first_ms: median(first), ...(await moved(browser, address)) };
    } finally {
      await browser.close();
      await server.stop();
    }
    removeStore(store);
  }
  say('\nA trace on its page, 1440 by 900 pixels\n');
  table(['events', 'first picture, ms', 'frames', 'a frame drawn, median / p99, ms', 'script a frame, ms', `frames over ${TARGET_FRAME_MS} ms, %`, 'rectangles at most', 'page, MB'],
    Object.entries(figures).map(([events, of]) => {
      all &&= of.first_ms < TARGET_FIRST_MS && of.draw.median < TARGET_FRAME_MS && of.page_mb < TARGET_MB;
      return [events, of.first_ms.toFixed(0), of.frames, `${of.draw.median.toFixed(1)} / ${of.draw.p99.toFixed(1)}`, of.script_ms.toFixed(1), (100 * of.draw.over).toFixed(1), of.most_rects, of.page_mb.toFixed(0)];
    }));
  keepFigures('timeline', figures);
  return all;
}
