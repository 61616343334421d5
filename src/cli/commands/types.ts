import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describeTypes } from '../../describe/types.js';
import { type CommandLine, command } from '../command.js';
import { loadProjectSchema } from '../project-schema.js';

interface Options {
  readonly out?: string;
  readonly dryRun?: boolean;
}

/** `mangrove types`: generates TypeScript types of the content. */
export const types = command({
  name: 'types',
  does: 'generate TypeScript types for entries and their input',
  options: [
    ['--out <file>', 'write to this file of the project (default: stdout)'],
    ['--dry-run', 'show which file would be written'],
  ],
  help: `
With this file in a project, documents('api::article.article') is typed.

Examples:
  $ mangrove types | less
  $ mangrove types --out src/content.d.ts`,
  async run({ root, options: { out, dryRun = false } }: CommandLine<Options>) {
    const { schema } = await loadProjectSchema(root);
    const { version } = schema;
    const text = describeTypes(schema);
    if (out === undefined) return { data: { version, types: text }, text };
    const file = resolve(root, out);
    if (!dryRun) await writeFile(file, text);
    return { data: { file, version, dryRun }, notes: [dryRun ? `would write ${file}` : `${file} written`] };
  },
});
