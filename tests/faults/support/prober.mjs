// Asks addresses of servers, each on a new connection, every 20 ms until its standard input ends; in a process of its own, so that what the tests'
// clients do delays no answer. Takes [{ name, port, address }], prints { name: [milliseconds, …] }. See health.test.mjs.
import net from "node:net";

const targets = JSON.parse(process.argv[2]);
const took = Object.fromEntries(targets.map(({ name }) => [name, []]));
let isOver = false;
process.stdin.on("end", () => (isOver = true)).resume();

const ask = ({ name, port, address }) =>
  new Promise((done, fail) => {
    const began = performance.now();
    let text = "";
    const socket = net.connect(port, "127.0.0.1", () => socket.write(`GET ${address} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`));
    socket.setEncoding("latin1").on("data", (piece) => (text += piece)).on("error", fail);
    socket.on("end", () => {
      if (!text.startsWith("HTTP/1.1 200 ")) return fail(new Error(`${address}: ${text.slice(0, 300)}`));
      took[name].push(performance.now() - began);
      socket.destroy();
      done();
    });
  });

while (!isOver) {
  await Promise.all(targets.map(ask));
  await new Promise((next) => setTimeout(next, 20));
}
console.log(JSON.stringify(took));
