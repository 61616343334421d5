import type { Document } from 'bson';
import { expect } from 'chai';
import fc from 'fast-check';
import { CASES } from './differential/cases.js';
import { documents } from './differential/documents.js';
import { type Case, expected } from './differential/expected.js';
import { knownDifference } from './differential/known-differences.js';
import { answer, normal } from './differential/normal.js';
import { ask, embedded, load, oracles, oracleUris, type Server } from './differential/servers.js';

const RUNS = Number(process.env['MANGROVE_RUNS'] ?? 40);
const CASES_A_RUN = 8;

/** What the cases use and MongoDB introduced in 5.2 or later. */
const NEWER = /"\$sortArray"/;

async function compare(server: Server, all: readonly Document[], request: Case): Promise<void> {
  const isOld = server.engine === 'mongod' && Number.parseFloat(server.version) < 5.2;
  if (isOld && NEWER.test(JSON.stringify(request))) return;
  if (request.kind === 'update') await load(server, all);
  // The others append a field that a nested $set creates.
  const ordered = server.engine === 'embedded';
  const ours = await answer(ordered, () => expected(all, request));
  const theirs = await answer(ordered, () => ask(server, request));
  if (ours === theirs) return;
  if (knownDifference(server.engine, { request, documents: all, ours, theirs }) !== undefined) return;
  const title = `${server.engine}: ${normal(request)} over ${normal(all)}\nanswered ${theirs}\nexpected ${ours}`;
  expect(theirs === ours, title).to.equal(true);
}

function differential(title: string, connect: () => Promise<Server[]>): void {
  describe(title, () => {
    let servers: Server[] = [];
    before(async () => {
      servers = await connect();
    });
    after(() => Promise.all(servers.map((server) => server.close())));

    for (const [kind, cases] of Object.entries(CASES)) {
      it(`${kind}: random cases have the same results as in the pure evaluators`, async function () {
        this.timeout(600_000);
        const property = fc.asyncProperty(
          documents,
          fc.array(cases, { minLength: CASES_A_RUN, maxLength: CASES_A_RUN }),
          async (all, several) => {
            for (const server of servers) {
              await load(server, all);
              for (const request of several) await compare(server, all, request);
            }
          },
        );
        await fc.assert(property, { numRuns: RUNS });
      });
    }
  });
}

differential('embedded engine: results over the wire compared with the evaluators', async () => [
  await embedded(),
]);

if (oracleUris.length > 0) {
  differential('embedded engine: the evaluators against servers made by others', oracles);
}
