import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { type Db, MongoClient } from 'mongodb';
import { startEngine } from '../src/index.js';
import { CASES, type Case, load } from './bench-cases.js';

/** Operations a second of a case, at one size and number of connections. */
interface Figure {
  readonly engine: string;
  readonly size: number;
  readonly connections: number;
  readonly case: string;
  /** Null: the engine cannot do it. */
  readonly perSecond: number | null;
}

interface Settings {
  readonly uri?: string;
  readonly json?: string;
  readonly sizes: string;
  readonly connections: string;
  readonly seconds: string;
  readonly rounds: string;
  readonly only?: string;
  readonly inline?: boolean;
  readonly loose?: boolean;
  readonly without?: string;
}

/** Runs a case on some connections for a time, after a warm-up of a quarter of it. */
async function measure(
  one: Case,
  db: Db,
  client: MongoClient,
  size: number,
  connections: number,
  seconds: number,
): Promise<number | null> {
  // What an engine lacks fails at once.
  const able = await one.run(db, client, size).then(
    () => true,
    () => false,
  );
  if (!able) return null;
  const work = async (until: number): Promise<number> => {
    let done = 0;
    for (; performance.now() < until; done++) await one.run(db, client, size);
    return done;
  };
  const round = (milliseconds: number): Promise<number[]> => {
    const until = performance.now() + milliseconds;
    return Promise.all(Array.from({ length: connections }, () => work(until)));
  };
  await round(seconds * 250);
  const before = performance.now();
  const counts = await round(seconds * 1000);
  return counts.reduce((sum, count) => sum + count, 0) / ((performance.now() - before) / 1000);
}

/** A deployment under test, filled. */
interface Side {
  readonly engine: string;
  readonly client: MongoClient;
  readonly db: Db;
}

async function openSide(engine: string, uri: string, size: number, connections: number): Promise<Side> {
  const client = await MongoClient.connect(uri, { maxPoolSize: connections, minPoolSize: connections });
  const db = client.db('mangrove_bench');
  await load(db, size);
  return { engine, client, db };
}

/** The best of some rounds, in which the sides take turns, so that what else the machine does falls on both alike. */
async function compare(
  one: Case,
  sides: readonly Side[],
  size: number,
  connections: number,
  settings: Settings,
): Promise<Figure[]> {
  const best = new Map<string, number | null>();
  for (let round = 0; round < Number(settings.rounds); round++) {
    for (const { engine, db, client } of sides) {
      const found = await measure(one, db, client, size, connections, Number(settings.seconds));
      best.set(engine, found === null ? null : Math.max(best.get(engine) ?? 0, Math.round(found)));
    }
  }
  return [...best].map(([engine, perSecond]) => {
    const shown = perSecond === null ? 'not possible' : `${perSecond}/s`;
    process.stderr.write(`${size} documents, ${connections} connections, ${one.name}, ${engine}: ${shown}\n`);
    return { engine, size, connections, case: one.name, perSecond };
  });
}

async function bench(uris: readonly (readonly [string, string])[], settings: Settings): Promise<Figure[]> {
  const figures: Figure[] = [];
  const numbers = (list: string): number[] => list.split(',').map(Number);
  for (const size of numbers(settings.sizes)) {
    for (const connections of numbers(settings.connections)) {
      const sides: Side[] = [];
      for (const [engine, uri] of uris) sides.push(await openSide(engine, uri, size, connections));
      // A relational engine below gathers its statistics in the background after a load.
      if (sides.length > 1) await new Promise((wake) => setTimeout(wake, 6000));
      for (const one of CASES) {
        if (settings.only !== undefined && !one.name.includes(settings.only)) continue;
        figures.push(...(await compare(one, sides, size, connections, settings)));
      }
      for (const { db, client } of sides) {
        await db.dropDatabase();
        await client.close();
      }
    }
  }
  return figures;
}

function table(figures: readonly Figure[]): string {
  const engines = [...new Set(figures.map((figure) => figure.engine))];
  const rows = figures.filter((figure) => figure.engine === engines[0]);
  const lines = rows.map(({ size, connections, case: name }) => {
    const values = engines.map(
      (engine) =>
        figures.find(
          (f) => f.engine === engine && f.size === size && f.connections === connections && f.case === name,
        )?.perSecond,
    );
    const last = values.at(-1);
    const ratio = values[0] && last && values.length > 1 ? `${(values[0] / last).toFixed(1)} ×` : '';
    return `| ${name} | ${size} | ${connections} | ${values.map((value) => value ?? '–').join(' | ')} | ${ratio} |`;
  });
  return [
    `| operations a second | documents | connections | ${engines.join(' | ')} | ratio |`,
    `|---|---:|---:|${engines.map(() => '---:|').join('')}---:|`,
    ...lines,
  ].join('\n');
}

async function main(settings: Settings): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'mangrove-bench-'));
  const thread = settings.inline !== true;
  const engine = await startEngine({ dataDir: join(folder, 'flushed'), thread });
  const loose = await startEngine({ dataDir: join(folder, 'loose'), thread, durable: false });
  const shortcuts = Object.fromEntries((settings.without ?? '').split(',').map((name) => [name, false]));
  const other = await startEngine({ dataDir: join(folder, 'without'), thread, shortcuts });
  try {
    const uris: [string, string][] = [['embedded', engine.uri]];
    if (settings.without !== undefined) uris.push([`without ${settings.without}`, other.uri]);
    // What the other one does with its flushes is its own affair; this is the figure beside one that leaves them out.
    if (settings.loose === true) uris.push(['embedded, not flushed', loose.uri]);
    if (settings.uri !== undefined) uris.push(['other', settings.uri]);
    const figures = await bench(uris, settings);
    process.stdout.write(`${table(figures)}\n`);
    if (settings.json !== undefined) writeFileSync(settings.json, JSON.stringify(figures, null, 2));
  } finally {
    await engine.close();
    await loose.close();
    await other.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const program = new Command('bench-engine')
  .description('Measures the embedded engine, and another deployment beside it')
  .option('--uri <uri>', 'the other deployment, such as FerretDB')
  .option('--json <file>', 'also write the figures as JSON')
  .option('--sizes <list>', 'documents in the collection', '10000,100000')
  .option('--connections <list>', 'numbers of connections', '1,32')
  .option('--seconds <n>', 'how long a round of a case runs', '1')
  .option('--rounds <n>', 'rounds of each case; the best one counts', '3')
  .option('--inline', "run the engine in the client's own thread")
  .option('--loose', 'also the engine with durable: false')
  .option('--without <list>', 'also the engine without these shortcuts (src/values/shortcuts.ts)')
  .option('--only <text>', 'only the cases whose name holds this');
program.parse();
await main(program.opts<Settings>());
