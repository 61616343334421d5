import { readFileSync } from 'node:fs';
import { type Document, EJSON } from 'bson';
import { expect } from 'chai';
import type { Case } from './differential/expected.js';
import { answer } from './differential/normal.js';
import { ask, embedded, load, type Server } from './differential/servers.js';
import { DOCUMENTED } from './recorded/documented.js';

/** A case, its result, and the server that returned it. */
interface Row {
  readonly documents: Document[];
  readonly asked: Case;
  readonly answer: string;
  readonly origin: string;
}

const FILE = new URL('./recorded/answers.jsonl', import.meta.url);

const rows = readFileSync(FILE, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => EJSON.parse(line, { relaxed: false }) as Row);

describe('embedded engine: results recorded from other servers', () => {
  let server: Server;
  before(async () => {
    server = await embedded();
  });
  after(() => server.close());

  for (const kind of ['find', 'pipeline', 'update']) {
    const of = rows.filter((row) => row.asked.kind === kind);
    it(`${kind}: ${of.length} cases have the recorded results`, async function () {
      this.timeout(180_000);
      expect(of.length).to.be.above(0);
      for (const row of of) {
        await load(server, row.documents);
        const found = await answer(false, () => ask(server, row.asked));
        expect(
          found,
          `${row.origin}: ${EJSON.stringify(row.asked)} over ${EJSON.stringify(row.documents)}`,
        ).to.equal(row.answer);
      }
    });
  }

  it(`${DOCUMENTED.length} results that MongoDB documents are the same`, async () => {
    for (const { documents, request, answer: wanted } of DOCUMENTED) {
      await load(server, documents);
      const given = await answer(true, () => ask(server, request));
      const expected = typeof wanted === 'number' ? `error ${wanted}` : await answer(true, () => wanted);
      expect(given, EJSON.stringify(request)).to.equal(expected);
    }
  });
});
