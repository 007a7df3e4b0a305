// Debian's Chromium, as the browser tests start it.
export async function chromiumBrowser() {
  const { chromium } = await import('playwright-core');
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--no-first-run'] });
}

/** Memory of the process that draws a page, without what it shares with others, in MB. The one page of `browser`. */
export async function pageMemory(browser, read) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return Math.max(0, ...processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => read(id)));
}
