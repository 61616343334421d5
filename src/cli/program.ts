import { Command, CommanderError } from 'commander';
import { EXIT, errorData, explainError, note, printJson } from '../terminal/output.js';
import { packageVersion } from '../values/package-version.js';
import { register as adopt } from './commands/adopt.js';
import { register as backup } from './commands/backup.js';
import { register as changes } from './commands/changes.js';
import { register as check } from './commands/check.js';
import { register as config } from './commands/config.js';
import { register as contentTypes } from './commands/content-types.js';
import { register as copy } from './commands/copy.js';
import { register as dev } from './commands/dev.js';
import { register as doctor } from './commands/doctor.js';
import { register as engine } from './commands/engine.js';
import { register as explain } from './commands/explain.js';
import { register as exportTo } from './commands/export.js';
import { register as importInto } from './commands/import.js';
import { register as indexes } from './commands/indexes.js';
import { register as init } from './commands/init.js';
import { register as mcp } from './commands/mcp.js';
import { register as migrate } from './commands/migrate.js';
import { register as openapi } from './commands/openapi.js';
import { register as role } from './commands/role.js';
import { register as routes } from './commands/routes.js';
import { register as seed } from './commands/seed.js';
import { register as shard } from './commands/shard.js';
import { register as start } from './commands/start.js';
import { register as token } from './commands/token.js';
import { register as types } from './commands/types.js';
import { register as user } from './commands/user.js';

/** Ends the help of every command. */
const COMMON = `
Data goes to stdout, progress and warnings to stderr; --json prints the data as JSON.
Exit codes: 0 success, 1 failure or problems found, 2 incorrect usage.`;

const EXAMPLES = `
Examples:
  $ mangrove serve                          serve the project in this folder
  $ mangrove dev                            the same, reloading when its files change
  $ mangrove check                          check schemas and config, list every problem
  $ mangrove --root ../blog check --json    the same for another project, as JSON
  $ mangrove routes list --content          list the routes of content types
  $ mangrove token create website           a token for a client that reads
  $ mangrove explain '/api/articles?populate=author'   how a request is executed`;

/** All commands under one name. */
export function createProgram(): Command {
  const program = new Command('mangrove')
    .description("Strapi 5's Content REST API and Document Service, served from MongoDB")
    .option('--root <folder>', 'the project: the folder with content-types/ and config/', '.')
    .option('--json', 'print data as JSON')
    .option(
      '--yes',
      'allow Mangrove to create its collections in a database that contains those of other programs',
    )
    .version(packageVersion(), '--version', 'print the version of Mangrove')
    .addHelpText('after', EXAMPLES)
    .addHelpText('afterAll', COMMON);
  for (const register of [
    init,
    adopt,
    start,
    dev,
    check,
    config,
    contentTypes,
    routes,
    types,
    openapi,
    mcp,
    explain,
    indexes,
    migrate,
    seed,
    doctor,
    changes,
    shard,
    token,
    role,
    user,
    engine,
    copy,
    backup,
    importInto,
    exportTo,
  ])
    register(program);
  inherit(program);
  return program;
}

/** What Commander does not inherit. */
function inherit(command: Command): void {
  command
    .exitOverride()
    .showHelpAfterError('(--help lists the options)')
    .configureHelp({ showGlobalOptions: true });
  for (const below of command.commands) inherit(below);
}

/**
 * Runs one command line, without the program's own name.
 * @returns the exit code; a command that serves keeps running
 */
export async function run(args: readonly string[]): Promise<number> {
  const program = createProgram();
  try {
    process.exitCode = EXIT.ok;
    await program.parseAsync([...args], { from: 'user' });
    return Number(process.exitCode);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (program.opts<{ json?: boolean }>().json) printJson(errorData(error));
    note(explainError(error));
    return EXIT.failed;
  }
}
