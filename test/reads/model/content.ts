/** Random content of a small library, as plain values, and as stored entries. */
import { Decimal128, Long } from 'bson';
import fc from 'fast-check';
import { collectionName } from '../../../src/schema/stored/collections.js';
import type { Schema, Status } from '../../../src/schema/types.js';
import { componentFile, schemaOf, typeFile } from '../../support/schemas.js';

const scalars = {
  name: { type: 'string' },
  stars: { type: 'integer' },
  price: { type: 'decimal' },
  big: { type: 'biginteger' },
  day: { type: 'date' },
  at: { type: 'datetime' },
  open: { type: 'boolean' },
};
const relation = (kind: string, target: string, more: object = {}) => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
  ...more,
});

/** Every kind of relation, in entries and in components; types with and without Draft & Publish. */
export const librarySchema = (): Schema =>
  schemaOf(
    componentFile('book.part', {
      name: { type: 'string' },
      stars: { type: 'integer' },
      label: relation('oneToOne', 'label'),
      notes: { type: 'component', component: 'book.note', repeatable: true },
    }),
    componentFile('book.note', { name: { type: 'string' }, labels: relation('oneToMany', 'label') }),
    typeFile(
      'writer',
      {
        ...scalars,
        friend: relation('oneToOne', 'writer'),
        books: relation('oneToMany', 'book', { mappedBy: 'writer' }),
      },
      { draftAndPublish: true },
    ),
    typeFile('label', {
      ...scalars,
      books: relation('manyToMany', 'book', { mappedBy: 'labels' }),
    }),
    typeFile(
      'book',
      {
        ...scalars,
        writer: relation('manyToOne', 'writer', { inversedBy: 'books' }),
        labels: relation('manyToMany', 'label', { inversedBy: 'books' }),
        similar: relation('oneToMany', 'book'),
        parts: { type: 'component', component: 'book.part', repeatable: true },
        info: { type: 'component', component: 'book.part' },
      },
      { draftAndPublish: true },
    ),
  );

export type Row = Readonly<Record<string, unknown>>;
export type TypeName = 'writer' | 'label' | 'book';
export type Version = Status;
/** Rows of each type by version; types without Draft & Publish have one version, `published`. */
export type Content = Readonly<Record<TypeName, Readonly<Record<Version, readonly Row[]>>>>;

export const DATED = { draftAndPublish: new Set<TypeName>(['writer', 'book']) };

const or = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null, freq: 3 });
export const values = {
  name: fc.constantFrom('a', 'A', 'ab', 'b', 'ä', '', 'a.c', '50%', 'x\ny', '$b'),
  stars: fc.integer({ min: -1, max: 3 }),
  price: fc.constantFrom(0, 1.5, 12.25, -3),
  big: fc.constantFrom('1', '9007199254740993', '9007199254740992', '-5'),
  day: fc.constantFrom('1999-12-31', '2000-01-01', '2024-02-29'),
  at: fc.constantFrom('1970-01-01T00:00:00.000Z', '2024-01-15T10:30:00.000Z'),
  open: fc.boolean(),
};
const own = fc.record({
  name: or(values.name),
  stars: or(values.stars),
  price: or(values.price),
  big: or(values.big),
  day: or(values.day),
  at: or(values.at),
  open: or(values.open),
});

const references = (type: TypeName, count: number) =>
  fc.integer({ min: 0, max: count }).map((n) => `${type}${n}`);
const WRITERS = 4;
const LABELS = 4;
const BOOKS = 6;
const many = (type: TypeName, count: number) => fc.uniqueArray(references(type, count), { maxLength: 3 });

const note = fc.record({ name: or(values.name), labels: many('label', LABELS) });
const part = fc.record({
  name: or(values.name),
  stars: or(values.stars),
  label: or(references('label', LABELS)),
  notes: fc.array(note, { maxLength: 2 }),
});
const writer = own.chain((row) => or(references('writer', WRITERS)).map((friend) => ({ ...row, friend })));
const book = fc
  .tuple(
    own,
    fc.record({
      writer: or(references('writer', WRITERS)),
      labels: many('label', LABELS),
      similar: many('book', BOOKS),
      parts: fc.array(part, { maxLength: 3 }),
      info: or(part),
    }),
  )
  .map(([row, more]) => ({ ...row, ...more }));

/** One reference in each range has no target: no document has the last number. */
export const content: fc.Arbitrary<Content> = fc
  .record({
    writers: fc.array(fc.record({ row: writer, live: fc.boolean(), changed: fc.option(own) }), {
      maxLength: WRITERS,
    }),
    labels: fc.array(own, { maxLength: LABELS }),
    books: fc.array(fc.record({ row: book, live: fc.boolean(), changed: fc.option(own) }), {
      maxLength: BOOKS,
    }),
  })
  .map(({ writers, labels, books }) => ({
    writer: versions('writer', writers),
    label: { published: labels.map((row, n) => ({ id: n + 1, documentId: `label${n}`, ...row })), draft: [] },
    book: versions('book', books),
  }));

interface Versioned {
  readonly row: Row;
  readonly live: boolean;
  readonly changed: Row | null;
}

function versions(type: TypeName, list: readonly Versioned[]): Readonly<Record<Version, readonly Row[]>> {
  const draft = list.map(({ row }, n) => ({ id: 2 * n + 1, documentId: `${type}${n}`, ...row }));
  const published = list.flatMap(({ row, live, changed }, n) =>
    live ? [{ id: 2 * n + 2, documentId: `${type}${n}`, ...row, ...changed }] : [],
  );
  return { draft, published };
}

/** Stored entries by collection. */
export function stored(all: Content, schema: Schema): Map<string, Record<string, unknown>[]> {
  const collections = new Map<string, Record<string, unknown>[]>();
  for (const name of ['writer', 'label', 'book'] as const) {
    const type = schema.contentTypes.get(`api::${name}.${name}`);
    if (!type) throw new Error(name);
    for (const version of ['draft', 'published'] as const) {
      const rows = all[name][version].map(bson);
      const collection = collectionName(type, version);
      collections.set(collection, [...(collections.get(collection) ?? []), ...rows]);
    }
  }
  return collections;
}

const CASTS: Readonly<Record<string, (value: unknown) => unknown>> = {
  price: (value) => Decimal128.fromString(String(value)),
  big: (value) => Long.fromString(String(value)),
  at: (value) => new Date(String(value)),
};

function bson(row: Row): Record<string, unknown> {
  const entries = Object.entries(row).map(([key, value]) => {
    const cast = value === null ? undefined : CASTS[key];
    return [key, cast ? cast(value) : value] as const;
  });
  return { locale: null, ...Object.fromEntries(entries) };
}
