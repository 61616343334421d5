import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { describeTypes } from '../describe/types.js';
import { globalsOf } from './globals.js';
import { note, print, printJson } from './output.js';
import { loadProjectSchema } from './project-schema.js';

/** `mangrove types`: TypeScript types of the content. */
export function register(program: Command): void {
  program
    .command('types')
    .description('TypeScript types of the entries and their input, made from the schemas')
    .option('--out <file>', 'write them to a file')
    .addHelpText(
      'after',
      `
With the file in a project, documents('api::article.article') of the package knows its attributes.

Example:
  $ mangrove types --out src/content.d.ts`,
    )
    .action(async (options: { out?: string }, command: Command) => {
      const { root, json } = globalsOf(command);
      const { schema } = await loadProjectSchema(root);
      const text = describeTypes(schema);
      if (options.out !== undefined) {
        const file = resolve(root, options.out);
        await writeFile(file, text);
        if (json) printJson({ file, version: schema.version });
        else note(`${file} written`);
      } else if (json) printJson({ version: schema.version, types: text });
      else print(text);
    });
}
