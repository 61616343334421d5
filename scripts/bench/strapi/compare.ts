import { type Measured, measure, type Slice, together } from '../load.js';
import { cpuOf } from './cpu.js';
import { type Compared, type Entry, requestsOf } from './requests.js';

/** A server of the content API. */
export interface Server {
  /** `http://localhost:1337` */
  readonly url: string;
  /** An API token; null: what everyone may. */
  readonly token: string | null;
  /** Its process on this machine; null: its CPU time is not told. */
  readonly pid: number | null;
}

export interface CompareOptions {
  readonly strapi: Server;
  readonly mangrove: Server;
  readonly type: string;
  readonly connections: number;
  /** How long each server is asked each request. */
  readonly seconds: number;
  /** How long each is asked each request before any is measured: by then its code is compiled. */
  readonly warmUp: number;
  readonly writes: boolean;
}

export interface Contender extends Measured {
  /** Milliseconds of CPU a request; null: not known. */
  readonly cpu: number | null;
}

/** A line of the table. */
export interface Row {
  readonly name: string;
  readonly strapi: Contender;
  readonly mangrove: Contender;
  /** Requests a second, Mangrove's to Strapi's. */
  readonly ratio: number;
}

const TURNS = 6;
const SAMPLED = 50;

const headersOf = ({ token }: Server): Readonly<Record<string, string>> =>
  token === null ? {} : { authorization: `Bearer ${token}` };

/** Some entries of a type, and how many there are. Throws with what the server said. */
async function read(server: Server, type: string): Promise<{ entries: readonly Entry[]; total: number }> {
  const address = new URL(`/api/${type}?pagination[pageSize]=${SAMPLED}&sort=documentId`, server.url);
  const response = await fetch(address, { headers: headersOf(server) });
  const body = (await response.json()) as {
    readonly data: readonly Entry[];
    readonly meta: { readonly pagination: { readonly total: number } };
  };
  if (!response.ok) throw new Error(`${address}: ${response.status} ${JSON.stringify(body).slice(0, 300)}`);
  return { entries: body.data, total: body.meta.pagination.total };
}

/** Both servers in turns, so that what else the machine does falls on both. The first turn only warms up. */
async function inTurns(request: Compared, options: CompareOptions): Promise<Row> {
  const { strapi, mangrove, connections, seconds } = options;
  const contenders = [strapi, mangrove].map((server) => ({ server, slices: [] as Slice[], cpu: 0 }));
  const spent = ({ pid }: Server): number => (pid === null ? 0 : cpuOf(pid));
  let n = 0;
  for (let turn = 0; turn <= TURNS; turn++)
    for (const contender of contenders) {
      const { server, slices } = contender;
      const headers = headersOf(server);
      const next = () => ({ ...request.call(n++), headers });
      const before = spent(server);
      const slice = await measure(server.url, next, connections, seconds / TURNS);
      if (turn === 0) continue;
      slices.push(slice);
      contender.cpu += spent(server) - before;
    }
  const [theirs, ours] = contenders.map(({ server, slices, cpu }) => {
    const measured = together(slices);
    return { ...measured, cpu: server.pid === null ? null : cpu / measured.requests };
  }) as [Contender, Contender];
  return { name: request.name, strapi: theirs, mangrove: ours, ratio: ours.perSecond / theirs.perSecond };
}

/**
 * The same requests to a Strapi and a Mangrove that hold the same content. Throws where they do not: figures of different contents
 * say nothing.
 */
export async function* compare(options: CompareOptions): AsyncGenerator<Row> {
  const { strapi, mangrove, type, writes } = options;
  const [theirs, ours] = await Promise.all([read(strapi, type), read(mangrove, type)]);
  if (theirs.total !== ours.total)
    throw new Error(
      `${type}: Strapi has ${theirs.total} entries and Mangrove ${ours.total}; import the one into the other (mangrove import)`,
    );
  const known = new Set(ours.entries.map(({ documentId }) => documentId));
  const entries = theirs.entries.filter(({ documentId }) => known.has(documentId));
  const requests = requestsOf({ type, entries, writes });
  for (const { call } of requests)
    for (const server of [strapi, mangrove]) {
      let n = 0;
      const next = () => ({ ...call(n++), headers: headersOf(server) });
      await measure(server.url, next, options.connections, options.warmUp);
    }
  for (const request of requests) yield inTurns(request, options);
}
