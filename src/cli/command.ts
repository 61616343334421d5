import { type Command, Option } from 'commander';
import { EXIT, note, print, printJson } from '../terminal/output.js';
import { type Globals, globalsOf } from './globals.js';

/** What came of a command: `data` with `--json`, everything else without it. */
export interface Outcome {
  /** For another program. */
  readonly data?: unknown;
  /** For a person: what was asked for, on stdout. */
  readonly text?: string | undefined;
  /** For a person, on stderr: what was done and is worth knowing. */
  readonly notes?: readonly string[];
  /** On stderr behind all else, with `--json` too: what to do next. */
  readonly next?: string;
  /** What was checked is wrong: exit code 1. */
  readonly failed?: boolean;
}

/** How a command was called: the options of every command, and its own. */
export interface Call<O = object> extends Globals {
  readonly options: O;
  readonly command: Command;
}

/** Flags, what they do, and the value where they are not given. */
type OptionRow = readonly [flags: string, does: string, standard?: string];

/** A command as data. `O` are its options, `A` its arguments. */
interface Spec<O, A extends unknown[]> {
  /** With its arguments: `create <name>`. */
  readonly name: string;
  readonly alias?: string;
  readonly does: string;
  readonly options?: readonly (OptionRow | Option)[];
  /** What its help says behind the options. */
  readonly help?: string;
  /** Nothing comes of a command that has said everything itself, or runs until it is stopped. */
  readonly run?: (call: Call<O>, ...args: A) => Promise<Outcome | undefined> | Outcome;
  /** The commands below its name. */
  readonly commands?: readonly Register[];
}

/** Puts a command below another one. */
type Register = (parent: Command) => void;

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
      // Commander hands over the arguments, then the options.
      made.action(async (...given: unknown[]) => {
        const globals = globalsOf(made);
        const args = given.slice(0, -2) as A;
        show(await run({ ...globals, options: made.opts() as O, command: made }, ...args), globals);
      });
    for (const register of commands) register(made);
  };

/** An option that must be given. */
export const required = (flags: string, does: string): Option =>
  new Option(flags, does).makeOptionMandatory();

function show(outcome: Outcome | undefined, { json }: Globals): void {
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
