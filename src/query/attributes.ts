/**
 * The one place where a name becomes an attribute, and where it is decided whether a caller may know of it.
 * Everything that a query can name passes through here, in the check as in the plan; a test ensures that no
 * other code looks up names.
 */
import type { Attribute, Model, RelationAttribute } from '../schema/types.js';
import type { Caller } from './read-plan.js';
import type { QuerySettings } from './settings.js';

/** Who sends a query, and by which rules: the project's own code sees everything. */
export interface Viewer {
  readonly caller: Caller;
  readonly settings: Pick<QuerySettings, 'mode'>;
}

/** A caller of the REST API. */
export const restViewer = (caller: Caller): Viewer => ({ caller, settings: { mode: 'rest' } });

/**
 * Why an attribute is hidden from the caller. `forbidden`: a relation to a type that the caller may not
 * `find`.
 */
export type Hidden = 'password' | 'private' | 'forbidden';

export interface NamedAttribute {
  readonly attribute: Attribute;
  /** Null: the caller may see it. */
  readonly hidden: Hidden | null;
}

/** The attribute of a name that a caller gives; null if the model has none. */
export function attributeNamed(model: Model | null, name: string, viewer: Viewer): NamedAttribute | null {
  const attribute = model?.attributes.get(name);
  return attribute && model ? { attribute, hidden: hiddenFrom(attribute, model, viewer) } : null;
}

/** Like `attributeNamed`, but without hidden attributes; for use after the check. */
export function visibleNamed(model: Model, name: string, viewer: Viewer): Attribute | undefined {
  const named = attributeNamed(model, name, viewer);
  return named?.hidden === null ? named.attribute : undefined;
}

/**
 * The attribute of a name that is not part of a query: a key of an answer or of the schema, or of a body,
 * which is validated for its caller separately. Does not tell who may see it.
 */
export const schemaAttribute = (model: Model, name: string): Attribute | undefined =>
  model.attributes.get(name);

/** The attribute that owns a relation, for its inverse side. */
export const owningNamed = (
  target: Model,
  { mappedBy, morphBy }: Pick<RelationAttribute, 'mappedBy' | 'morphBy'>,
): Attribute | undefined => target.attributes.get(mappedBy ?? morphBy ?? '');

/**
 * What the caller may see of a model, in the order of the schema: what `*`, `_q` and a query without `fields`
 * cover.
 */
export const visibleAttributes = (model: Model, viewer: Viewer): readonly Attribute[] =>
  [...model.attributes.values()].filter((attribute) => hiddenFrom(attribute, model, viewer) === null);

function hiddenFrom(attribute: Attribute, model: Model, { caller, settings }: Viewer): Hidden | null {
  if (settings.mode === 'service') return null;
  if (attribute.kind === 'scalar' && attribute.type === 'password') return 'password';
  if (caller.seesAll) return null;
  if (attribute.private || isOutside(attribute, model, caller)) return 'private';
  const target = attribute.kind === 'relation' && !isCreator(attribute) ? attribute.target : null;
  return target !== null && !mayFind(caller, { uid: target }) ? 'forbidden' : null;
}

const KEYS: ReadonlySet<string> = new Set(['id', 'documentId']);

/** Whether a rule's `fields` leave an attribute out, or the other side of the relation that it is. */
function isOutside(attribute: Attribute, model: Model, { grants }: Caller): boolean {
  const reads = grants?.reads;
  if (!reads) return false;
  const fields = reads.get(model.uid)?.fields ?? null;
  if (fields !== null && !fields.has(attribute.name) && !KEYS.has(attribute.name)) return true;
  if (attribute.kind !== 'relation' || attribute.target === null) return false;
  const other = attribute.mappedBy ?? attribute.morphBy ?? attribute.inversedBy;
  const others = reads.get(attribute.target)?.fields ?? null;
  return other !== null && others !== null && !others.has(other);
}

/** The schema has explicitly made creator fields that are not private visible. */
const isCreator = (attribute: Attribute): boolean =>
  attribute.system && (attribute.name === 'createdBy' || attribute.name === 'updatedBy');

export const mayFind = (caller: Caller, type: { readonly uid: string }): boolean =>
  caller.grants === null || caller.seesAll === true || caller.grants.allows(`${type.uid}.find`);
