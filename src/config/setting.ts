import { isPlainObject } from '../values/plain-object.js';
import { type Reader, UNREADABLE } from './readers.js';

interface Row<T> {
  readonly file: string | null;
  /** Dotted, within the file or the options of its middleware; empty: the whole of it. */
  readonly path: string;
  readonly reader: Reader<T>;
  readonly standard: T;
  readonly about: string;
  readonly variable?: string;
  readonly notCalled?: T;
  mask?(value: T): unknown;
}

/** One setting: where it is read from, how, what it is where nobody says otherwise, and what it is for. */
export class Setting<T> {
  readonly #row: Row<T>;

  constructor(row: Row<T>) {
    this.#row = row;
  }

  /** The file of `config/`, or the middleware in `config/middlewares`; null: no file sets it. */
  get file(): string | null {
    return this.#row.file;
  }

  get path(): string {
    return this.#row.path;
  }

  get reader(): Reader<T> {
    return this.#row.reader;
  }

  /** The default. */
  get standard(): T {
    return this.#row.standard;
  }

  /** A line of docs/configuration.md. */
  get about(): string {
    return this.#row.about;
  }

  /** The environment variable that wins over the file. */
  get variable(): string | undefined {
    return this.#row.variable;
  }

  /** What stands where a project computes it by a function, which is not called; the default if absent. */
  get notCalled(): T | undefined {
    return this.#row.notCalled;
  }

  from(variable: string): Setting<T> {
    return new Setting({ ...this.#row, variable });
  }

  uncalled(notCalled: T): Setting<T> {
    return new Setting({ ...this.#row, notCalled });
  }

  /** Not shown as it is by `config dump`. */
  masked(mask: (value: T) => unknown): Setting<T> {
    return new Setting({ ...this.#row, mask });
  }

  fits(value: unknown): value is T {
    return this.#row.reader.read(value) !== UNREADABLE;
  }

  /** For `config dump`. */
  shown(value: unknown): unknown {
    return this.#row.mask && this.fits(value) ? this.#row.mask(value) : value;
  }
}

/** A group that can be switched off as a whole: null then. */
export class Switchable<G extends Group> {
  readonly group: G;
  constructor(group: G) {
    this.group = group;
  }
}

export interface Group {
  readonly [name: string]: Setting<unknown> | Switchable<Group> | Group;
}
type Node = Group[string];

/** The rows of one file of `config/`, or of one middleware. `standard`: the default. */
export const settingsOf =
  (file: string | null) =>
  <T>(path: string, reader: Reader<T>, standard: NoInfer<T>, about: string): Setting<T> =>
    new Setting({ file, path, reader, standard, about });

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
  if (node instanceof Setting) return node.fits(value) ? [] : [`${to}: ${node.reader.expected}`];
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
