// How many answers a second the server gives to 64 clients that keep their connections, at the addresses that the pages
// begin with, out of its cache: beside nginx with a file of the same bytes, asked by the same wrk in the same run.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from './lib/client.mjs';
import { Server, fleetStore } from './lib/server.mjs';
import { keepFigures, median, option, say, spread, table } from './lib/tools.mjs';

const TARGET_ANSWERS = 20_000, TARGET_P99_MS = 20;
const CLIENTS = 64, THREADS = 1;

/** What a browser asks for first on each page. */
async function addresses(client) {
  const [run] = (await client.json('/api/v1/runs?limit=1')).items;
  const [model] = (await client.json('/api/v1/models?limit=1')).items;
  return {
    store: '/api/v1/store',
    runs: '/api/v1/runs?limit=30',
    run: `/api/v1/runs/${run.id}`,
    alerts: '/api/v1/alerts',
    speedups: `/api/v1/speedups?run=${run.id}&test=eval&model=${encodeURIComponent(model.model)}`,
    overview: '/api/v1/overview',
    verification: `/api/v1/verification?run=${run.id}`,
  };
}

/** wrk's summary line of one load. */
const SCRIPT = `
wrk.headers["Accept-Encoding"] = "gzip"
done = function(summary, latency, requests)
  io.write(string.format("FIGURES %d %d %d %f %f %d\\n", summary.requests, summary.duration, summary.bytes, latency:percentile(50), latency:percentile(99),
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.status + summary.errors.timeout))
end
`;

function load(script, url, seconds) {
  const printed = execFileSync('wrk', ['-t', String(THREADS), '-c', String(CLIENTS), '-d', `${seconds}s`, '-s', script, url], { encoding: 'utf8' });
  const [requests, microseconds, bytes, p50, p99, errors] = /FIGURES (.*)/.exec(printed)[1].split(' ').map(Number);
  return { answers: (requests / microseconds) * 1e6, megabytes: bytes / microseconds, p50: p50 / 1000, p99: p99 / 1000, errors };
}

/** nginx on a port of its own, with as many processes as the machine has processors. */
class Nginx {
  static async start(folder) {
    const port = 18_000 + (process.pid % 1000);
    writeFileSync(path.join(folder, 'nginx.conf'), `worker_processes auto; daemon off; pid ${folder}/pid; error_log ${folder}/error.log; user root;
events { worker_connections 1024; }
http { access_log off; keepalive_requests 1000000; sendfile on; tcp_nopush on; open_file_cache max=100;
  client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder}; uwsgi_temp_path ${folder}; scgi_temp_path ${folder};
  server { listen 127.0.0.1:${port}; root ${folder}; default_type application/json; } }\n`);
    const nginx = new Nginx();
    nginx.process = spawn('nginx', ['-p', folder, '-c', path.join(folder, 'nginx.conf')], { stdio: 'inherit' });
    nginx.base = `http://127.0.0.1:${port}`;
    for (let tries = 0; ; ++tries) {
      try {
        await fetch(nginx.base);
        return nginx;
      } catch (error) {
        if (tries > 100) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }
  stop() {
    return new Promise((resolve) => {
      this.process.on('exit', resolve);
      this.process.kill('SIGQUIT');
    });
  }
}

export async function load64(args) {
  const nights = option(args, 'nights', 1250);
  const rounds = option(args, 'rounds', 5);
  const seconds = option(args, 'seconds', 3);
  const store = await fleetStore(nights);
  const server = await Server.start(store);
  const folder = mkdtempSync(path.join(tmpdir(), 'benchhud-load-'));
  let nginx;
  const figures = {};
  try {
    const client = new Client(server.base);
    const asked = await addresses(client);
    const info = await client.json('/api/v1/overview');
    say(`\n${info.store.result_count} results in ${info.store.run_count} runs; ${CLIENTS} clients, rounds of ${seconds} s, ours and nginx by turns`);
    const script = path.join(folder, 'report.lua');
    writeFileSync(script, SCRIPT);
    nginx = await Nginx.start(folder);
    await server.settled();
    for (const [name, address] of Object.entries(asked)) {
      // As it goes over the wire: compressed where it is worth it.
      const wire = execFileSync('curl', ['-s', '-H', 'Accept-Encoding: gzip', server.base + address], { maxBuffer: 1 << 28 });
      writeFileSync(path.join(folder, `${name}.json`), wire);
      const rows = { ours: [], nginx: [] };
      for (let round = 0; round < rounds; ++round) {
        rows.ours.push(load(script, server.base + address, seconds));
        rows.nginx.push(load(script, `${nginx.base}/${name}.json`, seconds));
      }
      figures[name] = { bytes: wire.length, ...rows };
    }
    client.agent.destroy();
  } finally {
    await server.stop();
    await nginx?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  const of = (rows, key) => rows.map((row) => row[key]);
  let met = true;
  table(
    ['', 'bytes', 'answers/s', 'p50 ms', 'p99 ms', 'nginx, answers/s', 'p99 ms', 'ours to nginx', 'errors'],
    Object.entries(figures).map(([name, { bytes, ours, nginx: theirs }]) => {
      const answers = median(of(ours, 'answers'));
      const p99 = median(of(ours, 'p99'));
      const errors = of(ours, 'errors').reduce((all, one) => all + one, 0);
      const isMissed = answers < TARGET_ANSWERS || p99 > TARGET_P99_MS || errors > 0;
      met &&= !isMissed;
      return [name, bytes, spread(of(ours, 'answers'), 0) + (isMissed ? ' !' : ''), spread(of(ours, 'p50')), spread(of(ours, 'p99')), spread(of(theirs, 'answers'), 0), spread(of(theirs, 'p99')), (answers / median(of(theirs, 'answers'))).toFixed(2), errors];
    }),
  );
  say(`\nTargets: ${TARGET_ANSWERS} answers a second, p99 ${TARGET_P99_MS} ms. wrk takes its share of the same processors.`);
  keepFigures('load', { figures });
  return met;
}
