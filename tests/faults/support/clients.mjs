// Clients in a closed loop, in a process of their own so that what they compute does not delay who measures. See busyClients().
import net from "node:net";
import { quantile } from "./faults.mjs";

const { port, clients, seconds, targets, pauseMs } = JSON.parse(process.argv[2]);
const latest = Date.now() + seconds * 1000;
const statuses = {}, perClient = Array(clients).fill(0), took = [], errors = [], bad = [];
let isOver = false, open = clients, drawn = 0;

function report() {
  const sum = perClient.reduce((a, b) => a + b, 0);
  console.log(JSON.stringify({
    answers: sum, statuses, errors: errors.length, error: errors[0], bad: bad.slice(0, 3), perClient: { least: Math.min(...perClient), most: Math.max(...perClient) },
    p50: quantile(took, 0.5), p99: quantile(took, 0.99), max: quantile(took, 1),
  }));
  process.exit(0);
}

function client(number) {
  let socket, text = "", wanted = -1, began = 0, answered = 0;
  const ask = () => {
    if (isOver || Date.now() > latest) return socket.destroy();
    began = performance.now();
    socket.write(`GET ${targets[drawn++ % targets.length]} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  };
  const connect = () => {
    if (isOver || Date.now() > latest) {
      if (--open === 0) report();
      return;
    }
    text = "", wanted = -1, began = 0, answered = 0;
    socket = net.connect(port, "127.0.0.1").setNoDelay(true).setEncoding("latin1");
    socket.on("connect", ask);
    socket.on("data", (piece) => {
      text += piece;
      if (wanted < 0) {
        const end = text.indexOf("\r\n\r\n");
        if (end < 0) return;
        wanted = end + 4 + Number(/\r\nContent-Length: (\d+)/i.exec(text.slice(0, end + 2))?.[1] ?? 0);
      }
      if (text.length < wanted) return;
      const status = text.slice(9, 12), isLast = /\r\nConnection: close\r\n/i.test(text.slice(0, 2000));
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status >= 400) bad.push(text.slice(0, 600));
      took.push(performance.now() - began);
      ++perClient[number];
      ++answered;
      text = "", wanted = -1, began = 0;
      if (isLast) socket.destroy();
      else if (pauseMs) setTimeout(ask, pauseMs);
      else ask();
    });
    socket.on("error", (error) => (socket.reason = error.message));
    socket.on("close", () => {
      // A kept connection may end between two requests, and the first request on it may cross that; nothing else may be cut.
      if (began && !isOver && Date.now() < latest && answered === 0) errors.push(socket.reason ?? "closed before an answer");
      if (began && text) errors.push("an answer was cut");
      setTimeout(connect, began ? 20 : 0);
    });
  };
  connect();
}
// Who asks to stop before this process was ready, on a busy machine, gets an answer to count all the same.
function finish() {
  if (took.length === 0 && Date.now() < latest) return setTimeout(finish, 10);
  isOver = true;
  setTimeout(report, 1000).unref();
}
process.stdin.on("end", finish).resume();
for (let i = 0; i < clients; ++i) client(i);
