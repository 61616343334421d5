import { Writable } from 'node:stream';
import { ConfigError } from '../config/error.js';
import type { Config } from '../config/types.js';
import { type AppEvent, messageOf, rowOf } from '../events/events.js';
import { SchemaError } from '../schema/error.js';
import { explainFailure } from './explain-failure.js';

/** Exit codes of every command. */
export const EXIT = {
  /** It was done, or what was checked is right. */
  ok: 0,
  /** It could not be done, or what was checked is wrong; why is on stderr. */
  failed: 1,
  /** The command line itself is wrong. */
  usage: 2,
} as const;

/** Data, for a person or another program. */
export const print = (text: string): void => {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
};

/** Standard output for one protocol alone: what anybody else writes there goes to standard error from now on. */
export function takeStdout(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  return new Writable({
    write(chunk: Buffer, _, done) {
      write(chunk, done);
    },
  });
}

export const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2));

/** Progress and warnings: never among the data. */
export const note = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

/** What a person wants to read of a server. In production stdout is for the log's JSON lines alone, so it goes to stderr there. */
export const printGreeting = (text: string, { environment }: Config): void =>
  environment === 'production' ? note(text) : print(text);

/** A warning, or other news, as a person reads it. */
export const eventText = (event: AppEvent): string =>
  rowOf(event).level === 'warn' ? `warning: ${messageOf(event)}` : messageOf(event);

/** The same config, once what is odd in it has been told. */
export function noteWarnings(config: Config): Config {
  for (const warning of config.warnings) note(eventText(warning));
  return config;
}

/** The same for another program, as a line of the log has it. */
export const eventData = (event: AppEvent): object => {
  const { name, ...fields } = event;
  return { event: name, ...fields, msg: messageOf(event) };
};

/** Rows as aligned columns under a heading; an empty list is the heading alone. */
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

/** What went wrong as a person reads it: no stack, unless MANGROVE_DEBUG is set. */
export function explainError(error: unknown): string {
  const stack = error instanceof Error && process.env['MANGROVE_DEBUG'] ? error.stack : undefined;
  return stack ?? explainFailure(error);
}

/** The same for another program: the problems one by one where there are several. */
export const errorData = (error: unknown): { readonly ok: false; readonly problems: readonly unknown[] } => ({
  ok: false,
  problems:
    error instanceof SchemaError || error instanceof ConfigError ? error.problems : [explainError(error)],
});
