import { BSON, type Document, Long, MongoClient } from 'mongodb';
import { startEngine } from '../../src/index.js';
import type { Shortcut } from '../../src/values/shortcuts.js';
import { normal } from '../differential/normal.js';
import { bodySection, connectRaw, sequenceSection } from '../raw-messages.js';
import { removeFolder, temporaryFolder } from '../support/engine.js';
import { type Random, randomOf } from '../support/random.js';
import { chance, drawDocument, drawShape } from './draw-data.js';
import { seenOf } from './draw-filter.js';
import {
  drawIndex,
  drawOfNothing,
  drawRequest,
  drawViewStages,
  drawWrite,
  type Request,
} from './draw-request.js';
import { withUndefined } from './undefined-bytes.js';

const { EJSON } = BSON;
const SIZES = [0, 1, 30, 30, 100, 499, 500, 500, 500, 500, 3000];
const REQUESTS = 14;
const WRITES = 2;

/** An engine that is compared. */
export interface Side {
  /** Sends a command. Some nulls of inserted documents become BSON's undefined, which no driver sends. */
  command(command: Document): Promise<Document>;
  /** How often each shortcut was used until now. */
  uses(): Promise<Readonly<Record<Shortcut, number>>>;
  close(): Promise<void>;
}

export async function openSide(shortcuts: Partial<Record<Shortcut, boolean>> = {}): Promise<Side> {
  const dataDir = temporaryFolder();
  const engine = await startEngine({ dataDir, durable: false, shortcuts });
  const client = await MongoClient.connect(engine.uri, {
    promoteValues: false,
    promoteLongs: false,
    bsonRegExp: true,
  });
  const db = client.db('shortcuts');
  const raw = connectRaw(engine.uri);
  const insert = ({ documents, ...others }: Document): Promise<Document> => {
    const bytes = documents.map((document: Document) => withUndefined(BSON.serialize(document)));
    const body = bodySection(BSON.serialize({ ...others, $db: db.databaseName }));
    return raw.send(Buffer.concat([body, sequenceSection('documents', bytes)]));
  };
  return {
    command: (command) => ('insert' in command ? insert(command) : db.command(command)),
    uses: async () => (await db.command({ serverStatus: 1 }, { promoteValues: true }))['mangrove'].shortcuts,
    close: async () => {
      raw.close();
      await client.close();
      await engine.close();
      removeFolder(dataDir);
    },
  };
}

/** Stands for BSON's undefined, which EJSON leaves out. */
const UNDEFINED = '\u0000undefined';

/** Fields by name, since an index has them in its own order; joined documents in any. */
function sorted(value: unknown, name = ''): unknown {
  if (value === undefined) return UNDEFINED;
  if (Array.isArray(value)) {
    const members = value.map((member) => sorted(member));
    return name === 'joined' ? members.map((member) => textOf(member)).sort() : members;
  }
  if (typeof value !== 'object' || value === null || '_bsontype' in value || value instanceof Date)
    return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([key, member]) => [key, sorted(member, key)]));
}

const textOf = (value: unknown): string => EJSON.stringify({ value }, { relaxed: false });

const PARALLEL = 'cannot sort with keys that are parallel arrays';

const errorOf = (error: unknown): string => {
  const { code, message } = error as { code?: unknown; message: string };
  if (code === undefined) throw error;
  return `error ${String(code)} ${process.env['SHOW'] || message.includes(PARALLEL) ? message : ''}`;
};

async function answerOf(side: Side, { command, ordered, byValue }: Request): Promise<string[]> {
  try {
    const reply = await side.command(command);
    let results: unknown[] = reply['values'] ?? [reply['n'] ?? null];
    if (reply['cursor'] !== undefined) {
      results = [...reply['cursor'].firstBatch];
      for (let { id } = reply['cursor']; String(id) !== '0'; ) {
        const more = await side.command({
          getMore: Long.isLong(id) ? id : Long.fromNumber(Number(id)),
          collection: Object.values(command)[0],
        });
        results.push(...more['cursor'].nextBatch);
        ({ id } = more['cursor']);
      }
    }
    const texts = results.map((result) => (byValue ? normal(result, false) : textOf(sorted(result))));
    return ordered ? texts : texts.sort();
  } catch (error) {
    return [errorOf(error)];
  }
}

/** What a difference report says. */
function different(what: unknown, plain: readonly string[], fast: readonly string[], round: string): Error {
  const at = plain.findIndex((text, i) => text !== fast[i]);
  const [mine, theirs] = [plain, fast].map((texts) => texts[at < 0 ? plain.length : at]?.slice(0, 400));
  const shown = EJSON.stringify(what, { relaxed: false });
  return new Error(
    `${shown}\nplain: ${plain.length} results, fast: ${fast.length}; the first that differs, at ${at}:\n${mine}\n${theirs}\n${round}`,
  );
}

/** Whether one side sorts documents by two of their arrays, an error that depends on which documents are sorted. */
const isLenient = (plain: readonly string[], fast: readonly string[]): boolean =>
  (plain[0] ?? '').includes(PARALLEL) !== (fast[0] ?? '').includes(PARALLEL);

const isFound = ([first]: readonly string[]): boolean =>
  first !== undefined && !first.startsWith('error') && !first.includes('{"$numberInt":"0"}}');

/** Compares the plain engine with the fast one. */
export class Comparison {
  /** For how many requests with a result, apart from 0, the fast engine used a shortcut. */
  readonly reached = new Map<string, number>();

  constructor(
    private readonly plain: Side,
    private readonly fast: Side,
  ) {}

  /** One collection with some requests, each sent several times, and with writes in between. */
  async round(seed: number): Promise<void> {
    const random = randomOf(seed);
    const size = random.pick(SIZES);
    const drawing = drawShape(random);
    const round = `round ${seed}: ${size} documents, ${JSON.stringify(drawing)}`;
    const other = drawShape(random);
    let number = 0;
    const insert = (): Document => drawDocument(random, drawing, ++number);
    const documents = Array.from({ length: size }, insert);
    const joined = Array.from({ length: random.pick([0, 3, 60]) }, (_, i) =>
      drawDocument(random, chance(random, 0.6) ? drawing : other, i + 1),
    );
    const history: unknown[] = [];
    const write = async (command: Document): Promise<boolean> => {
      history.push(command);
      const [ours, theirs] = await Promise.all([this.plain, this.fast].map((side) => written(side, command)));
      if (ours !== theirs) throw different(command, [String(ours)], [String(theirs)], round);
      return !String(ours).startsWith('error');
    };
    for (const side of [this.plain, this.fast]) await side.command({ dropDatabase: 1 });
    const indexNow = (on: string): Promise<boolean> =>
      write({ createIndexes: on, indexes: [drawIndex(random)] });
    for (let i = random.below(3); i > 0; i--) await indexNow('c');
    for (let i = random.below(2); i > 0; i--) await indexNow('d');
    for (const [name, all] of [
      ['c', documents],
      ['d', joined],
    ] as const)
      for (let from = 0; from < all.length; from += 500)
        await write({ insert: name, documents: all.slice(from, from + 500), ordered: false });
    for (let i = random.below(3); i > 0; i--) await indexNow('c');
    const seen = seenOf(documents);
    await write({ create: 'v', viewOn: 'c', pipeline: drawViewStages(random, seen) });
    const requests = Array.from({ length: REQUESTS }, () => drawRequest(random, seen));
    if (chance(random, 0.3)) requests.unshift(drawOfNothing(random));
    for (let i = 0; ; i++) {
      for (const request of requests) await this.compare(request, round, history);
      if (i === WRITES) return;
      if (!(await write(drawWrite(random, seen, insert)))) return;
      await this.compare(
        { command: { find: 'c', filter: {}, batchSize: 5000 }, ordered: false, byValue: false },
        round,
        history,
      );
      if (chance(random, 0.4)) await indexNow('c');
      if (chance(random, 0.4)) await this.dropIndex(random);
    }
  }

  private async noteUses(before: Readonly<Record<string, number>>): Promise<void> {
    for (const [name, count] of Object.entries(await this.fast.uses()))
      if (count > (before[name] ?? 0)) this.reached.set(name, (this.reached.get(name) ?? 0) + 1);
  }

  private async dropIndex(random: Random): Promise<void> {
    const reply = await this.plain.command({ listIndexes: 'c' }).catch(() => undefined);
    const names: string[] = (reply?.['cursor'].firstBatch ?? []).map((index: Document) => index['name']);
    const [name] = names.filter((one) => one !== '_id_' && chance(random, 0.5));
    if (name === undefined) return;
    for (const side of [this.plain, this.fast]) await side.command({ dropIndexes: 'c', index: name });
  }

  private async compare(request: Request, round: string, history: readonly unknown[]): Promise<void> {
    const plain = await answerOf(this.plain, request);
    const before = await this.fast.uses();
    const answers = [await answerOf(this.fast, request), await answerOf(this.fast, request)];
    answers.push(...(await Promise.all([answerOf(this.fast, request), answerOf(this.fast, request)])));
    if (isFound(plain)) await this.noteUses(before);
    for (const fast of answers) {
      if (isLenient(plain, fast)) continue;
      if (plain.length !== fast.length || plain.some((text, i) => text !== fast[i]))
        throw different(
          request.command,
          plain,
          fast,
          `${round}\nafter ${history
            .slice(-8)
            .map((command) => EJSON.stringify(command).slice(0, 200))
            .join('\n')}`,
        );
    }
  }
}

/** The outcome of a write: its counts, or the code of its error. */
async function written(side: Side, command: Document): Promise<string> {
  try {
    const { ok, n, nModified, value, writeErrors, code, errmsg } = await side.command(command);
    // The raw connection does not throw.
    if (Number(ok) !== 1) return `error ${code} ${errmsg}`;
    if (writeErrors !== undefined && command['insert'] === undefined) return `error ${writeErrors[0].code}`;
    return textOf(
      sorted({ n, nModified, value, failed: writeErrors?.map(({ index, code }: Document) => [index, code]) }),
    );
  } catch (error) {
    return errorOf(error);
  }
}
