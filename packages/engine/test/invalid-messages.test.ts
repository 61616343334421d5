import { Binary, Code, type Document, Long, ObjectId, onDemand, serialize } from 'bson';
import { expect } from 'chai';
import fc from 'fast-check';
import { bodySection, connectRaw, int32, type RawConnection, sequenceSection } from './raw-messages.js';
import { openEngine, type TestEngine } from './support/engine.js';

/** Changing a message is quick: a hundred of them to a run. */
const RUNS = Number(process.env['MANGROVE_RUNS'] ?? 15) * 100;
const INVALID_BSON = 22;

/** A document with every type whose bytes have a length, an end or a form of their own. */
const SAMPLE: Document = {
  text: 'one',
  inner: { list: [{ deep: 'two' }, [], 'three'], empty: {} },
  binary: new Binary(Buffer.of(1, 2, 3)),
  pattern: /a+/i,
  code: new Code('f()', { scope: 'four' }),
  flag: true,
  long: Long.fromNumber(5),
  when: new Date(0),
  nothing: null,
  _id: new ObjectId(),
};

/** The kinds of messages that carry documents of a client. */
const messages = (db: string): Readonly<Record<string, Buffer>> => {
  const body = (command: Document): Buffer => bodySection(serialize({ ...command, $db: db }));
  return {
    'an insert': body({ insert: 'c', documents: [SAMPLE, { a: 'b' }] }),
    'an insert of a sequence': Buffer.concat([
      body({ insert: 'c' }),
      sequenceSection('documents', [serialize(SAMPLE), serialize({ a: 'b' })]),
    ]),
    'an insert with its documents last': body({ insert: 'c', ordered: true, documents: [SAMPLE] }),
    'an update': body({
      update: 'c',
      updates: [{ q: { inner: SAMPLE['inner'] }, u: { $set: SAMPLE }, upsert: true }],
    }),
    'a find': body({ find: 'c', filter: { inner: { list: [{ deep: 'x' }] }, text: { $in: ['a', 'b'] } } }),
    'an aggregation': body({
      aggregate: 'c',
      pipeline: [{ $match: { a: 'x' } }, { $set: { b: SAMPLE } }],
      cursor: {},
    }),
  };
};

type Element = readonly [type: number, nameAt: number, nameLength: number, at: number, length: number];

/** Types whose value begins with a length. */
const WITH_LENGTH = new Set([2, 3, 4, 5, 13, 14, 15]);

/** The positions of all lengths in a document, its own included, found by the parser of the bson package. */
function lengthsIn(document: Uint8Array, base = 0): number[] {
  const elements = onDemand.parseToElements(document) as Iterable<Element>;
  return [
    base,
    ...[...elements].flatMap(([type, , , at, length]) => {
      if (type === 3 || type === 4) return lengthsIn(document.subarray(at, at + length), base + at);
      return WITH_LENGTH.has(type) ? [base + at] : [];
    }),
  ];
}

/** The positions of all lengths of the documents in a message's sections. */
function lengths(sections: Buffer): number[] {
  const out: number[] = [];
  for (let at = 0; at < sections.length; ) {
    const size = sections.readInt32LE(at + 1);
    if (sections[at] === 0) {
      out.push(...lengthsIn(sections.subarray(at + 1, at + 1 + size), at + 1));
    } else {
      for (let from = sections.indexOf(0, at + 5) + 1; from < at + 1 + size; ) {
        const end = from + sections.readInt32LE(from);
        out.push(...lengthsIn(sections.subarray(from, end), from));
        from = end;
      }
    }
    at += 1 + size;
  }
  return out;
}

const changed = (bytes: Buffer, at: number, put: Uint8Array): Buffer => {
  const out = Buffer.from(bytes);
  out.set(put, at);
  return out;
};

describe('embedded engine: messages with invalid BSON', () => {
  let engine: TestEngine;
  let connection: RawConnection;
  before(async () => {
    engine = await openEngine();
    connection = connectRaw(engine.uri);
  });
  beforeEach(() => engine.db.dropDatabase());
  after(async () => {
    connection.close();
    await engine.close();
  });

  /** Everything that is stored can be parsed by another program. */
  const checkStored = async (): Promise<number> => {
    const rows = await engine.db.collection('c').find({}, { raw: true }).toArray();
    for (const row of rows) lengthsIn(row as unknown as Uint8Array);
    return rows.length;
  };

  it('every wrong length is refused, and nothing is stored', async () => {
    for (const [title, sections] of Object.entries(messages(engine.db.databaseName))) {
      for (const at of lengths(sections)) {
        const right = sections.readInt32LE(at);
        const wrong = [-(2 ** 31), -100, -7, -1, 0, 1, 2, 3, 4, 9, right - 1, right + 1, 400, 2 ** 31 - 1];
        for (const length of wrong.filter((each) => each !== right)) {
          const answer = await connection.send(changed(sections, at, int32(length)));
          expect(answer['code'], `${title}: length ${length} at ${at} instead of ${right}`).to.equal(
            INVALID_BSON,
          );
        }
      }
    }
    expect(await checkStored()).to.equal(0);
  });

  it('a message that ends early is refused', async () => {
    for (const [title, sections] of Object.entries(messages(engine.db.databaseName))) {
      for (let length = 1; length < sections.length; length++) {
        const { ok } = await connection.send(sections.subarray(0, length));
        expect(ok, `${title}: ${length} of ${sections.length} bytes`).to.equal(0);
      }
      expect((await connection.send(Buffer.alloc(0)))['code']).to.equal(40587);
    }
    expect(await checkStored()).to.equal(0);
  });

  it('any changed bytes are answered on the same connection, and only valid documents are stored', async () => {
    const all = Object.values(messages(engine.db.databaseName));
    const change = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      bytes: fc.uint8Array({ minLength: 1, maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...all),
        fc.array(change, { minLength: 1, maxLength: 3 }),
        async (sections, changes) => {
          const sent = Buffer.from(sections);
          for (const { at, bytes } of changes)
            bytes.forEach((byte, i) => {
              const place = Math.floor(at * sent.length) + i;
              if (place < sent.length) sent[place] = byte;
            });
          expect(await connection.send(sent)).to.have.property('ok');
        },
      ),
      { numRuns: RUNS },
    );
    await checkStored();
  });

  it('nesting is limited to 200 levels', async () => {
    let nested: Document = {};
    for (let depth = 0; depth < 300; depth++) nested = { a: nested };
    const answer = await connection.send(
      bodySection(serialize({ insert: 'c', documents: [nested], $db: engine.db.databaseName })),
    );
    expect(answer['code']).to.equal(15);
  });

  it('a section that comes twice, or that is unknown, is refused', async () => {
    const body = bodySection(serialize({ insert: 'c', $db: engine.db.databaseName }));
    const whole = bodySection(serialize({ insert: 'c', documents: [{}], $db: engine.db.databaseName }));
    const documents = sequenceSection('documents', [serialize({})]);
    const code = async (...sections: Buffer[]): Promise<unknown> =>
      (await connection.send(Buffer.concat(sections)))['code'];
    expect(await code(body, body)).to.equal(40430);
    expect(await code(body, documents, documents)).to.equal(40431);
    expect(await code(body, Buffer.of(7))).to.equal(40432);
    expect(await code(whole, documents)).to.equal(40433);
    expect(await code(documents)).to.equal(40587);
    expect(await checkStored()).to.equal(0);
  });
});
