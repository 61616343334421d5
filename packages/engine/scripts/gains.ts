import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { type Db, type Document, MongoClient } from 'mongodb';
import { SHORTCUTS, type Shortcut } from '../src/values/shortcuts.js';
import { load } from './bench-cases.js';
import type { Message } from './gains-engine.js';

/** Different requests of a kind, drawn by a Zipf distribution. */
const DIFFERENT = 400;
/** The share of requests that are followed by a write. */
const WRITES = 0.03;

const PAGE = [{ $sort: { id: 1 } }, { $limit: 25 }];
const lookup = (from: string, field: string, pipeline?: Document[]): Document => ({
  $lookup: { from, localField: field, foreignField: 'documentId', as: field, ...(pipeline && { pipeline }) },
});
const count = { $group: { _id: 1, n: { $sum: 1 } } };
const scanned = (n: number): Document => ({
  $match: { locale: 'en', 'seo.title': { $gte: 'Article 3' }, views: { $lt: 1e9 + n } },
});
const word = (n: number): Document => ({
  $match: {
    $or: ['title', 'body'].map((field) => ({ [field]: { $regex: `number ${n}`, $options: 'i' } })),
  },
});

/** What a content API asks for, by kind: its share of all requests, and the n-th of its requests. */
const KINDS: Readonly<
  Record<string, { readonly share: number; readonly ask: (n: number) => Document | Document[] }>
> = {
  'page by id': { share: 20, ask: (n) => [{ $sort: { id: 1 } }, { $skip: n * 25 }, { $limit: 25 }] },
  'its total': { share: 10, ask: () => [count] },
  'page, populated': {
    share: 20,
    ask: (n) => [
      ...[{ $sort: { rating: -1, id: 1 } }, { $skip: n * 25 }, { $limit: 25 }],
      ...[lookup('authors', 'author'), lookup('categories', 'categories'), lookup('files', 'cover')],
    ],
  },
  'page, populated by fields': {
    share: 5,
    ask: (n) => [
      ...[{ $sort: { rating: -1, id: 1 } }, { $skip: n * 25 }, { $limit: 25 }],
      lookup('authors', 'author', [
        { $match: { id: { $gt: -1 } } },
        { $project: { _id: 0, id: 1, name: 1 } },
      ]),
      { $project: { _id: 0, title: 1, slug: 1, author: 1 } },
    ],
  },
  'page of two fields': {
    share: 5,
    ask: (n) => [
      ...[{ $sort: { id: 1 } }, { $skip: n * 25 }, { $limit: 25 }],
      { $project: { _id: 0, title: 1, slug: 1 } },
    ],
  },
  'one by documentId': {
    share: 15,
    ask: (n) => [{ $match: { documentId: `a${n * 7}`, locale: 'en' } }, { $limit: 1 }],
  },
  'one by an index, populated': {
    share: 5,
    ask: (n) => [
      { $match: { id: n * 7 } },
      { $limit: 1 },
      lookup('authors', 'author'),
      lookup('files', 'cover'),
    ],
  },
  'page of a range, indexed': {
    share: 4,
    ask: (n) => [
      { $match: { rating: { $gte: n, $lt: n + 50 } } },
      { $sort: { rating: -1, id: 1 } },
      { $limit: 25 },
    ],
  },
  'its count': { share: 2, ask: (n) => [{ $match: { rating: { $gte: n, $lt: n + 50 } } }, count] },
  'either of two indexed': {
    share: 1,
    ask: (n) => [{ $match: { $or: [{ documentId: `a${n}` }, { id: n * 3 }] } }, ...PAGE],
  },
  'filter without an index': {
    share: 3,
    ask: (n) => [scanned(n), { $sort: { createdAt: -1, id: 1 } }, { $limit: 25 }],
  },
  'count without an index': { share: 2, ask: (n) => [scanned(n), count] },
  'word in two fields': { share: 2, ask: (n) => [word(n), ...PAGE] },
  'count of a word': { share: 1, ask: (n) => [word(n), count] },
  'filter through a relation': {
    share: 2,
    ask: (n) => [
      ...[lookup('authors', 'author'), { $match: { 'author.name': `Author ${n}` } }],
      ...[{ $sort: { id: 1 } }, { $limit: 25 }, { $project: { _id: 0, title: 1 } }],
    ],
  },
  'filter by related ids': {
    share: 2,
    ask: (n) => [{ $match: { author: { $in: [n, n + 1, n + 2].map((id) => `u${id}`) } } }, ...PAGE],
  },
  'page of two fields, limited last': {
    share: 1,
    ask: (n) => [
      ...[{ $match: { rating: { $gte: n } } }, { $sort: { createdAt: -1, id: 1 } }],
      ...[{ $project: { _id: 0, title: 1, slug: 1 } }, { $limit: 25 }],
    ],
  },
  'rows with a list that all share': {
    share: 1,
    ask: (n) => [
      ...[{ $sort: { id: 1 } }, { $skip: n * 25 }, { $limit: 25 }],
      { $lookup: { from: 'categories', pipeline: [{ $match: { id: { $lt: 10 } } }], as: 'all' } },
    ],
  },
  'distinct, indexed': { share: 0.5, ask: () => ({ distinct: 'articles', key: 'rating' }) },
  'distinct, not indexed': { share: 0.5, ask: () => ({ distinct: 'articles', key: 'author' }) },
};

interface Settings {
  readonly size: string;
  readonly turns: string;
  readonly milliseconds: string;
  readonly only?: string;
}

/** Ranks from 0, the first more often than the others. */
function zipf(): number {
  const harmonic = Math.log(DIFFERENT + 1);
  return Math.min(DIFFERENT - 1, Math.floor(Math.exp(Math.random() * harmonic)) - 1);
}

const engineFile = fileURLToPath(new URL('gains-engine.ts', import.meta.url));

async function main({ size: given, turns, milliseconds, only }: Settings): Promise<void> {
  const size = Number(given);
  const folder = mkdtempSync(join(tmpdir(), 'engine-gains-'));
  const child = fork(engineFile, [folder], { execArgv: ['--import', 'tsx'] });
  const answer = async (message?: Message): Promise<unknown> => {
    const answered = once(child, 'message');
    if (message !== undefined) child.send(message);
    return (await answered)[0];
  };
  const client = await MongoClient.connect(String(await answer()));
  const db: Db = client.db('gains');
  await load(db, size);
  const send = async (kind: string, n: number): Promise<void> => {
    const asked = KINDS[kind]?.ask(n) ?? [];
    const command = Array.isArray(asked) ? { aggregate: 'articles', pipeline: asked, cursor: {} } : asked;
    await db.command(command);
  };
  const update = (n: number) =>
    db
      .collection('articles')
      .updateOne({ documentId: `a${n}` }, { $set: { views: Math.floor(Math.random() * 1e6) } });
  /** The CPU time of some requests, in microseconds. */
  const batch = async (kind: string, requests: readonly number[]): Promise<number> => {
    const before = Number(await answer('cpu'));
    for (const [i, n] of requests.entries()) {
      await send(kind, n);
      if (i % Math.round(1 / WRITES) === 7) await update(n);
    }
    return Number(await answer('cpu')) - before;
  };
  const drawn = (length: number): number[] => Array.from({ length }, zipf);
  const lengths = new Map<string, number>();
  for (const kind of Object.keys(KINDS)) {
    await batch(kind, drawn(30));
    const each = (await batch(kind, drawn(30))) / 30;
    lengths.set(kind, Math.max(16, Math.min(2000, Math.round((Number(milliseconds) * 1000) / each))));
  }
  const rows: string[] = [];
  try {
    for (const name of SHORTCUTS) {
      if (only !== undefined && !only.split(',').includes(name)) continue;
      const gains: [string, number][] = [];
      let [allOn, allOff] = [0, 0];
      for (const [kind, length] of lengths) {
        let [on, off] = [0, 0];
        for (let turn = 0; turn < Number(turns); turn++) {
          const requests = drawn(length);
          await answer({ off: [] });
          on += await batch(kind, requests);
          await answer({ off: [name] satisfies Shortcut[] });
          off += await batch(kind, requests);
        }
        const share = KINDS[kind]?.share ?? 0;
        allOn += (share * on) / length;
        allOff += (share * off) / length;
        gains.push([kind, off / on]);
      }
      const best = gains.sort((a, b) => b[1] - a[1]).slice(0, 4);
      const row = `| ${name} | ${(allOff / allOn).toFixed(2)} | ${best.map(([kind, gain]) => `${kind} ${gain.toFixed(2)}`).join(', ')} |`;
      process.stderr.write(`${row}\n`);
      rows.push(row);
    }
    process.stdout.write(['| shortcut | all | kinds |', '|---|---:|---|', ...rows, ''].join('\n'));
  } finally {
    await client.close();
    child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

const program = new Command('gains')
  .description(
    'Measures what each shortcut gains: CPU time of the engine without it, relative to that with it',
  )
  .option('--size <n>', 'documents in the collection', '10000')
  .option('--turns <n>', 'turns of each', '4')
  .option('--milliseconds <n>', 'CPU time of a turn', '60')
  .option('--only <names>', 'only these shortcuts');
program.parse();
await main(program.opts<Settings>());
