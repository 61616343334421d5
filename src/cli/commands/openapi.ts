import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { describeContract } from '../../describe/contract/contract.js';
import { WHOLE } from '../../describe/contract/types.js';
import { breaksBetween } from '../../describe/openapi/compare.js';
import { type OpenApiDocument, toOpenApi } from '../../describe/openapi/document.js';
import { EXIT, note, print, printJson, table } from '../../terminal/output.js';
import { parseJson } from '../../values/json.js';
import { isObject } from '../../values/plain-object.js';
import { globalsOf } from '../globals.js';
import { loadProjectSchema } from '../project-schema.js';

interface Options {
  readonly out?: string;
  readonly counts?: boolean;
  readonly drafts?: boolean;
  readonly v4?: boolean;
}

const describe = async (root: string, options: Options): Promise<OpenApiDocument> => {
  const { contractParts } = await import('../../http/contract-parts.js');
  const { allRoutes } = await import('../../http/routes/all.js');
  const parts = await loadProjectSchema(root);
  const form = {
    ...WHOLE,
    counts: options.counts ?? false,
    drafts: options.drafts ?? false,
    v4: options.v4 ?? false,
  };
  const { url } = parts.config.server;
  return toOpenApi(describeContract(contractParts(parts, allRoutes(parts)), form), {
    title: 'Content API',
    ...(url === null ? {} : { url }),
  });
};

/** A document that was written before; without one the command line is wrong, which is not to be taken for a change that breaks. */
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

/** `mangrove openapi`: the API as OpenAPI, and what changes of it break. */
export function register(program: Command): void {
  const openapi = program
    .command('openapi')
    .description('describe the API as OpenAPI 3.1: every route, whoever may call it')
    .option('--out <file>', 'write to this file of the project (default: stdout)')
    .option('--counts', 'include the responses to populate[…][count]=true')
    .option('--drafts', 'describe the bodies of writes with status=draft')
    .option('--v4', 'describe the responses to requests with Strapi-Response-Format: v4')
    .addHelpText(
      'after',
      `
A running server has it at /api/openapi.json, limited to what the caller may do.

Examples:
  $ mangrove openapi --out openapi.json
  $ npx openapi-typescript openapi.json -o api.d.ts
  $ mangrove openapi diff openapi.json      what the current schemas break for clients of that description`,
    )
    .action(async (options: Options, command: Command) => {
      const { root, json } = globalsOf(command);
      const document = await describe(root, options);
      if (options.out === undefined) {
        printJson(document);
        return;
      }
      const file = resolve(root, options.out);
      await writeFile(file, `${JSON.stringify(document, null, 2)}\n`);
      if (json) printJson({ file });
      else note(`${file} written`);
    });
  openapi
    .command('diff')
    .description('show what breaks clients built from an older description')
    .argument('<old>', 'the file with the older description')
    .addHelpText(
      'after',
      `
Breaking changes are: a route, parameter or property that was removed or renamed, a value that is no longer accepted, something that
is now required, and a response that may have a different type. Exit code 1 if there are any, 2 if the older description cannot be read.

Examples:
  $ git show main:openapi.json > old.json && mangrove openapi diff old.json`,
    )
    .action(async (old: string, _options: unknown, command: Command) => {
      const { root, json } = globalsOf(command);
      const before = await readDocument(resolve(root, old), command);
      const breaking = breaksBetween(before, await describe(root, {}));
      if (json) printJson({ ok: breaking.length === 0, breaking });
      else if (breaking.length === 0) note('nothing breaks');
      else
        print(
          table(
            ['place', 'what breaks'],
            breaking.map(({ place, what }) => [place, what]),
          ),
        );
      if (breaking.length > 0) process.exitCode = EXIT.failed;
    });
}
