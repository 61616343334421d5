import { reasonOf } from '../values/reason-of.js';
import { ConfigError } from './error.js';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * What config files receive: `({ env }) => ({ port: env.int('PORT', 1337) })`. An unset variable gives the
 * fallback.
 */
export interface Env {
  (key: string): string | undefined;
  <T>(key: string, fallback: T): string | T;
  int(key: string, fallback?: number): number | undefined;
  float(key: string, fallback?: number): number | undefined;
  /** Only the text `true` is true. */
  bool(key: string, fallback?: boolean): boolean | undefined;
  /** @throws ConfigError if the text is not JSON */
  json(key: string, fallback?: unknown): unknown;
  /** A comma-separated list, with or without brackets and quotes. */
  array(key: string, fallback?: readonly string[]): readonly string[] | undefined;
  date(key: string, fallback?: Date): Date | undefined;
  /** The value if it is one of `values`, otherwise the fallback. */
  oneOf(key: string, values: readonly string[], fallback?: string): string | undefined;
}

/** The `env` for these variables. */
export function createEnv(variables: Variables): Env {
  const read =
    <T>(convert: (text: string, key: string) => T) =>
    (key: string, fallback?: T): T | undefined => {
      const text = variables[key];
      return text === undefined ? fallback : convert(text, key);
    };
  const env = <T>(key: string, fallback?: T): string | T | undefined => variables[key] ?? fallback;
  return Object.assign(env, {
    int: read((text) => Number.parseInt(text, 10)),
    float: read((text) => Number.parseFloat(text)),
    bool: read((text) => text === 'true'),
    json: read(parseJson),
    array: read<readonly string[]>(parseList),
    date: read((text) => new Date(text)),
    oneOf: (key: string, values: readonly string[], fallback?: string) => {
      const text = variables[key];
      return text !== undefined && values.includes(text) ? text : fallback;
    },
  });
}

function parseJson(text: string, key: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = reasonOf(error);
    throw new ConfigError([`Invalid json environment variable ${key}: ${reason}`]);
  }
}

const parseList = (text: string): readonly string[] =>
  text
    .replace(/^\[(.*)\]$/s, '$1')
    .split(',')
    .map((item) => item.trim().replace(/^(["'])(.*)\1$/s, '$2'));
