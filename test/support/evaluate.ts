/**
 * What `filters` mean, written directly from rules B and nothing else: SQL's three-valued logic over left joins. Each
 * relation or component object is a separate join, so the outcomes of its rows are collected, and independent joins are
 * combined in all ways; an entry matches if some combination is true.
 */
export type Scalar = string | number | boolean | null;
export type Row = { readonly [name: string]: Scalar | Row | readonly Row[] };
export type Filters = { readonly [key: string]: unknown };

/** SQL's `unknown` is null. */
type Truth = boolean | null;
type Outcomes = ReadonlySet<Truth>;

export const matches = (filters: Filters, row: Row): boolean => outcomesOf(filters, row).has(true);

/** `nested` names the attributes that are joins. A missing row is a row of nulls. */
function outcomesOf(filters: Filters, row: Row): Outcomes {
  return combine(
    Object.entries(filters).map(([key, value]) => outcomesOfKey(key, value, row)),
    and,
  );
}

function outcomesOfKey(key: string, value: unknown, row: Row): Outcomes {
  if (key === '$and')
    return combine(
      listOf(value).map((one) => outcomesOf(one, row)),
      and,
    );
  if (key === '$or')
    return combine(
      listOf(value).map((one) => outcomesOf(one, row)),
      or,
    );
  if (key === '$not') return negate(outcomesOf(value as Filters, row));
  const stored = row[key] ?? null;
  if (isJoin(key)) {
    const rows = (Array.isArray(stored) ? stored : stored === null ? [] : [stored]) as readonly Row[];
    const joined = rows.length > 0 ? rows : [{}];
    return new Set(joined.flatMap((one) => [...outcomesOf(value as Filters, one)]));
  }
  return new Set([compareAll(value as Filters, stored as Scalar)]);
}

/** The joins of the corpus' restaurants that the properties use. */
const joins = new Set(['owner', 'bestFriend', 'categories', 'parent', 'location', 'menu', 'ingredients']);
const isJoin = (key: string): boolean => joins.has(key);

const listOf = (value: unknown): readonly Filters[] => value as readonly Filters[];

/** All ways to choose one outcome from each. */
function combine(all: readonly Outcomes[], join: (a: Truth, b: Truth) => Truth): Outcomes {
  let joined: Outcomes = new Set([join === and]);
  for (const outcomes of all)
    joined = new Set([...joined].flatMap((a) => [...outcomes].map((b) => join(a, b))));
  return joined;
}

function and(a: Truth, b: Truth): Truth {
  if (a === false || b === false) return false;
  return a === null || b === null ? null : true;
}
const or = (a: Truth, b: Truth): Truth => not(and(not(a), not(b)));
const not = (a: Truth): Truth => (a === null ? null : !a);
const negate = (outcomes: Outcomes): Outcomes => new Set([...outcomes].map(not));

/** The operators of one attribute. */
const compareAll = (operators: Filters, stored: Scalar): Truth =>
  Object.entries(operators)
    .map(([operator, value]) => compare(operator, value, stored))
    .reduce<Truth>(and, true);

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);
const anyOf = (value: unknown, test: (one: unknown) => Truth): Truth =>
  asList(value).map(test).reduce<Truth>(or, false);

function compare(operator: string, value: unknown, stored: Scalar): Truth {
  const known =
    (test: (one: string | number) => boolean) =>
    (one: unknown): Truth =>
      stored === null || one === null ? null : test(one as string | number);
  const text = String(stored);
  const eq = (one: unknown): Truth => (one === null ? stored === null : known((v) => v === stored)(one));
  switch (operator) {
    case '$eq':
      return anyOf(value, eq);
    case '$ne':
      return anyOf(value, (one) => not(eq(one)));
    case '$in':
      return anyOf(
        value,
        known((one) => one === stored),
      );
    case '$notIn':
      return not(
        anyOf(
          value,
          known((one) => one === stored),
        ),
      );
    case '$lt':
      return anyOf(
        value,
        known((one) => stored !== null && stored < one),
      );
    case '$gte':
      return anyOf(
        value,
        known((one) => stored !== null && stored >= one),
      );
    case '$contains':
      return anyOf(
        value,
        known((one) => text.includes(String(one))),
      );
    case '$notContainsi':
      return anyOf(
        value,
        known((one) => !text.toLowerCase().includes(String(one).toLowerCase())),
      );
    case '$null':
      return value ? stored === null : stored !== null;
    case '$not':
      return not(
        typeof value === 'object' && value !== null && !Array.isArray(value)
          ? compareAll(value as Filters, stored)
          : anyOf(value, eq),
      );
    default:
      throw new TypeError(operator);
  }
}
