import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { describeContract } from '../../describe/contract/contract.js';
import { WHOLE } from '../../describe/contract/types.js';
import { breaksBetween } from '../../describe/openapi/compare.js';
import { type OpenApiDocument, toOpenApi } from '../../describe/openapi/document.js';
import { EXIT, table } from '../../terminal/output.js';
import { parseJson } from '../../values/json.js';
import { isObject } from '../../values/plain-object.js';
import { type CommandLine, command } from '../command.js';
import { loadProjectSchema } from '../project-schema.js';

interface Options {
  readonly out?: string;
  readonly counts?: boolean;
  readonly drafts?: boolean;
  readonly v4?: boolean;
}

type Form = Omit<Options, 'out'>;

const describe = async (
  root: string,
  { counts = false, drafts = false, v4 = false }: Form,
): Promise<OpenApiDocument> => {
  const { contractParts } = await import('../../http/contract-parts.js');
  const { allRoutes } = await import('../../http/routes/all.js');
  const parts = await loadProjectSchema(root);
  const form = { ...WHOLE, counts, drafts, v4 };
  const { url } = parts.config.server;
  return toOpenApi(describeContract(contractParts(parts, allRoutes(parts)), form), {
    title: 'Content API',
    ...(url !== null && { url }),
  });
};

/**
 * Reads an existing document. If it is missing, exits with the code for incorrect usage, which cannot be
 * mistaken for a breaking change.
 */
const readDocument = async (file: string, command: Command): Promise<OpenApiDocument> => {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) =>
    command.error(`error: ${file} cannot be read: ${error.code ?? error.message}`, { exitCode: EXIT.usage }),
  );
  const document = parseJson(text)?.value;
  if (!isObject(document) || !isObject(document['paths']))
    return command.error(`error: ${file} is not an OpenAPI document: mangrove openapi --out writes one`, {
      exitCode: EXIT.usage,
    });
  return document;
};

const diff = command({
  name: 'diff <old>',
  does: 'show what breaks clients built from an older description',
  help: `
<old> is the file with the older description.

Breaking changes are: a route, parameter or property that was removed or renamed, a value that is no longer accepted, something that
is now required, and a response that may have a different type. Exit code 1 if there are any, 2 if the older description cannot be read.

Examples:
  $ git show main:openapi.json > old.json && mangrove openapi diff old.json`,
  async run({ root, command }, old: string) {
    const before = await readDocument(resolve(root, old), command);
    const breaking = breaksBetween(before, await describe(root, {}));
    const failed = breaking.length > 0;
    const data = { ok: !failed, breaking };
    if (!failed) return { data, notes: ['nothing breaks'] };
    const rows = breaking.map(({ place, what }) => [place, what]);
    return { data, text: table(['place', 'what breaks'], rows), failed };
  },
});

/** `mangrove openapi`: describes the API as OpenAPI, and shows breaking changes. */
export const openapi = command({
  name: 'openapi',
  does: 'describe the API as OpenAPI 3.1: every route, whoever may call it',
  options: [
    ['--out <file>', 'write to this file of the project (default: stdout)'],
    ['--counts', 'include the responses to populate[…][count]=true'],
    ['--drafts', 'describe the bodies of writes with status=draft'],
    ['--v4', 'describe the responses to requests with Strapi-Response-Format: v4'],
  ],
  help: `
A running server has it at /api/openapi.json, limited to what the caller may do.

Examples:
  $ mangrove openapi --out openapi.json
  $ npx openapi-typescript openapi.json -o api.d.ts
  $ mangrove openapi diff openapi.json      what the current schemas break for clients of that description`,
  async run({ root, options: { out, ...form } }: CommandLine<Options>) {
    const document = await describe(root, form);
    const text = JSON.stringify(document, null, 2);
    if (out === undefined) return { data: document, text };
    const file = resolve(root, out);
    await writeFile(file, `${text}\n`);
    return { data: { file }, notes: [`${file} written`] };
  },
  commands: [diff],
});
