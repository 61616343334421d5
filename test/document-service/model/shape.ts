/** The content types of the property test, as a table: schema files are generated from it, and the model reads it. */
import type { Schema } from '../../../src/schema/types.js';
import { type Attributes, componentFile, schemaOf, typeFile } from '../../support/schemas.js';

export type TypeName = 'page' | 'book' | 'writer' | 'tag';

export type Shape =
  | { readonly kind: 'text'; readonly required?: true }
  | { readonly kind: 'number'; readonly default?: number }
  | { readonly kind: 'items'; readonly many: boolean; readonly uids: readonly string[]; readonly zone?: true }
  /**
   * Stored here; `inverse` is the attribute of the target that reads it in reverse. `alone`: a target has one owner.
   */
  | {
      readonly kind: 'link';
      readonly many: boolean;
      readonly target: TypeName;
      readonly inverse?: string;
      readonly alone?: true;
    }
  | { readonly kind: 'inverse'; readonly many: boolean; readonly target: TypeName; readonly of: string };

export type Shapes = Readonly<Record<string, Shape>>;

interface TypeShape {
  readonly drafts: boolean;
  readonly locales: boolean;
  /** Whether each locale has its own value; relations always do. */
  readonly localized: readonly string[];
  readonly attributes: Shapes;
}

export const LONGEST = 5;

const text: Shape = { kind: 'text' };
const number: Shape = { kind: 'number' };
const one = (target: TypeName, more: { inverse?: string; alone?: true } = {}): Shape => ({
  kind: 'link',
  many: false,
  target,
  ...more,
});
const several = (target: TypeName, inverse?: string): Shape => ({
  kind: 'link',
  many: true,
  target,
  ...(inverse && { inverse }),
});
const back = (target: TypeName, of: string, many = true): Shape => ({ kind: 'inverse', many, target, of });
const component = (uid: string): Shape => ({ kind: 'items', many: false, uids: [uid] });
const list = (uid: string): Shape => ({ kind: 'items', many: true, uids: [uid] });
const zone: Shape = { kind: 'items', many: true, zone: true, uids: ['part.note', 'part.chapter'] };

export const COMPONENTS: Readonly<Record<string, Shapes>> = {
  'part.note': { text },
  'part.seo': { text, home: one('page') },
  'part.chapter': {
    text,
    length: { kind: 'number', default: 7 },
    notes: list('part.note'),
    see: several('book'),
    page: one('page'),
  },
};

export const TYPES: Readonly<Record<TypeName, TypeShape>> = {
  page: {
    drafts: true,
    locales: true,
    localized: ['title', 'notes', 'zone'],
    attributes: {
      title: text,
      views: number,
      seo: component('part.seo'),
      chapters: list('part.chapter'),
      notes: list('part.note'),
      zone,
      next: one('page'),
      similar: several('page', 'similarTo'),
      similarTo: back('page', 'similar'),
      over: one('page', { inverse: 'under' }),
      under: back('page', 'over'),
      tags: several('tag'),
      book: one('book'),
    },
  },
  book: {
    drafts: true,
    locales: false,
    localized: [],
    attributes: {
      title: { kind: 'text', required: true },
      writer: one('writer', { inverse: 'books' }),
      cover: one('writer', { inverse: 'coverOf', alone: true }),
      tags: several('tag', 'books'),
      sequel: one('book', { inverse: 'prequel', alone: true }),
      prequel: back('book', 'sequel', false),
      peers: several('book', 'peersOf'),
      peersOf: back('book', 'peers'),
      bestOf: back('tag', 'best'),
      badgeOf: back('tag', 'badge', false),
      pages: several('page'),
      chapters: list('part.chapter'),
      first: component('part.chapter'),
      zone,
    },
  },
  writer: {
    drafts: true,
    locales: false,
    localized: [],
    attributes: {
      title: text,
      books: back('book', 'writer'),
      coverOf: back('book', 'cover', false),
      friends: several('writer'),
    },
  },
  tag: {
    drafts: false,
    locales: false,
    localized: [],
    attributes: {
      title: text,
      books: back('book', 'tags'),
      best: one('book', { inverse: 'bestOf' }),
      badge: one('book', { inverse: 'badgeOf', alone: true }),
      near: several('tag'),
      first: component('part.chapter'),
    },
  },
};

export const TYPE_NAMES = Object.keys(TYPES) as TypeName[];
export const uidOf = (type: TypeName): string => `api::${type}.${type}`;

/** The owning attribute that an inverse one reads in reverse. */
export function owningShape(inverse: Extract<Shape, { kind: 'inverse' }>): Extract<Shape, { kind: 'link' }> {
  const owning = TYPES[inverse.target].attributes[inverse.of];
  if (owning?.kind !== 'link') throw new TypeError(inverse.of);
  return owning;
}

export const shapeSchema = (): Schema =>
  schemaOf(
    ...Object.entries(COMPONENTS).map(([uid, shapes]) => componentFile(uid, attributesOf(shapes, []))),
    ...TYPE_NAMES.map((name) => {
      const { drafts, locales, localized, attributes } = TYPES[name];
      const options = { draftAndPublish: drafts, localized: locales };
      return typeFile(name, attributesOf(attributes, localized), options);
    }),
  );

const attributesOf = (shapes: Shapes, localized: readonly string[]): Attributes =>
  Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => [
      name,
      {
        ...attributeOf(shape),
        ...(localized.includes(name) && { pluginOptions: { i18n: { localized: true } } }),
      },
    ]),
  );

function attributeOf(shape: Shape): object {
  switch (shape.kind) {
    case 'text':
      return { type: 'string', maxLength: LONGEST, ...(shape.required && { required: true }) };
    case 'number':
      return { type: 'integer', ...(shape.default !== undefined && { default: shape.default }) };
    case 'items':
      return shape.zone
        ? { type: 'dynamiczone', components: shape.uids }
        : { type: 'component', repeatable: shape.many, component: shape.uids[0] };
    case 'link':
      return relation(owningKind(shape), shape.target, shape.inverse && { inversedBy: shape.inverse });
    case 'inverse':
      return relation(inverseKind(shape, owningShape(shape)), shape.target, { mappedBy: shape.of });
  }
}

const relation = (kind: string, target: TypeName, side: object | string | undefined): object => ({
  type: 'relation',
  relation: kind,
  target: uidOf(target),
  ...(typeof side === 'object' && side),
});

const owningKind = ({ many, alone, inverse }: Extract<Shape, { kind: 'link' }>): string => {
  if (many) return inverse ? 'manyToMany' : 'oneToMany';
  return inverse && !alone ? 'manyToOne' : 'oneToOne';
};

const inverseKind = ({ many }: { readonly many: boolean }, owning: { readonly many: boolean }): string => {
  if (!many) return 'oneToOne';
  return owning.many ? 'manyToMany' : 'oneToMany';
};
