// The program's server on a store of a million results, as the benchmarks of the API and of the pages ask it.
import { spawn } from 'node:child_process';
import { constants, copyFileSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { data, fleetFolder, kept, measure, program, removeStore } from './tools.mjs';

/** A store of so many nights, as it comes about: a file a night. `fleet`: options of the generator, `name` what tells it from others. */
export function fleetStore(nights, { name = `store-${nights}`, fleet = [] } = {}) {
  return kept(`${name}.db`, async (out) => {
    const folder = await fleetFolder(`${name}-nights`, ['--nights', String(nights), ...fleet]);
    await measure([program, 'ingest', '--db', out, folder]);
    rmSync(folder, { recursive: true });
  });
}

/** A copy to be served, so that the kept one stays as it is. */
export function copyOf(store, name) {
  const copy = path.join(data, name);
  removeStore(copy);
  copyFileSync(store, copy, constants.COPYFILE_FICLONE);
  return copy;
}

export class Server {
  /** `environment`: variables beside those of this process. */
  static async start(store, environment = {}) {
    const server = new Server();
    server.process = spawn(program, ['serve', '--db', store, '--port', '0'], { env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] });
    server.base = await new Promise((resolve, reject) => {
      let said = '';
      const hear = (text) => {
        said += text;
        const found = /http:\/\/[\d.]+:\d+/.exec(said);
        if (found) resolve(found[0]);
      };
      server.process.stdout.setEncoding('utf8').on('data', hear);
      server.process.stderr.setEncoding('utf8').on('data', hear);
      server.process.on('exit', (code) => reject(new Error(`the server ended with ${code}: ${said}`)));
    });
    return server;
  }

  /** Milliseconds that its threads ran, and that they were ready to run but had no processor: /proc/…/schedstat. */
  scheduled() {
    const tasks = `/proc/${this.process.pid}/task`;
    const sum = { ran: 0, waited: 0 };
    for (const task of readdirSync(tasks)) {
      const [ran, waited] = readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ').map(Number);
      sum.ran += ran / 1e6;
      sum.waited += waited / 1e6;
    }
    return sum;
  }

  /** Until it has made ready what it makes ready after a start: a server is up all day. */
  async settled() {
    for (let before = -Infinity; ;) {
      const { ran } = this.scheduled();
      if (ran - before < 20) return;
      before = ran;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }

  stop() {
    this.process.removeAllListeners('exit');
    return new Promise((resolve) => {
      this.process.on('exit', resolve);
      this.process.kill('SIGINT');
    });
  }
}
