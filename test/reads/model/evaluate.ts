/**
 * The meaning of a query, written from rules A.13, B.2, B.3, B.6 and B.7 alone: three-valued logic over left joins. It
 * does not know about plans or pipelines, and works on plain rows.
 */
import type { Content, Row, TypeName, Version } from './content.js';

export type Filter = Readonly<Record<string, unknown>>;
type Truth = true | false | null;

/** The target of an attribute; absent for a scalar. */
const JOINS: Readonly<
  Record<string, Readonly<Record<string, { to: string; via: 'own' | 'inverse' | 'items'; by?: string }>>>
> = {
  writer: { friend: { to: 'writer', via: 'own' }, books: { to: 'book', via: 'inverse', by: 'writer' } },
  label: { books: { to: 'book', via: 'inverse', by: 'labels' } },
  book: {
    writer: { to: 'writer', via: 'own' },
    labels: { to: 'label', via: 'own' },
    similar: { to: 'book', via: 'own' },
    parts: { to: 'part', via: 'items' },
    info: { to: 'part', via: 'items' },
  },
  part: { label: { to: 'label', via: 'own' }, notes: { to: 'note', via: 'items' } },
  note: { labels: { to: 'label', via: 'own' } },
};

/** A model, one of its rows (or null: a row of nulls), and the version of the enclosing entry. */
interface Here {
  readonly model: string;
  readonly row: Row | null;
  readonly versions: readonly Version[];
}

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === null || value === undefined ? [] : [value];

/** The rows that an attribute leads to. An entry without Draft & Publish is linked to both versions. */
export function joined(
  all: Content,
  { model, row, versions }: Here,
  name: string,
): readonly Here[] | undefined {
  const join = JOINS[model]?.[name];
  if (!join) return undefined;
  if (row === null) return [];
  if (join.via === 'items')
    return listOf(row[name]).map((item) => ({ model: join.to, row: item as Row, versions }));
  const target = all[join.to as TypeName];
  const seen: readonly Version[] = join.to === 'label' ? ['published'] : versions;
  return seen.flatMap((version) => {
    const next: readonly Version[] = join.to === 'label' ? ['draft', 'published'] : [version];
    const rows =
      join.via === 'own'
        ? listOf(row[name]).flatMap((id) => target[version].filter(({ documentId }) => documentId === id))
        : target[version].filter((each) => listOf(each[join.by ?? '']).includes(row['documentId']));
    return rows.map((each) => ({ model: join.to, row: each, versions: next }));
  });
}

const not = (truth: Truth): Truth => (truth === null ? null : !truth);
const and = (a: Truth, b: Truth): Truth =>
  a === false || b === false ? false : a === null || b === null ? null : true;
const or = (a: Truth, b: Truth): Truth => not(and(not(a), not(b)));

const combine = (sets: readonly ReadonlySet<Truth>[], by: typeof and, start: Truth): ReadonlySet<Truth> => {
  let found: readonly Truth[] = [start];
  for (const set of sets) found = [...new Set(found.flatMap((a) => [...set].map((b) => by(a, b))))];
  return new Set(found);
};

/** Whether a row is a result: some combination of joined rows makes the filter true. */
export const matches = (all: Content, filter: Filter, here: Here): boolean =>
  truths(all, filter, here).has(true);

/** Each mention of a relation is a separate join, so the truth values of the parts combine freely. */
function truths(all: Content, filter: Filter, here: Here): ReadonlySet<Truth> {
  return combine(
    Object.entries(filter).map(([key, value]) => truthsOf(all, key, value, here)),
    and,
    true,
  );
}

function truthsOf(all: Content, key: string, value: unknown, here: Here): ReadonlySet<Truth> {
  if (key === '$and' || key === '$or') {
    const sets = (value as Filter[]).map((part) => truths(all, part, here));
    return key === '$and' ? combine(sets, and, true) : combine(sets, or, false);
  }
  if (key === '$not') return new Set([...truths(all, value as Filter, here)].map(not));
  const rows = joined(all, here, key);
  if (rows === undefined) return new Set([tests(key, value as Filter, here.row?.[key] ?? null)]);
  const inner = rows.length > 0 ? rows : [nullRow(here, key)];
  return new Set(inner.flatMap((each) => [...truths(all, value as Filter, each)]));
}

const nullRow = ({ model, versions }: Here, name: string): Here => ({
  model: JOINS[model]?.[name]?.to ?? '',
  row: null,
  versions,
});

/** Several operators on one attribute: all must hold. */
const tests = (name: string, operators: Filter, value: unknown): Truth =>
  Object.entries(operators).reduce<Truth>(
    (found, [operator, operand]) =>
      and(
        found,
        operator === '$not'
          ? not(tests(name, operand as Filter, value))
          : test(name, operator, operand, value),
      ),
    true,
  );

const lower = (value: unknown): string => String(value).toLowerCase();
type Compare = (value: string, operand: string) => boolean;
const TEXT: Readonly<Record<string, Compare>> = {
  $contains: (value, operand) => value.includes(operand),
  $startsWith: (value, operand) => value.startsWith(operand),
  $endsWith: (value, operand) => value.endsWith(operand),
};
const NEGATIONS: Readonly<Record<string, string>> = {
  $ne: '$eq',
  $nei: '$eqi',
  $notIn: '$in',
  $notContains: '$contains',
  $notContainsi: '$containsi',
  $notNull: '$null',
};

function test(name: string, operator: string, operand: unknown, value: unknown): Truth {
  const plain = NEGATIONS[operator];
  if (plain !== undefined) return not(test(name, plain, operand, value));
  if (operator === '$null') return (value === null) === operand;
  if (operator === '$in' && (operand as unknown[]).length === 0) return false;
  if (value === null) return null;
  const [a, b] = [sortable(name, value), Array.isArray(operand) ? null : sortable(name, operand)];
  if (operator === '$eq') return order(a, b) === 0;
  if (operator === '$eqi') return lower(value) === lower(operand);
  if (operator === '$in') return (operand as unknown[]).some((each) => order(a, sortable(name, each)) === 0);
  if (operator === '$lt') return order(a, b) < 0;
  if (operator === '$lte') return order(a, b) <= 0;
  if (operator === '$gt') return order(a, b) > 0;
  if (operator === '$gte') return order(a, b) >= 0;
  if (operator === '$between') {
    const [low, high] = operand as [unknown, unknown];
    return order(a, sortable(name, low)) >= 0 && order(a, sortable(name, high)) <= 0;
  }
  const exact = TEXT[operator];
  if (exact) return exact(String(value), String(operand));
  const loose = TEXT[operator.slice(0, -1)];
  if (loose) return loose(lower(value), lower(operand));
  throw new Error(operator);
}

type Sortable = null | boolean | number | bigint | string;
const sortable = (name: string, value: unknown): Sortable =>
  value === null || value === undefined ? null : name === 'big' ? BigInt(String(value)) : (value as Sortable);

/** Null first, strings by code point. */
export function order(a: Sortable, b: Sortable): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : 1;
}

/** The values that a sort path leads to; a missing row counts as null. */
export function sortValues(all: Content, path: readonly string[], here: Here): readonly Sortable[] {
  const [name = '', ...rest] = path;
  if (rest.length === 0) return [sortable(name, here.row?.[name] ?? null)];
  const rows = joined(all, here, name) ?? [];
  return rows.length === 0 ? [null] : rows.flatMap((each) => sortValues(all, rest, each));
}

export const firstOf = (values: readonly Sortable[], direction: 1 | -1): Sortable =>
  [...values].sort((a, b) => order(a, b) * direction)[0] ?? null;
