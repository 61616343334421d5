/**
 * Records what servers answer to random finds, pipelines and updates, for `test/recorded.test.ts`, which then
 * needs no server. A case is kept where all servers that are named answer alike; each row says who answered.
 *   tsx scripts/record-answers.ts --uri mongodb://… [--uri mongodb://…] [--cases 300] [--seed 1] > answers.jsonl
 */
import { parseArgs } from 'node:util';
import { type Document, EJSON } from 'bson';
import fc from 'fast-check';
import { CASES } from '../test/differential/cases.js';
import { documents } from '../test/differential/documents.js';
import { answer } from '../test/differential/normal.js';
import { ask, connect, load, type Server } from '../test/differential/servers.js';

const { values } = parseArgs({
  options: {
    uri: { type: 'string', multiple: true, default: [] },
    cases: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
  },
});

/** What the servers answer to a case; undefined where they differ. */
async function agreed(
  servers: readonly Server[],
  all: readonly Document[],
  asked: Document,
): Promise<string | undefined> {
  const answers = new Set<string>();
  for (const server of servers) {
    await load(server, all);
    answers.add(await answer(false, () => ask(server, asked as never)));
  }
  const [first] = answers;
  return answers.size === 1 ? first : undefined;
}

const servers = await Promise.all(values.uri.map((uri) => connect(uri, async () => {})));
if (servers.length === 0) throw new Error('name one server or more with --uri');
const origin = servers.map(({ engine, version }) => `${engine} ${version}`).join(' and ');
try {
  const seed = Number(values.seed);
  const count = Math.ceil(Number(values.cases) / Object.keys(CASES).length);
  for (const arbitrary of Object.values(CASES)) {
    for (const [all, asked] of fc.sample(fc.tuple(documents, arbitrary), { numRuns: count, seed })) {
      const found = await agreed(servers, all, asked);
      // Codes of errors are MongoDB's own matter: only MongoDB's count.
      if (found === undefined || (found.startsWith('error') && !origin.startsWith('mongod'))) continue;
      console.log(EJSON.stringify({ documents: all, asked, answer: found, origin }, { relaxed: false }));
    }
  }
} finally {
  await Promise.all(servers.map((server) => server.close()));
}
