// Asks a server as a page does.
import { Agent, get } from 'node:http';

/** One keep-alive connection, as a browser's. */
export class Client {
  constructor(base) {
    this.base = base;
    this.agent = new Agent({ keepAlive: true, maxSockets: 1 });
  }

  /** → {ms, bytes, text}: from asking to the last byte. Nothing is asked conditionally: every answer is made and sent in full. */
  ask(address) {
    return new Promise((resolve, reject) => {
      const began = performance.now();
      get(this.base + address, { agent: this.agent, headers: { accept: 'application/json' } }, (response) => {
        const pieces = [];
        response.on('data', (piece) => pieces.push(piece));
        response.on('end', () => {
          const ms = performance.now() - began;
          const body = Buffer.concat(pieces);
          if (response.statusCode !== 200) return reject(new Error(`${address}: ${response.statusCode} ${body.subarray(0, 300)}`));
          resolve({ ms, bytes: body.length, text: () => body.toString() });
        });
      }).on('error', reject);
    });
  }

  async json(address) {
    return JSON.parse((await this.ask(address)).text());
  }
}
