/** Random filters and sorts over the library, mostly with existing values. */
import fc from 'fast-check';
import { values } from './content.js';
import type { Filter } from './evaluate.js';

type Name = keyof typeof values;

const several = <T>(value: fc.Arbitrary<T>) => fc.array(value, { minLength: 1, maxLength: 3 });
const comparing = (value: fc.Arbitrary<unknown>): fc.Arbitrary<Filter> =>
  fc.oneof(
    fc
      .tuple(fc.constantFrom('$eq', '$ne', '$lt', '$lte', '$gt', '$gte'), value)
      .map(([operator, v]) => ({ [operator]: v })),
    fc.tuple(fc.constantFrom('$in', '$notIn'), several(value)).map(([operator, v]) => ({ [operator]: v })),
    fc.tuple(value, value).map((pair) => ({ $between: pair })),
    fc.tuple(fc.constantFrom('$null', '$notNull'), fc.boolean()).map(([operator, v]) => ({ [operator]: v })),
  );
const TEXTS = [
  '$eqi',
  '$nei',
  '$contains',
  '$notContains',
  '$containsi',
  '$notContainsi',
  '$startsWith',
  '$startsWithi',
  '$endsWith',
  '$endsWithi',
];
const texts: fc.Arbitrary<Filter> = fc
  .tuple(fc.constantFrom(...TEXTS), values.name)
  .map(([operator, v]) => ({ [operator]: v }));
const negated = (inner: fc.Arbitrary<Filter>): fc.Arbitrary<Filter> =>
  fc.oneof(
    { weight: 4, arbitrary: inner },
    { weight: 1, arbitrary: inner.map((filter) => ({ $not: filter })) },
  );

const onScalar = (name: Name): fc.Arbitrary<Filter> => {
  const operators = name === 'name' ? fc.oneof(comparing(values.name), texts) : comparing(values[name]);
  return negated(operators).map((filter) => ({ [name]: filter }));
};
const ALL: readonly Name[] = ['name', 'stars', 'price', 'big', 'day', 'at', 'open'];
const PART: readonly Name[] = ['name', 'stars'];

const LINKS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  writer: { friend: 'writer', books: 'book' },
  label: { books: 'book' },
  book: { writer: 'writer', labels: 'label', similar: 'book', parts: 'part', info: 'part' },
  part: { label: 'label', notes: 'note' },
  note: { labels: 'label' },
};
const namesOf = (model: string): readonly Name[] =>
  model === 'note' ? ['name'] : model === 'part' ? PART : ALL;

/** `depth`: how many more relations and groups may follow. Behind a relation, groups are alone and not negated. */
export function filterOf(model: string, depth: number, behind = false): fc.Arbitrary<Filter> {
  const scalar = fc.constantFrom(...namesOf(model)).chain(onScalar);
  if (depth === 0) return scalar;
  const link = fc
    .constantFrom(...Object.entries(LINKS[model] ?? {}))
    .chain(([name, target]) =>
      filterOf(target, depth - 1, true).map((filter): Filter => ({ [name]: filter })),
    );
  const same = filterOf(model, depth - 1, behind);
  const group = fc
    .tuple(fc.constantFrom('$and', '$or'), fc.array(same, { minLength: 1, maxLength: 3 }))
    .map(([name, of]): Filter => ({ [name]: of }));
  const both = fc.tuple(link, scalar).map(([a, b]): Filter => ({ ...a, ...b }));
  const not = same.map((filter): Filter => ({ $not: filter }));
  return fc.oneof(
    { weight: 3, arbitrary: scalar },
    { weight: 4, arbitrary: link },
    { weight: 1, arbitrary: both },
    { weight: 1, arbitrary: group },
    ...(behind ? [] : [{ weight: 2, arbitrary: not }]),
  );
}

export interface Sort {
  readonly path: readonly string[];
  readonly direction: 1 | -1;
}

const pathOf = (model: string, depth: number): fc.Arbitrary<readonly string[]> => {
  const scalar = fc.constantFrom(...namesOf(model)).map((name) => [name]);
  if (depth === 0) return scalar;
  const link = fc
    .constantFrom(...Object.entries(LINKS[model] ?? {}))
    .chain(([name, target]) => pathOf(target, depth - 1).map((path) => [name, ...path]));
  return fc.oneof(scalar, link);
};

export const sortOf = (model: string): fc.Arbitrary<readonly Sort[]> =>
  fc.array(fc.record({ path: pathOf(model, 2), direction: fc.constantFrom(1 as const, -1 as const) }), {
    maxLength: 2,
  });
