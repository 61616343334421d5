#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { register as check } from './check.js';
import { register as config } from './config.js';
import { register as contentTypes } from './content-types.js';
import { EXIT, errorData, explainError, note, printJson } from './output.js';
import { register as types } from './types.js';

const HELP = `
Data goes to stdout, progress and warnings to stderr; --json makes the data JSON.
Exit code 0: done. 1: it could not be done, or what was checked is wrong. 2: wrong usage.

Examples:
  $ mangrove serve                          serve the project of this folder
  $ mangrove check                          read schemas and config, name every problem
  $ mangrove --root ../blog check --json    the same of another project, for a program
  $ mangrove types > content.d.ts           TypeScript types of the content`;

const program = new Command('mangrove')
  .description("Strapi 5's Content REST API and Document Service, served from MongoDB")
  .option('--root <folder>', 'the project: the folder with content-types/ and config/', '.')
  .option('--json', 'print data as JSON')
  .addHelpText('after', HELP)
  .showHelpAfterError('(--help shows what there is)')
  .exitOverride();

for (const register of [check, config, contentTypes, types]) register(program);
for (const command of program.commands) inherit(command);

/** Commander does not hand these two down by itself. */
function inherit(command: Command): void {
  command.exitOverride().showHelpAfterError('(--help shows what there is)');
  for (const below of command.commands) inherit(below);
}

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  else {
    if (program.opts<{ json?: boolean }>().json) printJson(errorData(error));
    note(explainError(error));
    process.exitCode = EXIT.failed;
  }
}
