/** What a body may say about a relation (rules E.1, F.1): which objects, which keys in them, and whether at all (rules A.16). */
import { errors } from '../../errors.js';
import type { Caller } from '../../query/read-plan.js';
import type { RelationAttribute } from '../../schema/types.js';
import { isEntry } from '../plan/items.js';

/** Keys that change a relation instead of naming a target. */
const changes = ['connect', 'disconnect', 'set', 'options'];
/** Keys that name a target, beside the attributes of its type. */
export const targetKeys: ReadonlySet<string> = new Set([...changes, 'id', 'documentId', 'locale', '__type']);

const mayFind = (caller: Caller, uid: string): boolean => caller.grants?.allows(`${uid}.find`) ?? true;

const refuse = (key: string, path: string): never => {
  throw errors.invalidKey({ key, path, source: 'body' });
};

const listOf = (value: unknown): unknown[] =>
  value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];

/** Every item of a polymorphic relation names, under `__type`, a type that the caller may `find`. */
const checkMorph = (attribute: RelationAttribute, value: unknown, path: string, caller: Caller): void => {
  if (attribute.relation === 'morphToOne') refuse(attribute.name, path);
  const items =
    isEntry(value) && changes.some((key) => Object.hasOwn(value, key))
      ? [...listOf(value['connect']), ...listOf(value['set']), ...listOf(value['disconnect'])]
      : listOf(value);
  for (const item of items) {
    const uid = isEntry(item) ? item['__type'] : undefined;
    if (typeof uid !== 'string' || !mayFind(caller, uid)) refuse(attribute.name, path);
  }
};

/** Throws the 400 `Invalid key <relation>` where the caller may not point at the target's type, even with null. */
export const checkRelationAccess = (
  attribute: RelationAttribute,
  value: unknown,
  path: string,
  caller: Caller,
): void => {
  if (attribute.target === null) checkMorph(attribute, value, path, caller);
  else if (!mayFind(caller, attribute.target)) refuse(attribute.name, path);
};
