import { isPlainObject } from '../values/plain-object.js';
import { type SettingReader, UNREADABLE } from './readers.js';

/** `inFile` sets `file` and `path` while the table is built. */
interface Row<T> {
  readonly reader: SettingReader<T>;
  /** The default. */
  readonly standard: T;
  /** A line of docs/configuration.md. */
  readonly about: string;
  /** The file of `config/`, or the middleware in `config/middlewares`; null if no file sets it. */
  file: string | null;
  /** Dotted path within the file or the middleware's options; empty for all of it. */
  path: string;
  /** The environment variable that takes precedence over the file. */
  readonly variable?: string;
  mask?(value: T): unknown;
}

/** One setting: where and how it is read, its default, its purpose. */
export class Setting<T> {
  constructor(readonly row: Row<T>) {}

  from(variable: string): Setting<T> {
    return new Setting({ ...this.row, variable });
  }

  /** Masks the value in `config dump`. */
  masked(mask: (value: T) => unknown): Setting<T> {
    return new Setting({ ...this.row, mask });
  }

  fits(value: unknown): value is T {
    return this.row.reader.read(value) !== UNREADABLE;
  }

  /** The value as shown by `config dump`. */
  printed(value: unknown): unknown {
    return this.row.mask && this.fits(value) ? this.row.mask(value) : value;
  }
}

/** A group that can be disabled as a whole, and is null then. */
export class Switchable<G extends Group> {
  constructor(readonly group: G) {}
}

export interface Group {
  readonly [name: string]: Setting<unknown> | Switchable<Group> | Group;
}
type Node = Group[string];

/** The path of a setting that no file sets because it follows from something else being present. */
const NOWHERE = '.';

/**
 * A setting without its description; `inFile` places it.
 * @param standard the default
 * @param path its path in the file, if that is not its name
 */
export const setting = <T>(reader: SettingReader<T>, standard: NoInfer<T>, path = NOWHERE) => ({
  about: (about: string): Setting<T> => new Setting({ reader, standard, about, file: null, path }),
});

/** Places the settings of a group in a file, under `path` and their names. */
export function inFile<G extends Group>(file: string, path: string, group: G): G {
  for (const { to, setting } of rowsOf(group, path)) {
    setting.row.file = file;
    if (setting.row.path === NOWHERE) setting.row.path = to;
  }
  return group;
}

/** The values of a tree of settings, in the same shape. */
export type ValuesOf<N> =
  N extends Setting<infer T>
    ? T
    : N extends Switchable<infer G>
      ? ValuesOf<G> | null
      : { readonly [K in keyof N]: ValuesOf<N[K]> };

/** A setting and its path in `Config`. */
export interface PlacedSetting {
  readonly to: string;
  readonly setting: Setting<unknown>;
}

export const rowsOf = (node: Node, to = ''): readonly PlacedSetting[] => {
  if (node instanceof Setting) return [{ to, setting: node }];
  if (node instanceof Switchable) return rowsOf(node.group, to);
  return Object.entries(node).flatMap(([name, inner]) => rowsOf(inner, to === '' ? name : `${to}.${name}`));
};

/** The settings whose values are not accepted, with what is: `server.port: an integer from 0 to 65535`. */
export const invalidSettings = (node: Node, value: unknown, to = ''): readonly string[] => {
  if (node instanceof Setting) return node.fits(value) ? [] : [`${to}: ${node.row.reader.expected}`];
  if (node instanceof Switchable) return value === null ? [] : invalidSettings(node.group, value, to);
  if (!isPlainObject(value)) return [`${to}: an object`];
  return Object.entries(node).flatMap(([name, inner]) =>
    invalidSettings(inner, value[name], to === '' ? name : `${to}.${name}`),
  );
};

/** Whether the value of every setting is accepted. */
export const isAccepted = <N extends Node>(node: N, value: unknown): value is ValuesOf<N> =>
  invalidSettings(node, value).length === 0;

const printedValue = (node: Node, value: unknown): unknown => {
  if (node instanceof Setting) return node.printed(value);
  return isPlainObject(value) ? printedValues(node instanceof Switchable ? node.group : node, value) : value;
};

/** The values as shown by `config dump`. */
export const printedValues = (group: Group, values: object): Readonly<Record<string, unknown>> => {
  const members = new Map(Object.entries(values));
  return Object.fromEntries(
    Object.entries(group).map(([name, node]) => [name, printedValue(node, members.get(name))]),
  );
};
