import type { Doc } from '../pipeline/types.js';

/** Shows a row, which is an entry or an item of its components; `entry` holds the side fields. */
export type Projector = (row: Doc, entry: Doc) => Doc;

/** One member of an answer and where its value comes from. */
export type Member =
  /** A stored value, null where it is missing; converted where there is a way to. */
  | {
      readonly name: string;
      readonly stored: string;
      readonly convert: ((value: unknown) => unknown) | undefined;
    }
  /** Component items, shown one by one. */
  | {
      readonly name: string;
      readonly stored: string;
      readonly place: (value: unknown, entry: Doc) => unknown;
    }
  /** What the row and its side fields give together. */
  | { readonly name: string; readonly of: Projector | ((row: Doc, entry: Doc) => unknown) };

/** A plan that has shown so many rows will show more: from then on, its projectors are generated. */
const ROWS_BEFORE = 200;

/**
 * Builds `{ name: value, … }` of a row. The first rows are shown member by member, which is quick to set up; a plan that is
 * used again gets a generated function.
 */
export function projector(members: readonly Member[]): Projector {
  let rows = 0;
  let show: Projector = (row, entry) => {
    if (++rows > ROWS_BEFORE) show = generate(members);
    return oneByOne(members, row, entry);
  };
  return (row, entry) => show(row, entry);
}

function oneByOne(members: readonly Member[], row: Doc, entry: Doc): Doc {
  const shown: Record<string, unknown> = {};
  for (const member of members) shown[member.name] = memberValue(member, row, entry);
  return shown;
}

function memberValue(member: Member, row: Doc, entry: Doc): unknown {
  if ('of' in member) return member.of(row, entry);
  const value = row[member.stored] ?? null;
  if ('place' in member) return member.place(value, entry);
  return value === null || member.convert === undefined ? value : member.convert(value);
}

/**
 * The same as one object literal: objects of one shape, made without loops over names, take microseconds where a traversal takes
 * milliseconds. Names come from the schema and are quoted; values are never part of the text.
 */
export function generate(members: readonly Member[]): Projector {
  const functions: unknown[] = [];
  const use = (called: unknown): string => `f[${functions.push(called) - 1}]`;
  const body = members.map((member) => `${quote(member.name)}: ${valueText(member, use)}`).join(',\n');
  const build = new Function('f', `return (row, entry) => ({\n${body}\n});`) as (
    f: readonly unknown[],
  ) => Projector;
  return build(functions);
}

function valueText(member: Member, use: (called: unknown) => string): string {
  if ('of' in member) return `${use(member.of)}(row, entry)`;
  const value = `row[${quote(member.stored)}]`;
  if ('place' in member) return `${use(member.place)}(${value}, entry)`;
  if (member.convert === undefined) return `${value} ?? null`;
  return `${value} == null ? null : ${use(member.convert)}(${value})`;
}

const quote = (name: string): string => JSON.stringify(name);
