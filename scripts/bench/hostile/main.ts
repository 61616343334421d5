import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEngine } from '@mangrove/engine';
import { Command } from 'commander';
import { MongoClient } from 'mongodb';
import { start } from '../child.js';
import { fill } from '../fill.js';
import type { Attack } from './attack.js';
import { attacks } from './attacks.js';
import { layBait, publicDirOf } from './bait.js';
import { type Felt, visits } from './victim.js';

/**
 * Lets one attacker after the other do its worst, each from a process of its own and each on a server that has just been started, and
 * says what a visitor felt before and meanwhile, and how much memory the server took. On the deployment that MONGODB_URI
 * names or on the embedded engine:
 *   npm run bench:hostile -- --seconds 60 --size 10000 --only populate
 */
const values = new Command('npm run bench:hostile --')
  .description('Shows what a visitor feels beside attackers, on MONGODB_URI or on an embedded engine.')
  .option('--seconds <number>', 'how long each attack goes on', '10')
  .option('--size <number>', 'restaurants', '10000')
  .option('--only <text>', 'attacks whose names hold one of these, separated by commas', '')
  .parse()
  .opts<{ seconds: string; size: string; only: string }>();
const say = (text: string): void => void process.stderr.write(`${text}\n`);

const DATABASE = 'mangrove_bench_hostile';
/** Seconds of visits before what is measured: the code that they run is compiled by then. */
const WARM_UP = 2;
/** Seconds of visits alone, before the attack. */
const ALONE = 2;
/** Milliseconds after which a process that does not end is killed. */
const END_MS = 10_000;
const VISITED = '/api/restaurants';
/** Engines plan joins well only once they have statistics of what was loaded. */
const SETTLE_MS = 6000;

/** The visitor's times in milliseconds, without and with the attack. */
const HEAD = [
  'attack',
  'visits',
  'failed',
  'p50 alone',
  'p99 alone',
  'p50',
  'p99',
  'max',
  'peak MB',
  'disk MB',
  'load',
];

const line = (cells: readonly string[]): string =>
  cells.map((cell, i) => (i === 0 ? cell.padEnd(26) : cell.padStart(9))).join(' ');

const row = (
  name: string,
  alone: Felt,
  { requests, failed, p50, p99, max }: Felt,
  bytes: readonly number[],
): string =>
  line([
    name,
    String(requests),
    String(failed),
    ...[alone.p50, alone.p99, p50, p99, max].map((ms) => ms.toFixed(0)),
    ...bytes.map((count) => (count / 1e6).toFixed(0)),
    (loadavg()[0] ?? 0).toFixed(1),
  ]);

/** Bytes in all files of a folder. */
const sizeOf = async (folder: string): Promise<number> => {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) =>
    one.isFile(),
  );
  const sizes = files.map(({ parentPath, name }) =>
    stat(join(parentPath, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
};

const suffer = async (attack: Attack, uri: string, size: string, dataDir: string): Promise<void> => {
  const { name, visited = VISITED } = attack;
  const server = await start('./hostile/server.js', [uri, DATABASE, dataDir]);
  const url = new URL(visited, server.address);
  await visits(url, WARM_UP);
  const alone = await visits(url, ALONE);
  const attacker = await start('./hostile/attacker.js', [server.address, name, size]);
  const felt = await visits(url, Number(values.seconds));
  const peak = await Promise.race([server.peak(), sleep(END_MS, Number.NaN)]);
  process.stdout.write(`${row(name, alone, felt, [peak, await sizeOf(dataDir)])}\n`);
  await attacker.stop(END_MS);
  await server.stop(END_MS);
};

const only = values.only.split(',');
const uri = process.env['MONGODB_URI'] ?? '';
const dataDir = await mkdtemp(join(tmpdir(), 'mangrove-bench-'));
try {
  const engine = uri === '' ? await startEngine({ dataDir: join(dataDir, 'embedded') }) : null;
  const client = await new MongoClient(engine?.uri ?? uri).connect();
  await client.db(DATABASE).dropDatabase();
  await fill(client.db(DATABASE), Number(values.size), say);
  await layBait(client.db(DATABASE), publicDirOf(dataDir));
  await client.close();
  await engine?.close();
  // The first start makes indexes, which is none of an attacker's doing.
  await (await start('./hostile/server.js', [uri, DATABASE, dataDir])).stop();
  await sleep(SETTLE_MS);
  process.stdout.write(`${line(HEAD)}\n`);
  for (const attack of attacks)
    if (only.some((text) => attack.name.includes(text))) await suffer(attack, uri, values.size, dataDir);
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
