/** Checks the keys of a body against the schema before anything else. REST only. */
import { ApiError, errors } from '../../errors.js';
import { mayFind } from '../../query/attributes.js';
import type { Caller } from '../../query/read-plan.js';
import { modelOf } from '../../schema/find.js';
import type { Attribute, ContentType, Model, RelationAttribute, Schema } from '../../schema/types.js';
import { FILE_UID } from '../../schema/uids.js';
import { isObject } from '../../values/plain-object.js';
import { CHANGES } from '../plan/relation-input.js';

/** Keys that name a target or change a relation, allowed besides the attributes of its type. */
const targetKeys: ReadonlySet<string> = new Set([...CHANGES, 'id', 'documentId', 'locale', '__type']);

const refuse = (key: string, path: string): never => {
  throw errors.invalidKey({ key, path, source: 'body' });
};

const listOf = (value: unknown): unknown[] =>
  value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];

/** Every item of a polymorphic relation must name, in `__type`, a type that the caller may `find`. */
const checkMorph = (attribute: RelationAttribute, value: unknown, path: string, caller: Caller): void => {
  if (attribute.relation === 'morphToOne') refuse(attribute.name, path);
  const items =
    isObject(value) && CHANGES.some((key) => Object.hasOwn(value, key))
      ? [...listOf(value['connect']), ...listOf(value['set']), ...listOf(value['disconnect'])]
      : listOf(value);
  for (const item of items) {
    const uid = isObject(item) ? item['__type'] : undefined;
    if (typeof uid !== 'string' || !mayFind(caller, { uid })) refuse(attribute.name, path);
  }
};

/**
 * Throws the 400 `Invalid key <relation>` if the caller may not refer to the target's type, even with null.
 */
const checkRelationAccess = (
  attribute: RelationAttribute,
  value: unknown,
  path: string,
  caller: Caller,
): void => {
  if (attribute.target === null) checkMorph(attribute, value, path, caller);
  else if (!mayFind(caller, { uid: attribute.target })) refuse(attribute.name, path);
};

/** Strapi allows both ids in an item, and ignores the second one. */
const itemKeys: ReadonlySet<string> = new Set(['id', 'documentId']);
const zoneItemKeys: ReadonlySet<string> = new Set([...itemKeys, '__component']);

interface KeyScope {
  readonly model: Model;
  /** Attribute names down to here, without indexes; null at the root. */
  readonly path: string | null;
  /** Allowed keys that are not attributes. */
  readonly also: ReadonlySet<string>;
}

const eachOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

/** The scope for the members of an attribute's value; null if they have no keys. */
const scopeOf = (attribute: Attribute, item: unknown, path: string, schema: Schema): KeyScope | null => {
  const scope = (uid: unknown, also: ReadonlySet<string>): KeyScope | null => {
    const model = typeof uid === 'string' ? modelOf(schema, uid) : undefined;
    return model ? { model, path, also } : null;
  };
  switch (attribute.kind) {
    case 'scalar':
      return null;
    case 'component':
      return scope(attribute.component, itemKeys);
    case 'zone':
      return isObject(item) ? scope(item['__component'], zoneItemKeys) : null;
    case 'media':
      return scope(FILE_UID, targetKeys);
    case 'relation':
      return scope(attribute.target ?? (isObject(item) ? item['__type'] : null), targetKeys);
  }
};

/** One key of a body and where it occurs. */
interface KeyUse {
  readonly key: string;
  readonly value: unknown;
  /** Null if the schema has no such key there. */
  readonly attribute: Attribute | null;
  /** Path of the object that has the key; null at the root. */
  readonly within: string | null;
  /** Path of the key itself. */
  readonly path: string;
}

type KeyRule = (use: KeyUse, caller: Caller) => void;

/**
 * Each rule goes over the whole body before the next one, in Strapi's order: of two wrong keys, the one that
 * breaks the earlier rule is reported.
 */
const rules: readonly KeyRule[] = [
  ({ key, path, attribute }) => {
    if (attribute && !attribute.writable) throw errors.invalidKey({ key, path, source: 'body' });
  },
  ({ key, within, attribute }) => {
    if (!attribute) throw errors.invalidKey({ key, path: within, source: 'body' });
  },
  ({ attribute, value, path }, caller) => {
    if (attribute?.kind === 'relation') checkRelationAccess(attribute, value, path, caller);
  },
];

/** The keys of an item and below it. The keys of an item that is a list are its indexes, which no model has. */
const collectKeys = (entry: unknown, scope: KeyScope, schema: Schema): KeyUse[] => {
  if (!isObject(entry) && !Array.isArray(entry)) return [];
  return Object.entries(entry)
    .filter(([key]) => !scope.also.has(key))
    .flatMap(([key, value]) => {
      const attribute = scope.model.attributes.get(key) ?? null;
      const path = scope.path === null ? key : `${scope.path}.${key}`;
      const below = attribute === null ? [] : eachOf(value);
      return [
        { key, value, attribute, within: scope.path, path },
        ...below.flatMap((item) => {
          const inside = attribute && scopeOf(attribute, item, path, schema);
          return inside ? collectKeys(item, inside, schema) : [];
        }),
      ];
    });
};

const IDS = ['id', 'documentId'];

/** The error for an id that a body may not set. */
export const idKey = (key: string): ApiError =>
  errors.validation('key-invalid', `Invalid key ${key}`, { key, source: 'body' });

const usesOf = (entry: unknown, model: ContentType, schema: Schema): KeyUse[] =>
  collectKeys(entry, { model, path: null, also: new Set() }, schema);

/**
 * Throws a 400 `Invalid key …` with `source: "body"` for a key that the schema does not have there, that may
 * not be written, or that names a relation whose target type the caller may not `find`.
 */
export const checkInputKeys = (data: unknown, type: ContentType, schema: Schema, caller: Caller): void => {
  for (const entry of eachOf(data)) {
    for (const key of IDS) if (isObject(entry) && Object.hasOwn(entry, key)) throw idKey(key);
    const uses = usesOf(entry, type, schema);
    for (const rule of rules) for (const use of uses) rule(use, caller);
  }
};

/** All keys of an object that `checkInputKeys` would refuse, with the error of each. */
export const invalidKeys = (
  data: object,
  type: ContentType,
  schema: Schema,
  caller: Caller,
): readonly ApiError[] => [
  ...IDS.filter((key) => Object.hasOwn(data, key)).map(idKey),
  ...usesOf(data, type, schema).flatMap((use) => (IDS.includes(use.path) ? [] : errorsOf(use, caller))),
];

/** The error of the first rule that a key breaks, if any. */
function errorsOf(use: KeyUse, caller: Caller): readonly ApiError[] {
  try {
    for (const rule of rules) rule(use, caller);
    return [];
  } catch (error) {
    if (error instanceof ApiError) return [error];
    throw error;
  }
}
