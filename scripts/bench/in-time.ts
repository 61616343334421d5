/**
 * Writes with what docs/in-time.md describes beside the same writes without it, and how soon a webhook and a live list
 * are told of them.
 */
import { cp, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, MongoClient } from 'mongodb';
import { OUTBOX } from '../../src/store/outbox/outbox.js';
import { readChanges } from '../../src/store/outbox/read-changes.js';
import { callOf } from './case.js';
import { type Child, start } from './child.js';
import { documentId } from './content.js';
import { fill } from './fill.js';
import type { Call } from './load.js';
import { type Compared, type Gain, gainOf } from './mechanisms.js';
import { writeCases } from './write-cases.js';

interface Feature {
  /** `options.history` of the type that is written to. */
  readonly history?: true;
  /** Two endpoints, as for a site and a search index. */
  readonly webhooks?: true;
  /** A program that reads the log, and a client of a live list. */
  readonly readers?: true;
}

const FEATURES: Readonly<Record<string, Feature>> = {
  'in time: history': { history: true },
  'in time: webhooks': { webhooks: true },
  'in time: readers': { readers: true },
  'in time: all': { history: true, webhooks: true, readers: true },
};

/** How late something was told of a change, in milliseconds from when the entry was changed, before its commit. */
export interface Lag {
  readonly told: string;
  /** Writes per second. */
  readonly rate: number;
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
}

/** Writes per second of which the lag is measured, and for how many seconds. */
const LAG_RATE = 50;
const LAG_SECONDS = 10;
/** The entries that the live list shows. */
const SHOWN = 25;

const ENDPOINTS = ['site', 'search'];

const inTimeNames = Object.keys(FEATURES);

/** What is told of the changes of a server. */
interface Told {
  readonly webhooks: number[];
  readonly list: number[];
  /** Each delivery, by endpoint and id. */
  readonly sent: Set<string>;
}

/** A project like that of the benchmark, with a feature. */
export async function projectWith(feature: Feature, folder: string, receiver: string): Promise<string> {
  const types = join(folder, 'content-types');
  await cp(join(process.cwd(), 'scripts', 'bench', 'content-types'), types, { recursive: true });
  const file = join(types, 'restaurant', 'schema.json');
  const schema = JSON.parse(await readFile(file, 'utf8'));
  if (feature.history) schema.options.history = { days: 90, count: 50 };
  await writeFile(file, JSON.stringify(schema));
  await mkdir(join(folder, 'config'));
  const settings = { webhooks: { allowPrivate: true }, live: { maxStreams: 2000, maxPerCaller: 2000 } };
  await writeFile(join(folder, 'config', 'server.json'), JSON.stringify(settings));
  if (feature.webhooks) {
    const endpoints = Object.fromEntries(ENDPOINTS.map((name) => [name, { url: receiver + name }]));
    await writeFile(join(folder, 'config', 'webhooks.json'), JSON.stringify(endpoints));
  }
  return folder;
}

/** A server that webhooks are sent to. */
async function receive(told: Told) {
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    told.webhooks.push(Date.now() - Date.parse(JSON.parse(text).createdAt));
    told.sent.add(`${request.url} ${request.headers['webhook-id']}`);
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() };
}

/** A client of a live list. */
function follow(address: string, told: Told): { close(): void } {
  const request = get(
    `${address}/api/restaurants?sort=id&pagination[pageSize]=${SHOWN}`,
    { agent: false, headers: { accept: 'text/event-stream' } },
    (response) => {
      let rest = '';
      response.setEncoding('utf8');
      response.on('error', () => undefined);
      response.on('data', (text: string) => {
        const events = (rest + text).split('\n\n');
        rest = events.pop() ?? '';
        for (const event of events) {
          const [, at = ''] = /^event: update\n.*"updatedAt":"([^"]+)"/s.exec(event) ?? [];
          if (at !== '') told.list.push(Date.now() - Date.parse(at));
        }
      });
    },
  );
  request.on('error', () => undefined);
  return { close: () => request.destroy() };
}

/** Reads the log, as `mangrove changes` does. */
async function readOn(db: Db, signal: AbortSignal): Promise<void> {
  for await (const _ of readChanges({ db }, { signal }));
}

/** Milliseconds for which outcomes may be stored and a live list read after the last answer of an endpoint. */
const REST = 500;

/** Waits until every change has been sent to each endpoint. Asks the database once: what it does counts as the feature's. */
async function delivered(db: Db, { sent }: Told): Promise<void> {
  const changes = await db.collection(OUTBOX).estimatedDocumentCount();
  while (sent.size < ENDPOINTS.length * changes) await sleep(20);
  await sleep(REST);
}

/** Compares each feature that is wanted with a server without it; with all of them, the lag is measured, too. */
export async function* measureInTime(
  given: Compared,
  isWanted: (name: string) => boolean,
): AsyncGenerator<Gain | Lag> {
  const { uri, dataDir, size } = given;
  const names = inTimeNames.filter(isWanted);
  if (names.length === 0) return;
  const client = await new MongoClient(uri).connect();
  const less = await start('./server.js', [uri, given.database, dataDir]);
  for (const [index, name] of names.entries()) {
    const feature = FEATURES[name] ?? {};
    const told: Told = { webhooks: [], list: [], sent: new Set() };
    const receiver = await receive(told);
    const database = `${given.database}_in_time_${index}`;
    const db = client.db(database);
    await db.dropDatabase();
    await fill(db, size, () => undefined);
    const root = await projectWith(feature, await mkdtemp(join(dataDir, 'in-time-')), receiver.url);
    const own = await start('./server.js', [uri, database, join(root, 'data'), root]);
    const ending = new AbortController();
    const reading = feature.readers ? readOn(db, ending.signal) : null;
    const list = feature.readers ? follow(own.address, told) : null;
    const settle = async (child: Child): Promise<void> => {
      if (child === own && feature.webhooks) await delivered(db, told);
    };
    for (const each of writeCases.filter((one) => one.name.startsWith('PUT')))
      yield { mechanism: name, ...(await gainOf(each, [own, less], given, settle)) };
    if (feature.webhooks && feature.readers) yield* lagsOf(own, told, settle);
    list?.close();
    ending.abort();
    await own.stop();
    await reading;
    receiver.close();
    await db.dropDatabase();
  }
  await less.stop();
  await client.close();
}

async function* lagsOf(own: Child, told: Told, settle: (child: Child) => Promise<void>): AsyncGenerator<Lag> {
  const publish = writeCases.find(({ name }) => name === 'PUT publish');
  if (!publish) return;
  told.webhooks.length = 0;
  told.list.length = 0;
  const writes: Promise<unknown>[] = [];
  for (let n = 0; n < LAG_RATE * LAG_SECONDS; n++) {
    const path = `/api/restaurants/${documentId('r', n % SHOWN)}`;
    const call = { ...callOf(publish, n, SHOWN), path };
    writes.push(sendOnce(own.address, call));
    await sleep(1000 / LAG_RATE);
  }
  await Promise.all(writes);
  await settle(own);
  for (const [name, list] of [['webhook', told.webhooks] as const, ['live list', told.list] as const]) {
    const sorted = list.toSorted((a, b) => a - b);
    const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
    yield { told: name, rate: LAG_RATE, count: sorted.length, p50: at(0.5), p99: at(0.99) };
  }
}

/** Sends one request. */
export const sendOnce = async (address: string, { method, path, body }: Call): Promise<void> => {
  const answer = await fetch(address + path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body }),
  });
  await answer.arrayBuffer();
};
