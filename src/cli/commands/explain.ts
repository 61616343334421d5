import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { type Explanation, explainUrl } from '../../describe/explain.js';
import { explainWrite, type WriteExplanation } from '../../describe/explain-write.js';
import { shellText } from '../../describe/shell-text.js';
import { createReader } from '../../documents/read/create-reader.js';
import { parseJson } from '../../values/json.js';
import { plural } from '../../values/plural.js';
import { type CommandLine, command, refused } from '../command.js';
import { withProject } from '../with-project.js';
import { withStore } from '../with-store.js';

interface ExplainOptions {
  readonly detail?: boolean;
  readonly write?: string;
  readonly as?: string;
}

/** `mangrove explain <url>`: shows how a request is executed, down to the aggregation or the writes. */
export const explain = command({
  name: 'explain <url>',
  does: 'show how a request is executed: plan, mongosh commands, indexes, time of each step',
  options: [
    ['--detail', "also show the database's own plan for a read"],
    [
      '--as <caller>',
      'explain a read by this caller: public, a username, an email address or the name of a token',
    ],
    ['--write <file>', 'explain a PUT or POST with this JSON body (-: from stdin); nothing is stored'],
  ],
  help: `
Examples:
  $ mangrove explain '/api/articles?populate=author&sort=title'
  $ mangrove explain --as ann /api/articles      with the rules of the caller's role
  $ echo '{"data":{"title":"New"}}' | mangrove explain --write - /api/articles`,
  async run(call: CommandLine<ExplainOptions>, url: string) {
    const { root, options } = call;
    const { detail = false, write, as } = options;
    if (as !== undefined) {
      if (write !== undefined) throw refused('--as explains reads: it cannot be used with --write');
      const data = await explainAs(call, as, url);
      return { data, text: sectionsText(readSections(data, detail)) };
    }
    const body = write === undefined ? undefined : await readBody(write);
    return withStore(root, async (open) => {
      const parts = { ...open, reader: createReader(open), caller: { grants: null } };
      if (write !== undefined) {
        const data = await explainWrite(url, body, parts);
        return { data, text: sectionsText(writeSections(data)), failed: data.refused !== null };
      }
      const data = await explainUrl(url, { ...parts, prefix: open.config.rest.prefix });
      return { data, text: sectionsText(readSections(data, detail)) };
    });
  },
});

const explainAs = (call: CommandLine<ExplainOptions>, name: string, url: string): Promise<Explanation> =>
  withProject(call, async ({ access, config, schema, store, reader }) => {
    const named = await access.users.caller(name);
    if (!named || named.kind === 'role') throw refused(`There is no account and no token named ${name}`);
    return explainUrl(url, { schema, store, reader, caller: named.caller, prefix: config.rest.prefix });
  });

async function readBody(file: string): Promise<unknown> {
  const parsed = parseJson(await (file === '-' ? text(process.stdin) : readFile(file, 'utf8')));
  if (!parsed) throw new Error(`${file === '-' ? 'The input on stdin' : file} is not valid JSON`);
  return parsed.value;
}

type Sections = readonly (readonly [title: string, text: string])[];

const sectionsText = (sections: Sections): string =>
  sections.map(([title, text]) => `${title}\n${text}\n`).join('\n');

const timeText = (timings: Explanation['timings']): string =>
  timings.map(([name, ms]) => `${name} ${ms.toFixed(2)} ms`).join('  ');

const COUNTED: Readonly<Record<NonNullable<Explanation['countedBy']>, string>> = {
  sort: 'counted by the sort',
  page: 'known from the page itself, which is the last',
  metadata: "taken from the collection's metadata",
  count: 'counted by a separate command',
};

const answerText = ({ rows, total, countedBy, exact }: Explanation): string => {
  if (total === null || countedBy === null) return plural(rows, 'entry', 'entries');
  return `${rows} of ${plural(total, 'entry', 'entries')}, ${exact ? COUNTED[countedBy] : 'not counted in time (database.totals.maxTimeMS)'}`;
};

/** From as many documents read for each entry shown, the indexes did not find them. */
const MANY = 20;

const indexesText = ({ server, rows }: Explanation): string => {
  const { indexes, scans, examined } = server;
  const names = indexes.length > 0 ? indexes.join(', ') : scans ? 'none' : 'not reported by the server';
  return [
    names,
    ...(scans ? ['A collection is read as a whole: no index serves that part of the read.'] : []),
    ...(examined !== null && examined > MANY * Math.max(rows, 1)
      ? [`${examined} documents were read for ${rows} entries.`]
      : []),
  ].join('\n');
};

const readSections = (explanation: Explanation, detail: boolean): Sections => {
  const { query, plan, commands, server, advice, timings } = explanation;
  return [
    ['Query', shellText(query)],
    ['Plan', shellText(plan)],
    ['Commands', commands.join('\n\n')],
    ['Indexes', indexesText(explanation)],
    ...(advice.length > 0 ? [['No index serves this read; to create one', advice.join('\n')] as const] : []),
    ...(detail ? [['Server', shellText(server.detail)] as const] : []),
    ['Answer', answerText(explanation)],
    ['Time', timeText(timings)],
  ];
};

const COMMITTED = {
  transaction: 'sent in one transaction',
  journal: 'recorded in mangrove.journal first, since this server has no transactions',
  nothing: 'one after the other: the collection of another program is not written in transactions',
} as const;

const writeSections = (explanation: WriteExplanation): Sections => {
  const { method, query, versions, commands, committedBy, answer, reads, refused, timings } = explanation;
  const named = versions.map((version, at) => [at === 0 ? method : 'Publication', version] as const);
  return [
    ...(query === null ? [] : [['Query', shellText(query)] as const]),
    ...named.flatMap(([title, { plan, targets, entry }]) => [
      [`${title}: plan`, shellText(plan)] as const,
      ...(targets.length > 0 ? [[`${title}: targets`, shellText(targets)] as const] : []),
      ...(entry === null ? [] : [[`${title}: entry`, shellText(entry)] as const]),
    ]),
    ...(commands.length > 0 ? [[`Commands, ${COMMITTED[committedBy]}`, commands.join('\n\n')] as const] : []),
    ...(refused === null ? [] : [['Refused', shellText(refused)] as const]),
    ...(reads.length > 0 ? [['Response, read by', reads.join('\n\n')] as const] : []),
    ...(answer === null ? [] : [['Answer', shellText(answer)] as const]),
    ['Time', timeText(timings)],
  ];
};
