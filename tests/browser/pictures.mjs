// Takes the pictures of the README: `node tests/browser/pictures.mjs`, with the program built.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openBrowser, openPage, root, samples, serve, visit } from "./support.mjs";

const folder = join(root, "docs/pictures");
const pictures = [
  { name: "overview", path: "/" },
  { name: "overview-dark", path: "/", theme: "dark" },
  { name: "run", path: "/runs/2025-11-28" },
  { name: "verification", path: "/verification" },
  { name: "model", path: "/models/cpu-mini/transformer_mini" },
];

mkdirSync(folder, { recursive: true });
const server = await serve([samples]);
const browser = await openBrowser();
try {
  for (const { name, path, theme } of pictures) {
    const { page, problems, close } = await openPage(browser, { width: 1280, height: 860, theme });
    await visit(page, server.base + path);
    await page.screenshot({ path: join(folder, `${name}.png`) });
    if (problems.length) throw new Error(`${name}: ${problems.join("; ")}`);
    await close();
  }
} finally {
  await browser.close();
  await server.stop();
}
