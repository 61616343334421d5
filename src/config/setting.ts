import { isPlainObject } from '../values/plain-object.js';
import { type Reader, UNREADABLE } from './readers.js';

/** `inFile` says where it is read from, while the table is made. */
interface Row<T> {
  readonly reader: Reader<T>;
  /** The default. */
  readonly standard: T;
  /** A line of docs/configuration.md. */
  readonly about: string;
  /** The file of `config/`, or the middleware in `config/middlewares`; null: no file sets it. */
  file: string | null;
  /** Dotted, within the file or the options of its middleware; empty: the whole of it. */
  path: string;
  /** The environment variable that wins over the file. */
  readonly variable?: string;
  /** What stands where a project computes it by a function, which is not called; the default if absent. */
  readonly notCalled?: T;
  mask?(value: T): unknown;
}

/** One setting: where it is read from, how, what it is where nobody says otherwise, and what it is for. */
export class Setting<T> {
  constructor(readonly row: Row<T>) {}

  from(variable: string): Setting<T> {
    return new Setting({ ...this.row, variable });
  }

  uncalled(notCalled: T): Setting<T> {
    return new Setting({ ...this.row, notCalled });
  }

  /** Not shown as it is by `config dump`. */
  masked(mask: (value: T) => unknown): Setting<T> {
    return new Setting({ ...this.row, mask });
  }

  fits(value: unknown): value is T {
    return this.row.reader.read(value) !== UNREADABLE;
  }

  /** For `config dump`. */
  shown(value: unknown): unknown {
    return this.row.mask && this.fits(value) ? this.row.mask(value) : value;
  }
}

/** A group that can be switched off as a whole: null then. */
export class Switchable<G extends Group> {
  constructor(readonly group: G) {}
}

export interface Group {
  readonly [name: string]: Setting<unknown> | Switchable<Group> | Group;
}
type Node = Group[string];

/** Where a setting stands that nobody has placed: what follows from the presence of something else stays there. */
const NOWHERE = '.';

/**
 * A setting, but for what it is for; `inFile` places it.
 * @param standard the default
 * @param path where it stands in its file, other than by its name
 */
export const setting = <T>(reader: Reader<T>, standard: NoInfer<T>, path = NOWHERE) => ({
  about: (about: string): Setting<T> => new Setting({ reader, standard, about, file: null, path }),
});

/** Says that the settings of a group are read from this file, below this path by their names. */
export function inFile<G extends Group>(file: string, path: string, group: G): G {
  for (const { to, setting } of rowsOf(group, path)) {
    setting.row.file = file;
    if (setting.row.path === NOWHERE) setting.row.path = to;
  }
  return group;
}

/** What the settings of a tree hold: the tree with a value in the place of each row. */
export type ValuesOf<N> =
  N extends Setting<infer T>
    ? T
    : N extends Switchable<infer G>
      ? ValuesOf<G> | null
      : { readonly [K in keyof N]: ValuesOf<N[K]> };

/** A row, and where its value stands in `Config`. */
export interface PlacedSetting {
  readonly to: string;
  readonly setting: Setting<unknown>;
}

export const rowsOf = (node: Node, to = ''): readonly PlacedSetting[] => {
  if (node instanceof Setting) return [{ to, setting: node }];
  if (node instanceof Switchable) return rowsOf(node.group, to);
  return Object.entries(node).flatMap(([name, inner]) => rowsOf(inner, to === '' ? name : `${to}.${name}`));
};

/** The rows whose values are none that they take, with what they take: `server.port: an integer from 0 to 65535`. */
export const misfits = (node: Node, value: unknown, to = ''): readonly string[] => {
  if (node instanceof Setting) return node.fits(value) ? [] : [`${to}: ${node.row.reader.expected}`];
  if (node instanceof Switchable) return value === null ? [] : misfits(node.group, value, to);
  if (!isPlainObject(value)) return [`${to}: an object`];
  return Object.entries(node).flatMap(([name, inner]) =>
    misfits(inner, value[name], to === '' ? name : `${to}.${name}`),
  );
};

/** Whether each row has a value that it takes. */
export const fits = <N extends Node>(node: N, value: unknown): value is ValuesOf<N> =>
  misfits(node, value).length === 0;

const shownValue = (node: Node, value: unknown): unknown => {
  if (node instanceof Setting) return node.shown(value);
  return isPlainObject(value) ? shownValues(node instanceof Switchable ? node.group : node, value) : value;
};

/** The values as `config dump` shows them. */
export const shownValues = (group: Group, values: object): Readonly<Record<string, unknown>> => {
  const members = new Map(Object.entries(values));
  return Object.fromEntries(
    Object.entries(group).map(([name, node]) => [name, shownValue(node, members.get(name))]),
  );
};
