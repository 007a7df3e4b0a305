// Takes the pictures of the README and of docs/tour.md: `node tests/browser/pictures.mjs`, with the program built.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openBrowser, openPage, root, samples, serve, visit } from "./support.mjs";

/** The night on which graphs of resnet_mini began to break: its profile, and what differs from the night before. */
async function ofProfiles({ api }) {
  const [run, before] = await Promise.all(["2025-11-10", "2025-11-09"].map((name) => api(`/runs/${name}`)));
  const { items } = await api(`/results?run=${run.id}&model=resnet_mini&backend=inductor&test=eval`);
  const { id } = items[0].experiment;
  return [
    { name: "profile", path: `/profile?run=${run.id}&experiment=${id}` },
    { name: "difference", path: `/profile-diff?before_run=${before.id}&before_experiment=${id}&run=${run.id}&experiment=${id}` },
  ];
}

/** A training step of resnet_mini by inductor, with what a slice of it is. */
async function ofTraces({ api }) {
  const { items } = await api("/artifacts?run=2025-11-10&kind=trace&limit=100");
  const { trace_id: id } = items.find(({ name }) => /1\/trace-cpu-inductor-False-train.*resnet_mini/.test(name));
  const { slice } = await api(`/traces/${id}/next?q=CompiledFunctionBackward&from=0`);
  return [{ name: "trace", path: `/trace/${id}?s=${slice.thread}.${slice.chunk}.${slice.index}&tab=details` }];
}

/** All alerts of those nights, and the one of that night. */
async function ofAlerts({ api }) {
  const { items } = await api("/alerts");
  const { id } = items.find(({ details }) => details.subject.model === "resnet_mini");
  return [
    { name: "alerts", path: "/alerts" },
    { name: "alert", path: `/alerts/${id}` },
  ];
}

const folder = join(root, "docs/pictures");
const pictures = [
  { name: "overview", path: "/" },
  { name: "overview-dark", path: "/", theme: "dark" },
  { name: "run", path: "/runs/2025-11-28" },
  { name: "compare", path: "/compare?left=2025-11-14&right=2025-11-15" },
  { name: "coverage", path: "/coverage" },
  { name: "errors", path: "/errors" },
  { name: "explore", path: "/explore" },
  { name: "backend", path: "/backends/aot_eager" },
  { name: "verification", path: "/verification" },
  { name: "model", path: "/models/cpu-mini/transformer_mini" },
];

mkdirSync(folder, { recursive: true });
const server = await serve([samples]);
pictures.push(...(await ofProfiles(server)), ...(await ofTraces(server)), ...(await ofAlerts(server)));
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
