/** Random content of shops, with every kind of relation, and random queries for it. */
import fc from 'fast-check';
import type { Db } from 'mongodb';
import { modelOf } from '../../src/schema/find.js';
import type { Attribute, ContentType, Model } from '../../src/schema/types.js';
import { componentFile, schemaOf, typeFile } from '../support/schemas.js';

/** Content takes longer to load than to query. */
const QUERIES = 10;

const relation = (kind: string, target: string, more: object = {}) => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
  ...more,
});
const scalars = {
  name: { type: 'string' },
  rank: { type: 'integer' },
  price: { type: 'decimal' },
  big: { type: 'biginteger' },
  facts: { type: 'json' },
  more: { type: 'json' },
};
const live = { draftAndPublish: true };

/** Each kind of relation, from entries, components and zones, between types with and without versions and locales. */
export const schema = schemaOf(
  componentFile('shop.line', {
    name: { type: 'string' },
    tag: relation('oneToOne', 'tag'),
    tags: relation('oneToMany', 'tag'),
    pages: relation('oneToMany', 'page'),
    photo: { type: 'media', multiple: false },
    bits: { type: 'component', component: 'shop.bit', repeatable: true },
  }),
  componentFile('shop.bit', { name: { type: 'string' }, shop: relation('oneToOne', 'shop') }),
  typeFile('tag', {
    ...scalars,
    shops: relation('manyToMany', 'shop', { mappedBy: 'tags' }),
    bests: relation('oneToMany', 'shop', { mappedBy: 'best' }),
    twin: relation('oneToOne', 'tag', { inversedBy: 'twinOf' }),
    twinOf: relation('oneToOne', 'tag', { mappedBy: 'twin' }),
    about: relation('morphMany', 'shop', { morphBy: 'subjects' }),
  }),
  typeFile(
    'shop',
    {
      ...scalars,
      tags: relation('manyToMany', 'tag', { inversedBy: 'shops' }),
      best: relation('manyToOne', 'tag', { inversedBy: 'bests' }),
      friends: relation('oneToMany', 'shop'),
      pages: relation('oneToMany', 'page'),
      subjects: { type: 'relation', relation: 'morphToMany' },
      subject: { type: 'relation', relation: 'morphToOne' },
      photo: { type: 'media', multiple: false },
      photos: { type: 'media', multiple: true },
      line: { type: 'component', component: 'shop.line' },
      lines: { type: 'component', component: 'shop.line', repeatable: true },
      zone: { type: 'dynamiczone', components: ['shop.line', 'shop.bit'] },
    },
    live,
  ),
  typeFile(
    'page',
    {
      ...scalars,
      next: relation('manyToOne', 'page', { inversedBy: 'before' }),
      before: relation('oneToMany', 'page', { mappedBy: 'next' }),
      shops: relation('manyToMany', 'shop'),
      photo: { type: 'media', multiple: false },
    },
    { ...live, localized: true },
  ),
);
const TYPES = ['api::tag.tag', 'api::shop.shop', 'api::page.page', 'plugin::upload.file'] as const;
const DOCUMENTS = 5;
const LOCALES = ['en', 'fr'];
export const typeOf = (uid: string): ContentType => {
  const type = schema.contentTypes.get(uid);
  if (!type) throw new Error(uid);
  return type;
};

type Generate = <T>(arbitrary: fc.Arbitrary<T>) => T;
type Doc = Record<string, unknown>;
const chance = (one: Generate, of: number): boolean => one(fc.integer({ min: 1, max: of })) === 1;
const pick = <T>(one: Generate, ...values: T[]): T => one(fc.constantFrom(...values));

/** No document has the last number. */
const reference = (one: Generate, uid: string): string => `${uid.split('.')[1]}${one(fc.nat(DOCUMENTS))}`;
const references = (one: Generate, uid: string): string[] => [
  ...new Set(Array.from({ length: one(fc.nat(3)) }, () => reference(one, uid))),
];
const morph = (one: Generate): Doc => {
  const uid = pick(one, 'api::tag.tag', 'api::shop.shop', 'api::page.page');
  return { __type: uid, documentId: reference(one, uid) };
};

const VALUES: Readonly<Record<string, (one: Generate) => unknown>> = {
  string: (one) => pick(one, null, 'a', 'b', 'B', 'ä', '', '\u{1F600}', '\uffee'),
  integer: (one) => pick(one, null, 0, 1, 2, 3),
  decimal: (one) => pick(one, null, 1, 2.5),
  biginteger: (one) => pick(one, null, 1, 7),
  json: (one) => pick<unknown>(one, null, [2, 1], [], { a: 1 }, 'x', 3),
};

/** The stored fields of an entry or item, as its model defines them. */
const stored = (one: Generate, model: Model, nextId: () => number): Doc =>
  Object.fromEntries(
    [...model.attributes.values()]
      .filter((attribute) => !attribute.system && attribute.name !== 'id')
      .flatMap((attribute) => {
        const value = storedValue(one, attribute, nextId);
        return value === undefined ? [] : [[attribute.name, value]];
      }),
  );

const item = (one: Generate, uid: string, nextId: () => number): Doc => {
  const model = modelOf(schema, uid);
  if (!model) throw new Error(uid);
  return { id: nextId(), ...stored(one, model, nextId) };
};

function storedValue(one: Generate, attribute: Attribute, nextId: () => number): unknown {
  switch (attribute.kind) {
    case 'scalar':
      return VALUES[attribute.type]?.(one) ?? null;
    case 'media':
      return attribute.many
        ? references(one, 'plugin::upload.file')
        : pick(one, null, reference(one, 'plugin::upload.file'));
    case 'component':
      if (attribute.many)
        return Array.from({ length: one(fc.nat(2)) }, () => item(one, attribute.component, nextId));
      return chance(one, 3) ? null : item(one, attribute.component, nextId);
    case 'zone':
      return Array.from({ length: one(fc.nat(2)) }, () => {
        const component = pick(one, ...attribute.components);
        return { __component: component, ...item(one, component, nextId) };
      });
    case 'relation':
      if (!attribute.owner) return undefined;
      if (attribute.target === null)
        return attribute.many
          ? Array.from({ length: one(fc.nat(2)) }, () => morph(one))
          : pick(one, null, morph(one));
      return attribute.many
        ? references(one, attribute.target)
        : pick(one, null, reference(one, attribute.target));
  }
}

/** Entries by collection. */
function content(one: Generate): Map<string, Doc[]> {
  let id = 0;
  const nextId = (): number => ++id;
  const collections = new Map<string, Doc[]>();
  for (const uid of TYPES) {
    const type = typeOf(uid);
    const names = type.draftAndPublish
      ? [`${type.collectionName}.drafts`, type.collectionName]
      : [type.collectionName];
    for (const name of names) {
      const rows: Doc[] = [];
      for (let n = 0; n < DOCUMENTS; n++)
        for (const locale of type.localized ? LOCALES : [null])
          if (!chance(one, 4)) {
            const linked = uid === 'api::shop.shop' && chance(one, 2);
            rows.push({
              ...{ id: nextId(), documentId: `${uid.split('.')[1]}${n}`, locale, publishedAt: null },
              ...stored(one, type, nextId),
              ...(linked && { _links: { pages: { locale: ['fr', null] }, tags: { order: [7, 1, 4] } } }),
            });
          }
      collections.set(name, rows);
    }
  }
  return collections;
}

const order = (one: Generate): string => pick(one, ':asc', ':desc');

/** One level of populate for a model, with up to `depth` more below it. */
function populate(one: Generate, model: Model, depth: number): Doc {
  const chosen = [...model.attributes.values()].filter(
    (attribute) =>
      attribute.kind !== 'scalar' &&
      (!attribute.system ||
        (attribute.name === 'localizations' && 'localized' in model && model.localized)) &&
      chance(one, 3),
  );
  return Object.fromEntries(chosen.map((attribute) => [attribute.name, branch(one, attribute, depth)]));
}

function branch(one: Generate, attribute: Attribute, depth: number): unknown {
  if (chance(one, 4)) return true;
  const inside = (uid: string): Doc => {
    const model = modelOf(schema, uid);
    return model && depth > 0 && chance(one, 2) ? { populate: populate(one, model, depth - 1) } : {};
  };
  if (attribute.kind === 'zone')
    return { on: Object.fromEntries(attribute.components.map((uid) => [uid, inside(uid)])) };
  const polymorphic = attribute.kind === 'relation' && attribute.target === null;
  const shown = attribute.name === 'related' ? ['api::shop.shop', 'api::page.page'] : TYPES.slice(0, 3);
  if (polymorphic)
    return { on: Object.fromEntries(shown.map((uid) => [uid, { fields: ['name'], ...inside(uid) }])) };
  const target =
    attribute.kind === 'component'
      ? attribute.component
      : attribute.kind === 'relation'
        ? (attribute.target ?? '')
        : 'plugin::upload.file';
  return {
    ...(chance(one, 3) && { fields: ['name'] }),
    ...(chance(one, 3) && { filters: filters(one, target) }),
    ...(chance(one, 3) && { sort: sort(one, target) }),
    ...(attribute.kind === 'relation' && chance(one, 6) && { count: true }),
    ...inside(target),
  };
}

/** By uid: paths to filter by, ending in a string attribute. */
const PATHS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'api::tag.tag': [['name'], ['shops', 'name'], ['twin', 'name'], ['about', 'name']],
  'api::shop.shop': [
    ['name'],
    ['tags', 'name'],
    ['best', 'name'],
    ['pages', 'name'],
    ['lines', 'tag', 'name'],
    ['line', 'name'],
  ],
  'api::page.page': [
    ['name'],
    ['next', 'name'],
    ['before', 'name'],
    ['shops', 'best', 'name'],
    ['localizations', 'name'],
  ],
  'plugin::upload.file': [['name']],
  'shop.line': [['name'], ['tag', 'name'], ['tags', 'name']],
  'shop.bit': [['name'], ['shop', 'name']],
};

const waysFrom = (uid: string): readonly (readonly string[])[] => PATHS[uid] ?? [['name']];

const filters = (one: Generate, uid: string): Doc =>
  pick(one, ...waysFrom(uid)).reduceRight<Doc>(
    (inner, name) => ({ [name]: inner }),
    pick<Doc>(one, { $in: ['a', 'b', 'ä'] }, { $ne: 'a' }, { $null: true }, { $gte: 'B' }),
  );

const sort = (one: Generate, uid: string): string[] => {
  // Items are not sorted through two relations, nor by JSON.
  const ways = waysFrom(uid).filter((path) => !uid.startsWith('shop.') || path.length < 3);
  const own = uid.startsWith('api::') ? [['rank'], ['facts'], ['more'], ['price'], ['big']] : [];
  const key = (): string => `${pick<readonly string[]>(one, ...ways, ...own).join('.')}${order(one)}`;
  return Array.from({ length: one(fc.integer({ min: 1, max: 3 })) }, key);
};

export interface Question {
  readonly uid: string;
  readonly query: Doc;
}

function question(one: Generate): Question {
  const uid = pick(one, ...TYPES);
  const type = typeOf(uid);
  return {
    uid,
    query: {
      status: pick(one, 'draft', 'published'),
      ...(type.localized && { locale: pick<unknown>(one, 'en', 'fr', '*', ['en', 'fr']) }),
      ...(chance(one, 3) && { filters: filters(one, uid) }),
      ...(chance(one, 2) && { sort: sort(one, uid) }),
      ...(chance(one, 5) && {
        publicationFilter: pick(one, 'modified', 'has-published-version', 'published-with-draft'),
      }),
      populate: populate(one, type, 2),
      pagination: { start: one(fc.nat(3)), limit: one(fc.integer({ min: 1, max: 8 })) },
    },
  };
}

/** Content, and queries for it. */
export const library = fc.gen().map((g) => {
  const one: Generate = (arbitrary) => g(() => arbitrary);
  return { collections: content(one), queries: Array.from({ length: QUERIES }, () => question(one)) };
});

/** Replaces the stored content. */
export async function load(db: Db, collections: ReadonlyMap<string, readonly Doc[]>): Promise<void> {
  for (const [name, rows] of collections) {
    await db.collection(name).deleteMany({});
    if (rows.length > 0) await db.collection(name).insertMany(rows.map((row) => ({ ...row })));
  }
}
