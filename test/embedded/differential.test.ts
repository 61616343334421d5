import type { Document } from 'bson';
import { expect } from 'chai';
import fc from 'fast-check';
import type { EngineError } from '../../src/embedded/errors.js';
import { documents, sortPath } from './differential/documents.js';
import { type Case, expected } from './differential/expected.js';
import { filter } from './differential/filters.js';
import { knownDifference } from './differential/known-differences.js';
import { normal } from './differential/normal.js';
import { pipeline, projection } from './differential/pipelines.js';
import { ask, embedded, load, oracles, oracleUris, type Server } from './differential/servers.js';
import { placed, update } from './differential/updates.js';

const SEED = Number(process.env['MANGROVE_SEED'] ?? 20_261);
const RUNS = Number(process.env['MANGROVE_RUNS'] ?? 40);
const CASES_A_RUN = 8;

const direction = fc.constantFrom(1, -1);

const find: fc.Arbitrary<Case> = fc
  .record({
    filter,
    sort: fc.tuple(sortPath, direction).map(([name, way]): Document => ({ [name]: way, _id: 1 })),
    projection: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: projection }),
  })
  .map((parts) => ({ kind: 'find', ...parts }));

const aggregate: fc.Arbitrary<Case> = pipeline.map((stages) => ({ kind: 'pipeline', pipeline: stages }));

// Each update concerns one document, the first by _id, so that no engine may choose another.
const change: fc.Arbitrary<Case> = fc
  .oneof(
    { weight: 3, arbitrary: update.map((operators) => ({ filter: {}, update: operators })) },
    { weight: 1, arbitrary: placed },
  )
  .map((parts) => ({ kind: 'update', ...parts, filter: { _id: 0, ...parts.filter } }));

const KINDS: Readonly<Record<string, fc.Arbitrary<Case>>> = { find, aggregate, update: change };

/** An answer as a text; the engine's own errors by their codes, anything else is a failure of the test. */
async function answer(ordered: boolean, give: () => Document[] | Promise<Document[]>): Promise<string> {
  try {
    return normal(await give(), ordered);
  } catch (error) {
    // The driver hands on the code as the BSON value that came.
    const code = Number((error as EngineError).code);
    if (Number.isNaN(code)) throw error;
    return `error ${code}`;
  }
}

async function compare(server: Server, all: readonly Document[], asked: Case): Promise<void> {
  if (asked.kind === 'update') await load(server, all);
  // The others put a member that a nested $set makes anew at the end.
  const ordered = server.engine === 'embedded';
  const ours = await answer(ordered, () => expected(all, asked));
  const theirs = await answer(ordered, () => ask(server, asked));
  if (ours === theirs) return;
  if (knownDifference(server.engine, { asked, documents: all, ours, theirs }) !== undefined) return;
  const title = `${server.engine}: ${normal(asked)} over ${normal(all)}\nanswered ${theirs}\nexpected ${ours}`;
  expect(theirs === ours, title).to.equal(true);
}

function differential(title: string, connect: () => Promise<Server[]>): void {
  describe(title, () => {
    let servers: Server[] = [];
    before(async () => {
      servers = await connect();
    });
    after(() => Promise.all(servers.map((server) => server.close())));

    for (const [kind, cases] of Object.entries(KINDS)) {
      it(`${kind}: random cases are answered as the pure evaluators answer them`, async function () {
        this.timeout(600_000);
        const property = fc.asyncProperty(
          documents,
          fc.array(cases, { minLength: CASES_A_RUN, maxLength: CASES_A_RUN }),
          async (all, several) => {
            for (const server of servers) {
              await load(server, all);
              for (const asked of several) await compare(server, all, asked);
            }
          },
        );
        await fc.assert(property, { numRuns: RUNS, seed: SEED });
      });
    }
  });
}

differential('embedded engine: the served answers against the evaluators', async () => [await embedded()]);

if (oracleUris.length > 0) {
  differential('embedded engine: the evaluators against servers made by others', oracles);
}
