import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Db, MongoClient } from 'mongodb';
import { cases } from './cases.js';
import { type Child, start } from './child.js';
import { collections } from './content.js';
import { measure } from './load.js';
import { format, head, type Row } from './report.js';

/**
 * Measures reading beside a floor in the same run, on the engine that MONGODB_URI names or on an embedded one:
 *   npm run bench -- --sizes 1000,10000 --connections 1,32 --seconds 3 --only populated --json bench.json
 */
const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,10000,100000' },
    connections: { type: 'string', default: '1,32' },
    seconds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    json: { type: 'string' },
  },
});
const numbers = (text: string): number[] => text.split(',').map(Number);
const seconds = Number(values.seconds);
const say = (text: string): void => void process.stderr.write(`${text}\n`);

const BATCH = 1000;
const fill = async (db: Db, size: number): Promise<void> => {
  for (const { name, count, entry } of collections(size)) {
    say(`  ${name}: ${count}`);
    for (let from = 0; from < count; from += BATCH) {
      const length = Math.min(BATCH, count - from);
      await db.collection(name).insertMany(Array.from({ length }, (_, i) => entry(from + i)));
    }
  }
};

const timed = async (child: Child, path: (n: number) => string, connections: number) => {
  await measure(child.address, path, connections, Math.min(1, seconds));
  const before = await child.cpu();
  const measured = await measure(child.address, path, connections, seconds);
  return { ...measured, cpu: ((await child.cpu()) - before) / measured.requests };
};

const rows: Row[] = [];
const measureSize = async (uri: string, size: number): Promise<void> => {
  const database = `mangrove_bench_${size}`;
  const client = await new MongoClient(uri).connect();
  say(`${size} restaurants`);
  await client.db(database).dropDatabase();
  await fill(client.db(database), size);
  const mangrove = await start('./server.js', [uri, database, dataDir]);
  const floor = await start('./floor.js', [uri, database, String(size)]);
  for (const connections of numbers(values.connections)) {
    for (const [index, { name, path }] of cases.entries()) {
      if (!name.includes(values.only)) continue;
      const least = await timed(floor, (n) => `/${index}/${n}`, connections);
      for (const cache of ['warm', 'cold'] as const) {
        // a key that nothing reads makes the query's text, and so its plan, a new one each time
        const fresh = (n: number): string => (path(n, size).includes('?') ? `&x=${n}` : `?x=${n}`);
        const own = await timed(
          mangrove,
          (n) => `/api${path(n, size)}${cache === 'cold' ? fresh(n) : ''}`,
          connections,
        );
        const row = {
          size,
          connections,
          name,
          cache,
          mangrove: own,
          floor: least,
          ratio: own.perSecond / least.perSecond,
        };
        rows.push(row);
        process.stdout.write(`${format(row)}\n`);
      }
    }
  }
  await Promise.all([mangrove.stop(), floor.stop()]);
  await client.db(database).dropDatabase();
  await client.close();
};

const dataDir = await mkdtemp(join(tmpdir(), 'mangrove-bench-'));
const engine = process.env['MONGODB_URI'] ? null : await start('./engine.js', []);
const uri = process.env['MONGODB_URI'] ?? engine?.address ?? '';
process.stdout.write(`${head()}\n`);
for (const size of numbers(values.sizes)) await measureSize(uri, size);
await engine?.stop();
await rm(dataDir, { recursive: true, force: true });
if (values.json) await writeFile(values.json, `${JSON.stringify(rows, null, 1)}\n`);
