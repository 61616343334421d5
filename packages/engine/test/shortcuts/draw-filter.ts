import { BSONRegExp, type Document, Int32 } from 'mongodb';
import type { Random } from '../support/random.js';
import { anyScalar, chance, word } from './draw-data.js';

/** Values that occur at some paths, so that filters match something. */
export type Seen = ReadonlyMap<string, readonly unknown[]>;

const PATHS = ['a', 'b', 'c', 'o.x'];
const ODD_PATHS = ['_id', 'u', 'o', 'none', 'a.0', 'a.x', 'b.y', 'c.x.y', 'o.x.x', 'a.none'];

export const drawPath = (random: Random): string => random.pick(chance(random, 0.85) ? PATHS : ODD_PATHS);

export function seenOf(documents: readonly Document[]): Seen {
  const out = new Map<string, unknown[]>();
  const add = (path: string, value: unknown): void => {
    if (value === undefined) return;
    const values = out.get(path) ?? [];
    out.set(path, values);
    if (values.length < 300) values.push(value);
  };
  for (const document of documents) {
    for (const name of ['_id', 'a', 'b', 'c', 'u', 'o']) add(name, document[name]);
    add('o.x', document['o']?.['x']);
  }
  return out;
}

/** A value at a path, or a member of one that is a list. */
export function drawValue(random: Random, seen: Seen, path: string): unknown {
  const values = seen.get(path) ?? [];
  if (values.length === 0 || chance(random, 0.15)) return anyScalar(random);
  const value = random.pick<{ it: unknown }>(values.map((it) => ({ it }))).it;
  return Array.isArray(value) && value.length > 0 && chance(random, 0.7)
    ? value[random.below(value.length)]
    : value;
}

const scalarOf = (random: Random, seen: Seen, path: string): unknown => {
  const value = drawValue(random, seen, path);
  return value instanceof BSONRegExp || Array.isArray(value) ? word(random) : value;
};

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

export function drawPattern(random: Random, seen: Seen, path: string): Document {
  const value = drawValue(random, seen, path);
  const text = (typeof value === 'string' ? value : word(random)).replaceAll('\0', '').slice(0, 60);
  const characters = [...text];
  const from = chance(random, 0.4) ? 0 : random.below(characters.length + 1);
  const part = characters.slice(from, from + 1 + random.below(6)).join('');
  const $regex = `${from === 0 && chance(random, 0.6) ? '^' : ''}${escaped(part)}${random.pick(['', '', '', '.*', '$', '[a-z]'])}`;
  return { $regex, $options: random.pick(['', '', 'i', 's', 'm', 'im']) };
}

const TYPES = [
  'string',
  'number',
  'int',
  'double',
  'long',
  'decimal',
  'array',
  'object',
  'null',
  'bool',
  'date',
  'objectId',
];

const BITS = ['$bitsAllSet', '$bitsAllClear', '$bitsAnySet', '$bitsAnyClear'];

/** The conditions on one path, each drawn by its name. */
const CONDITIONS: Readonly<Record<string, (random: Random, seen: Seen, path: string) => unknown>> = {
  implicit: (random, seen, path) => drawValue(random, seen, path),
  $eq: (random, seen, path) => ({ $eq: drawValue(random, seen, path) }),
  $ne: (random, seen, path) => ({ $ne: scalarOf(random, seen, path) }),
  $gt: (random, seen, path) => ({ $gt: scalarOf(random, seen, path) }),
  $gte: (random, seen, path) => ({ $gte: scalarOf(random, seen, path) }),
  $lt: (random, seen, path) => ({ $lt: scalarOf(random, seen, path) }),
  $lte: (random, seen, path) => ({ $lte: scalarOf(random, seen, path) }),
  range: (random, seen, path) => ({ $gte: scalarOf(random, seen, path), $lt: scalarOf(random, seen, path) }),
  $in: (random, seen, path) => ({ $in: [0, 1, 2].map(() => drawValue(random, seen, path)) }),
  patternsIn: (random, seen, path) => {
    const { $regex, $options } = drawPattern(random, seen, path);
    return { $in: [new BSONRegExp($regex, $options), scalarOf(random, seen, path)] };
  },
  $nin: (random, seen, path) => ({ $nin: [scalarOf(random, seen, path), scalarOf(random, seen, path)] }),
  $all: (random, seen, path) => ({ $all: [drawValue(random, seen, path)] }),
  $exists: (random) => ({ $exists: chance(random, 0.5) }),
  null: () => null,
  $type: (random) => ({ $type: random.pick(TYPES) }),
  $size: (random) => ({ $size: random.below(4) }),
  $mod: (random) => ({ $mod: [random.below(3) + 2, random.below(2)] }),
  $bits: (random) => ({ [random.pick(BITS)]: random.below(4) }),
  noneOf: () => ({ $in: [] }),
  pattern: drawPattern,
  notPattern: (random, seen, path) => ({ $not: drawPattern(random, seen, path) }),
  not: (random, seen, path) => ({ $not: { $gt: scalarOf(random, seen, path) } }),
  $elemMatch: (random, seen, path) => ({ $elemMatch: { $gte: scalarOf(random, seen, path) } }),
  elements: (random, seen, path) => ({ $elemMatch: { x: scalarOf(random, seen, path) } }),
  patternOfElements: (random, seen, path) => ({ $elemMatch: drawPattern(random, seen, path) }),
};
const NAMES = [...Object.keys(CONDITIONS), 'pattern', 'pattern', 'pattern', 'implicit', '$in', 'range'];

/** Filters that look at no field. */
export const OF_NOTHING: readonly Document[] = [
  { $comment: 'x' },
  { $and: [{}] },
  { $or: [{}] },
  { $alwaysTrue: 1 },
  { $alwaysFalse: 1 },
  { $nor: [{ $alwaysFalse: 1 }] },
  { $sampleRate: 1 },
  { $expr: true },
];

function drawClause(random: Random, seen: Seen): Document {
  const path = drawPath(random);
  if (chance(random, 0.02))
    return { $jsonSchema: { properties: { [path.split('.')[0] ?? '']: { bsonType: random.pick(TYPES) } } } };
  if (chance(random, 0.04))
    return { $expr: { $eq: [`$${path}`, { $literal: scalarOf(random, seen, path) }] } };
  return { [path]: CONDITIONS[random.pick(NAMES)]?.(random, seen, path) };
}

/** Any filter; the paths of several clauses may be the same. */
export function drawFilter(random: Random, seen: Seen): Document {
  const kind = random.below(20);
  if (kind === 0) return {};
  if (kind <= 2) return random.pick(OF_NOTHING);
  if (kind < 12) return drawClause(random, seen);
  const clauses = Array.from({ length: 1 + random.below(3) }, () => drawClause(random, seen));
  if (kind < 14) return Object.assign({}, ...clauses);
  if (kind < 17) return { [random.pick(['$and', '$nor'])]: clauses };
  if (kind < 19) return { $or: clauses, ...(chance(random, 0.3) ? drawClause(random, seen) : {}) };
  return { $and: [drawClause(random, seen), { $or: clauses }, random.pick(OF_NOTHING)] };
}

export const drawInt = (random: Random, end: number): Int32 => new Int32(random.below(end));
