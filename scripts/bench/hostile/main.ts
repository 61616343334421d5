import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { startEngine } from 'mangrove/embedded';
import { MongoClient } from 'mongodb';
import { start } from '../child.js';
import { fill } from '../fill.js';
import type { Attack } from './attack.js';
import { attacks } from './attacks.js';
import { type Felt, visits } from './victim.js';

/**
 * Lets one attacker after the other do its worst, each from a process of its own and each on a server that has just been started, and
 * says what a visitor of `GET /api/restaurants` felt meanwhile and how much memory the server took. On the deployment that MONGODB_URI
 * names or on the embedded engine:
 *   npm run bench:hostile -- --seconds 60 --size 10000 --only populate
 */
const values = new Command('npm run bench:hostile --')
  .description('Shows what a visitor feels beside attackers, on MONGODB_URI or on an embedded engine.')
  .option('--seconds <number>', 'how long each attack goes on', '10')
  .option('--size <number>', 'restaurants', '10000')
  .option('--only <text>', 'attacks whose names hold this', '')
  .parse()
  .opts<{ seconds: string; size: string; only: string }>();
const say = (text: string): void => void process.stderr.write(`${text}\n`);

const DATABASE = 'mangrove_bench_hostile';
/** Seconds of visits before the attack: the code that they run is compiled by then. */
const WARM_UP = 2;
/** Engines plan joins well only once they have statistics of what was loaded. */
const SETTLE_MS = 6000;

const line = (cells: readonly string[]): string =>
  cells.map((cell, i) => (i === 0 ? cell.padEnd(26) : cell.padStart(9))).join(' ');

const row = (name: string, { requests, failed, p50, p99, max }: Felt, peak: number): string =>
  line([
    name,
    String(requests),
    String(failed),
    ...[p50, p99, max].map((ms) => ms.toFixed(0)),
    (peak / 1e6).toFixed(0),
    (loadavg()[0] ?? 0).toFixed(1),
  ]);

const suffer = async ({ name }: Attack, uri: string, size: string, dataDir: string): Promise<void> => {
  const server = await start('./hostile/server.js', [uri, DATABASE, dataDir]);
  const url = new URL('/api/restaurants', server.address);
  await visits(url, WARM_UP);
  const attacker = await start('./hostile/attacker.js', [server.address, name, size]);
  const felt = await visits(url, Number(values.seconds));
  process.stdout.write(`${row(name, felt, await server.peak())}\n`);
  await attacker.stop();
  await server.stop();
};

const uri = process.env['MONGODB_URI'] ?? '';
const dataDir = await mkdtemp(join(tmpdir(), 'mangrove-bench-'));
try {
  const engine = uri === '' ? await startEngine({ dataDir: join(dataDir, 'embedded') }) : null;
  const client = await new MongoClient(engine?.uri ?? uri).connect();
  await client.db(DATABASE).dropDatabase();
  await fill(client.db(DATABASE), Number(values.size), say);
  await client.close();
  await engine?.close();
  // The first start makes indexes, which is none of an attacker's doing.
  await (await start('./hostile/server.js', [uri, DATABASE, dataDir])).stop();
  await sleep(SETTLE_MS);
  process.stdout.write(
    `${line(['attack', 'requests', 'failed', 'p50 ms', 'p99 ms', 'max ms', 'peak MB', 'load'])}\n`,
  );
  for (const attack of attacks)
    if (attack.name.includes(values.only)) await suffer(attack, uri, values.size, dataDir);
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
