import { Command, CommanderError } from 'commander';
import { EXIT, errorData, explainError, note, print, printJson } from '../terminal/output.js';
import { packageVersion } from '../values/package-version.js';
import { adopt } from './commands/adopt.js';
import { backup, restore } from './commands/backup.js';
import { canCommand } from './commands/can.js';
import { changes } from './commands/changes.js';
import { check } from './commands/check.js';
import { config } from './commands/config.js';
import { contentTypes } from './commands/content-types.js';
import { copy } from './commands/copy.js';
import { dev } from './commands/dev.js';
import { doctor } from './commands/doctor.js';
import { engine } from './commands/engine.js';
import { erase } from './commands/erase.js';
import { explain } from './commands/explain.js';
import { exportTo } from './commands/export.js';
import { history } from './commands/history.js';
import { importInto } from './commands/import.js';
import { indexes } from './commands/indexes.js';
import { init } from './commands/init.js';
import { mcp } from './commands/mcp.js';
import { migrate } from './commands/migrate.js';
import { openapi } from './commands/openapi.js';
import { role } from './commands/role.js';
import { routes } from './commands/routes.js';
import { scheduled } from './commands/scheduled.js';
import { seed } from './commands/seed.js';
import { serveCommand } from './commands/serve.js';
import { shard } from './commands/shard.js';
import { token } from './commands/token.js';
import { types } from './commands/types.js';
import { user } from './commands/user.js';
import { webhook } from './commands/webhook.js';

/** Appended to the help of every command. */
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

/** In the order in which they are listed. */
const COMMANDS = [
  init,
  adopt,
  serveCommand,
  dev,
  check,
  config,
  contentTypes,
  routes,
  types,
  openapi,
  mcp,
  explain,
  canCommand,
  indexes,
  migrate,
  seed,
  doctor,
  changes,
  webhook,
  scheduled,
  history,
  erase,
  shard,
  token,
  role,
  user,
  engine,
  copy,
  backup,
  restore,
  importInto,
  exportTo,
];

/** The program with all its commands. */
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
  for (const register of COMMANDS) register(program);
  inherit(program);
  return program;
}

/** Applies what Commander does not inherit. */
function inherit(command: Command): void {
  command
    .exitOverride()
    .configureOutput({ writeOut: print, writeErr: (text) => note(text.trimEnd()) })
    .showHelpAfterError('(--help lists the options)')
    .configureHelp({ showGlobalOptions: true });
  for (const below of command.commands) inherit(below);
}

/**
 * Runs a command line, given without the program's name.
 * @returns the exit code; a command that serves keeps running
 */
export async function runCommandLine(args: readonly string[]): Promise<number> {
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
