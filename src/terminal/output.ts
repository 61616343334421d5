import { Writable } from 'node:stream';
import { ConfigError } from '../config/error.js';
import type { Config } from '../config/types.js';
import { type AppEvent, messageOf, rowOf } from '../events/events.js';
import { SchemaError } from '../schema/error.js';
import { codeOf } from '../values/code-of.js';
import { explainFailure } from './explain-failure.js';

/** Exit codes of every command. */
export const EXIT = {
  /** Done, or the check found no problems. */
  ok: 0,
  /** Failed, or the check found problems; details are on stderr. */
  failed: 1,
  /** The command line is incorrect. */
  usage: 2,
} as const;

/** Control characters other than tabs and line feeds: a terminal would execute them. */
const CONTROL = /[^\P{Cc}\t\n]/gu;

/**
 * Text in which control characters are escaped, since names and values of others are part of it. JSON keeps
 * its meaning.
 */
const inert = (text: string): string =>
  text.replace(CONTROL, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Prints data, for a person or another program. */
export const print = (text: string): void => {
  const shown = inert(text);
  process.stdout.write(shown.endsWith('\n') ? shown : `${shown}\n`);
};

/**
 * Reserves standard output for one protocol: whatever else is written there goes to standard error from now
 * on.
 */
export function takeStdout(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  return new Writable({
    write(chunk: Buffer, _, done) {
      // Whether anybody reads it, `onStdoutClosed` tells.
      write(chunk, () => done());
    },
  });
}

/**
 * Whoever reads the output may stop early, as `head` does: the command goes on, and what it still prints is dropped.
 */
export function tolerateClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error) => {
      if (codeOf(error) !== 'EPIPE') throw error;
    });
}

/** Calls `end` when nobody reads standard output any more. */
export const onStdoutClosed = (end: () => void): void => {
  process.stdout.once('error', end);
};

export const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2));

/** Prints progress and warnings, separate from data. */
export const note = (text: string): void => {
  process.stderr.write(`${inert(text)}\n`);
};

/**
 * Prints information about a started server. In production stdout is reserved for the log's JSON lines, so it
 * goes to stderr.
 */
export const printGreeting = (text: string, { environment }: Config): void =>
  environment === 'production' ? note(text) : print(text);

/** A warning or other event as text for a person. */
export const eventText = (event: AppEvent): string =>
  rowOf(event).level === 'warn' ? `warning: ${messageOf(event)}` : messageOf(event);

/** Prints the warnings of a configuration and returns it. */
export function noteWarnings(config: Config): Config {
  for (const warning of config.warnings) note(eventText(warning));
  return config;
}

/** The same as data for another program, like a line of the log. */
export const eventData = (event: AppEvent): object => {
  const { name, ...fields } = event;
  return { event: name, ...fields, msg: messageOf(event) };
};

/** Rows as aligned columns under a heading; an empty list gives only the heading. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [heading, ...rows];
  const widths = heading.map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** An error as text for a person, without its stack unless MANGROVE_DEBUG is set. */
export function explainError(error: unknown): string {
  const stack = error instanceof Error && process.env['MANGROVE_DEBUG'] ? error.stack : undefined;
  return stack ?? explainFailure(error);
}

/** The same as data for another program, with each problem if there are several. */
export const errorData = (error: unknown): { readonly ok: false; readonly problems: readonly unknown[] } => ({
  ok: false,
  problems:
    error instanceof SchemaError || error instanceof ConfigError ? error.problems : [explainError(error)],
});
