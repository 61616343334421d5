import { Command, CommanderError } from 'commander';
import { EXIT, errorData, explainError, note, print, printJson } from '../terminal/output.js';
import { packageVersion } from '../values/package-version.js';
import type { Register } from './command.js';

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

/** In the order in which they are listed. Each is loaded with what it needs, which for most is the whole server. */
const COMMANDS: Readonly<Record<string, () => Promise<Register>>> = {
  init: async () => (await import('./commands/init.js')).init,
  adopt: async () => (await import('./commands/adopt.js')).adopt,
  serve: async () => (await import('./commands/serve.js')).serveCommand,
  dev: async () => (await import('./commands/dev.js')).dev,
  check: async () => (await import('./commands/check.js')).check,
  config: async () => (await import('./commands/config.js')).config,
  'content-types': async () => (await import('./commands/content-types.js')).contentTypes,
  routes: async () => (await import('./commands/routes.js')).routes,
  types: async () => (await import('./commands/types.js')).types,
  openapi: async () => (await import('./commands/openapi.js')).openapi,
  mcp: async () => (await import('./commands/mcp.js')).mcp,
  explain: async () => (await import('./commands/explain.js')).explain,
  can: async () => (await import('./commands/can.js')).canCommand,
  indexes: async () => (await import('./commands/indexes.js')).indexes,
  migrate: async () => (await import('./commands/migrate.js')).migrate,
  seed: async () => (await import('./commands/seed.js')).seed,
  doctor: async () => (await import('./commands/doctor.js')).doctor,
  changes: async () => (await import('./commands/changes.js')).changes,
  webhook: async () => (await import('./commands/webhook.js')).webhook,
  scheduled: async () => (await import('./commands/scheduled.js')).scheduled,
  history: async () => (await import('./commands/history.js')).history,
  erase: async () => (await import('./commands/erase.js')).erase,
  shard: async () => (await import('./commands/shard.js')).shard,
  token: async () => (await import('./commands/token.js')).token,
  role: async () => (await import('./commands/role.js')).role,
  user: async () => (await import('./commands/user.js')).user,
  engine: async () => (await import('./commands/engine.js')).engine,
  copy: async () => (await import('./commands/copy.js')).copy,
  backup: async () => (await import('./commands/backup.js')).backup,
  restore: async () => (await import('./commands/backup.js')).restore,
  import: async () => (await import('./commands/import.js')).importInto,
  export: async () => (await import('./commands/export.js')).exportTo,
};

/** The command that a command line names; undefined if it names none, as for the help of the program. */
const nameIn = (args: readonly string[]): string | undefined =>
  args.find((word, at) => !word.startsWith('-') && args[at - 1] !== '--root');

/**
 * The program with the command that a command line names, which is enough to run it and to show its help; with all
 * commands if it names none of them.
 */
export async function createProgram(args: readonly string[] = []): Promise<Command> {
  const name = nameIn(args);
  const wanted = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const registers = await Promise.all((wanted ? [wanted] : Object.values(COMMANDS)).map((load) => load()));
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
  for (const register of registers) register(program);
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
  const program = await createProgram(args);
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
