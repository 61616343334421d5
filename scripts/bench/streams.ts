/** What one change costs a server with a thousand streams of live lists: of one list, and of a thousand different ones. */
import { mkdtemp } from 'node:fs/promises';
import { type ClientRequest, get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, start } from './child.js';
import { documentId } from './content.js';
import { projectWith, sendOnce } from './in-time.js';
import type { Compared } from './mechanisms.js';

const STREAMS = 1000;

interface Lists {
  /** The query of a stream. */
  readonly query: (n: number) => string;
  readonly changes: number;
}

const LISTS: Readonly<Record<string, Lists>> = {
  'streams of one list': { query: () => 'sort=id&pagination[limit]=25', changes: 10 },
  // Each change is a thousand reads.
  'streams of different lists': {
    query: (n) => `sort=id&pagination[start]=${n}&pagination[limit]=25`,
    changes: 2,
  },
};

export interface StreamCost {
  readonly name: string;
  readonly streams: number;
  /** Milliseconds of CPU for one change: of the server with its streams, and of the engine. */
  readonly server: number;
  readonly engine: number;
}

/** Opens a stream; resolves when it has the answer. */
const open = (address: string, query: string): Promise<ClientRequest> =>
  new Promise((resolve, reject) => {
    const headers = { accept: 'text/event-stream' };
    const request = get(`${address}/api/restaurants?${query}`, { agent: false, headers }, (response) => {
      response.on('error', () => undefined);
      response.on('data', () => resolve(request));
      if (response.statusCode !== 200) reject(new Error(`${response.statusCode} for a stream`));
    });
    request.on('error', reject);
  });

/** Waits until a server does nothing any more. */
async function quiet(child: Child): Promise<void> {
  for (let before = Number.NEGATIVE_INFINITY, now = await child.cpu(); now - before > 20; ) {
    before = now;
    await sleep(500);
    now = await child.cpu();
  }
}

/** Measures a database that holds at least as many restaurants as there are streams. */
export async function* measureStreams(
  { uri, database, dataDir, engine }: Pick<Compared, 'uri' | 'database' | 'dataDir' | 'engine'>,
  isWanted: (name: string) => boolean,
): AsyncGenerator<StreamCost> {
  for (const [name, { query, changes }] of Object.entries(LISTS)) {
    if (!isWanted(name)) continue;
    const root = await projectWith({}, await mkdtemp(join(dataDir, 'streams-')), '');
    const own = await start('./server.js', [uri, database, join(root, 'data'), root]);
    const streams: ClientRequest[] = [];
    for (let n = 0; n < STREAMS; n++) streams.push(await open(own.address, query(n)));
    await quiet(own);
    const cpu = async () => [await own.cpu(), (await engine?.cpu()) ?? Number.NaN] as const;
    const before = await cpu();
    for (let n = 0; n < changes; n++) {
      const path = `/api/restaurants/${documentId('r', n)}`;
      await sendOnce(own.address, { method: 'PUT', path, body: `{"data":{"stars":${n % 6}}}` });
      await quiet(own);
    }
    const after = await cpu();
    const [server, engineMs] = [0, 1].map((at) => ((after[at] ?? 0) - (before[at] ?? 0)) / changes);
    yield { name, streams: STREAMS, server: server ?? Number.NaN, engine: engineMs ?? Number.NaN };
    for (const stream of streams) stream.destroy();
    await own.stop();
  }
}
