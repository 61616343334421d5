import { type Command, Option } from 'commander';
import { type ApiError, errors } from '../errors.js';
import { EXIT, note, print, printJson } from '../terminal/output.js';
import { type Globals, globalsOf } from './globals.js';

/** The result of a command: prints `data` with `--json`, everything else without it. */
export interface CommandResult {
  /** For other programs. */
  readonly data?: unknown;
  /** For people, on stdout: the requested information. */
  readonly text?: string | undefined;
  /** For people, on stderr: what was done. */
  readonly notes?: readonly string[];
  /** Printed last on stderr, also with `--json`: what to do next. */
  readonly next?: string;
  /** The check found a problem: exit code 1. */
  readonly failed?: boolean;
}

/** The options of a command line: those of every command, and the command's own. */
export interface CommandLine<O = object> extends Globals {
  readonly options: O;
  readonly command: Command;
}

/** Flags, description, default value. */
type OptionRow = readonly [flags: string, does: string, standard?: string];

/** A command as data: `O` are its options, `A` its arguments. */
interface Spec<O, A extends unknown[]> {
  /** Name and arguments: `create <name>`. */
  readonly name: string;
  readonly alias?: string;
  readonly does: string;
  readonly options?: readonly (OptionRow | Option)[];
  /** Help text after the list of options. */
  readonly help?: string;
  /** Returns undefined if the command has printed everything itself, or runs until it is stopped. */
  readonly run?: (call: CommandLine<O>, ...args: A) => Promise<CommandResult | undefined> | CommandResult;
  /** Subcommands. */
  readonly commands?: readonly Register[];
}

let isDone = false;

/** Whether the command that this process was started for has shown its result, and does not go on. */
export const commandIsDone = (): boolean => isDone;

/** Adds a command to its parent. */
export type Register = (parent: Command) => void;

export const command =
  <O, A extends unknown[]>({
    name,
    alias,
    does,
    options = [],
    help,
    run,
    commands = [],
  }: Spec<O, A>): Register =>
  (parent) => {
    const made = parent.command(name).description(does);
    if (alias) made.alias(alias);
    for (const option of options)
      if (option instanceof Option) made.addOption(option);
      else made.option(...option);
    if (help) made.addHelpText('after', help);
    if (run)
      // Commander passes the arguments, then the options.
      made.action(async (...given: unknown[]) => {
        const globals = globalsOf(made);
        const args = given.slice(0, -2) as A;
        const outcome = await run({ ...globals, options: made.opts() as O, command: made }, ...args);
        show(outcome, globals);
        isDone = outcome !== undefined;
      });
    for (const register of commands) register(made);
  };

/** What a command refuses to do; the message says why, and what to do instead. */
export const refused = (message: string): ApiError => errors.application('command-refused', message);

/** An option that must be given. */
export const required = (flags: string, does: string): Option =>
  new Option(flags, does).makeOptionMandatory();

function show(outcome: CommandResult | undefined, { json }: Globals): void {
  if (outcome === undefined) return;
  const { data, text, notes = [], next, failed = false } = outcome;
  if (failed) process.exitCode = EXIT.failed;
  if (json) printJson(data);
  else {
    for (const line of notes) note(line);
    if (text !== undefined) print(text);
  }
  if (next !== undefined) note(next);
}
