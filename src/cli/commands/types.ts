import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { describeTypes } from '../../describe/types.js';
import { note, print, printJson } from '../../terminal/output.js';
import { globalsOf } from '../globals.js';
import { loadProjectSchema } from '../project-schema.js';

interface Options {
  readonly out?: string;
  readonly dryRun?: boolean;
}

/** `mangrove types`: TypeScript types of the content. */
export function register(program: Command): void {
  program
    .command('types')
    .description('generate TypeScript types for entries and their input')
    .option('--out <file>', 'write to this file of the project (default: stdout)')
    .option('--dry-run', 'show which file would be written')
    .addHelpText(
      'after',
      `
With this file in a project, documents('api::article.article') is typed.

Examples:
  $ mangrove types | less
  $ mangrove types --out src/content.d.ts`,
    )
    .action(async (options: Options, command: Command) => {
      const { root, json } = globalsOf(command);
      const { schema } = await loadProjectSchema(root);
      const text = describeTypes(schema);
      if (options.out !== undefined) {
        const file = resolve(root, options.out);
        const dryRun = options.dryRun ?? false;
        if (!dryRun) await writeFile(file, text);
        if (json) printJson({ file, version: schema.version, dryRun });
        else note(dryRun ? `would write ${file}` : `${file} written`);
      } else if (json) printJson({ version: schema.version, types: text });
      else print(text);
    });
}
