// node peer/duckdb.mjs FILE DATABASE: takes a results file into a DuckDB database on disk, as a peer of
// `benchhud ingest`. Prints {"version", "create_table_s", "create_index_s", "close_s", "rows"}.
import { readFileSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';

const [file, database] = process.argv.slice(2);
const sql = (name) => readFileSync(new URL(name, import.meta.url), 'utf8');
const quoted = `'${file.replaceAll("'", "''")}'`;

async function seconds(work) {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

const instance = await DuckDBInstance.create(database);
const connection = await instance.connect();
await connection.run('SET threads = 2');
await connection.run('SET enable_progress_bar = false');
const times = {
  create_table_s: await seconds(() => connection.run(sql('create_table.sql').replace('$file', quoted))),
  create_index_s: await seconds(() => connection.run(sql('create_index.sql'))),
};
const count = await connection.runAndReadAll('SELECT count(*)::INTEGER FROM results');
const version = await connection.runAndReadAll('SELECT version()');
// What is not yet in the file is written when the database is closed.
times.close_s = await seconds(async () => {
  connection.closeSync();
  instance.closeSync();
});
console.log(JSON.stringify({ version: version.getRows()[0][0], ...times, rows: count.getRows()[0][0] }));
