import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Command } from 'commander';
import { MongoClient } from 'mongodb';
import { callOf } from './case.js';
import { cases } from './cases.js';
import { type Child, start } from './child.js';
import { fill } from './fill.js';
import { measureInTime } from './in-time.js';
import { type Call, measure, type Slice, together } from './load.js';
import { compareMechanisms } from './mechanisms.js';
import { measureOwn } from './own.js';
import { comparePair, pairs } from './pairs.js';
import {
  format,
  formatGain,
  formatLag,
  formatOwn,
  formatPair,
  formatStreams,
  head,
  type Row,
} from './report.js';
import { measureStreams } from './streams.js';

/**
 * Measures reading and writing beside a floor in the same run, on the engine that MONGODB_URI names or on an embedded one:
 *   npm run bench -- --sizes 1000,10000 --connections 1,32 --seconds 3 --only populated --json bench.json
 */
const values = new Command('npm run bench --')
  .description('Measures reading and writing as a ratio to a floor, on MONGODB_URI or on an embedded engine.')
  .option('--sizes <numbers>', 'entries of the largest type', '1000,10000,100000')
  .option('--connections <numbers>', 'clients at a time', '1,32')
  .option('--seconds <number>', 'how long each contender of a case is asked', '3')
  .option('--only <texts>', 'cases whose names contain one of these, separated by commas', '')
  .option(
    '--without [names]',
    'compares Mangrove with itself without each of these mechanisms, or each of all, in place of the floor',
  )
  .option('--json <file>', 'writes the figures to a file, too')
  .parse()
  .opts<{
    sizes: string;
    connections: string;
    seconds: string;
    only: string;
    json?: string;
    without?: string | true;
  }>();
const numbers = (text: string): number[] => text.split(',').map(Number);
const seconds = Number(values.seconds);
const isWanted = (name: string): boolean => values.only.split(',').some((text) => name.includes(text));
const say = (text: string): void => void process.stderr.write(`${text}\n`);

const TURNS = 12;
/** Seconds of the first turn of each case, in which what runs most is compiled. */
const WARM_UP = 4;
const SETTLE_MS = 6000;

/**
 * One of the three that are measured in turns: the floor, Mangrove with a plan at hand, and another Mangrove without, whose garbage
 * is its own.
 */
interface Contender {
  readonly child: Child;
  call(n: number): Call;
}

/** Milliseconds of a server, and of the engine that it asks where that is ours. */
const cpuOf = async (child: Child): Promise<number> => (await child.cpu()) + ((await engine?.cpu()) ?? 0);

/** Slices in turns, so that what else the machine does falls on all alike. The first turn only warms up. */
const inTurns = async (contenders: readonly Contender[], connections: number) => {
  const taken = contenders.map(() => ({ slices: [] as Slice[], cpu: 0 }));
  let n = 0;
  for (let turn = 0; turn <= TURNS; turn++) {
    for (let place = 0; place < contenders.length; place++) {
      const i = (turn + place) % contenders.length;
      const [contender, sums] = [contenders[i], taken[i]];
      if (!contender || !sums) continue;
      const { child, call } = contender;
      const before = await cpuOf(child);
      const duration = turn === 0 ? WARM_UP : seconds / TURNS;
      const slice = await measure(child.address, () => call(n++), connections, duration);
      const cpu = (await cpuOf(child)) - before;
      if (turn === 0) continue;
      sums.slices.push(slice);
      sums.cpu += cpu;
    }
  }
  return taken.map(({ slices, cpu }) => {
    const measured = together(slices);
    return { ...measured, cpu: cpu / measured.requests };
  });
};

const rows: Row[] = [];
const measureSize = async (uri: string, size: number): Promise<void> => {
  const database = `mangrove_bench_${size}`;
  const client = await new MongoClient(uri).connect();
  say(`${size} restaurants`);
  await client.db(database).dropDatabase();
  await fill(client.db(database), size, say);
  if (values.without !== undefined) {
    const names = values.without === true ? [] : values.without.split(';');
    for (const connections of numbers(values.connections)) {
      const given = { uri, database, dataDir, size, connections, engine };
      for await (const gain of compareMechanisms(given, names)) process.stdout.write(`${formatGain(gain)}\n`);
    }
    await client.close();
    return;
  }
  const warmed = await start('./server.js', [uri, database, dataDir]);
  const other = await start('./server.js', [uri, database, dataDir]);
  const floor = await start('./floor.js', [uri, database, String(size)]);
  // engines plan joins well only once they have statistics of what was loaded
  await setTimeout(SETTLE_MS);
  for (const connections of numbers(values.connections)) {
    for (const [index, each] of cases.entries()) {
      const { name } = each;
      if (!isWanted(name)) continue;
      const own = (n: number): Call => callOf(each, n, size);
      // a key that nothing reads makes the query's text, and so its plan, a new one each time
      const fresh = (n: number): Call => {
        const call = own(n);
        return { ...call, path: `${call.path}${call.path.includes('?') ? '&' : '?'}x=${n}` };
      };
      const [least, warm, cold] = await inTurns(
        [
          { child: floor, call: (n) => ({ ...own(n), path: `/${index}/${n}` }) },
          { child: warmed, call: own },
          { child: other, call: fresh },
        ],
        connections,
      );
      for (const [cache, measured] of [['warm', warm] as const, ['cold', cold] as const]) {
        if (!least || !measured) continue;
        const ratio = measured.perSecond / least.perSecond;
        const row: Row = { size, connections, name, cache, mangrove: measured, floor: least, ratio };
        rows.push(row);
        process.stdout.write(`${format(row)}\n`);
      }
    }
  }
  for (const pair of pairs.filter(({ name }) => isWanted(name))) {
    for (const connections of numbers(values.connections)) {
      const gain = await comparePair(warmed.address, pair, { connections, seconds, size });
      process.stdout.write(`${formatPair(gain)}\n`);
    }
  }
  await Promise.all([warmed.stop(), other.stop(), floor.stop()]);
  for (const connections of numbers(values.connections)) {
    const given = { uri, database, dataDir, size, connections, engine };
    for await (const gain of measureInTime(given, isWanted))
      process.stdout.write(`${'told' in gain ? formatLag(gain) : formatGain(gain)}\n`);
  }
  for await (const cost of measureStreams({ uri, database, dataDir, engine }, isWanted))
    process.stdout.write(`${formatStreams(cost)}\n`);
  for (const work of await measureOwn({ uri, name: database, dataDir }, size, isWanted))
    process.stdout.write(`${formatOwn(work)}\n`);
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
