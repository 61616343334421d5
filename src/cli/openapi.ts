import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { describeContract } from '../describe/contract/contract.js';
import { WHOLE } from '../describe/contract/types.js';
import { toOpenApi } from '../describe/openapi/document.js';
import { globalsOf } from './globals.js';
import { note, printJson } from './output.js';
import { loadProjectSchema } from './project-schema.js';

interface Options {
  readonly out?: string;
  readonly counts?: boolean;
  readonly drafts?: boolean;
  readonly v4?: boolean;
}

/** `mangrove openapi`: the API as OpenAPI. */
export function register(program: Command): void {
  program
    .command('openapi')
    .description('the API as OpenAPI 3.1: every route, whoever may call it')
    .option('--out <file>', 'write it to a file of the project; left out: to stdout')
    .option('--counts', 'with the answers to populate[…][count]=true')
    .option('--drafts', 'bodies of writes with status=draft')
    .option('--v4', 'answers to requests with Strapi-Response-Format: v4')
    .addHelpText(
      'after',
      `
A running server has it at /api/openapi.json, of what the caller may do.

Examples:
  $ mangrove openapi --out openapi.json
  $ npx openapi-typescript openapi.json -o api.d.ts`,
    )
    .action(async (options: Options, command: Command) => {
      const { contractParts } = await import('../http/contract-parts.js');
      const { allRoutes } = await import('../http/routes/all.js');
      const { root, json } = globalsOf(command);
      const parts = await loadProjectSchema(root);
      const form = {
        ...WHOLE,
        counts: options.counts ?? false,
        drafts: options.drafts ?? false,
        v4: options.v4 ?? false,
      };
      const { url } = parts.config.server;
      const document = toOpenApi(describeContract(contractParts(parts, allRoutes(parts)), form), {
        title: 'Content API',
        ...(url === null ? {} : { url }),
      });
      if (options.out === undefined) {
        printJson(document);
        return;
      }
      const file = resolve(root, options.out);
      await writeFile(file, `${JSON.stringify(document, null, 2)}\n`);
      if (json) printJson({ file });
      else note(`${file} written`);
    });
}
