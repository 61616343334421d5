/**
 * The one place where a name becomes an attribute, and where it is decided whether a caller may know of one. Everything that a query
 * can name goes through here, in the check as in the plan; a test holds that no other code looks names up.
 */
import type { Attribute, Model, RelationAttribute } from '../schema/types.js';
import type { Caller } from './read-plan.js';
import type { QuerySettings } from './settings.js';

/** Who asks, and how: the project's own code sees everything. */
export interface Viewer {
  readonly caller: Caller;
  readonly settings: Pick<QuerySettings, 'mode'>;
}

/** A caller of the REST API. */
export const restViewer = (caller: Caller): Viewer => ({ caller, settings: { mode: 'rest' } });

/** Why an attribute is not the caller's. `forbidden`: a relation to a type that the caller may not `find` (rules A.16). */
export type Hidden = 'password' | 'private' | 'forbidden';

export interface NamedAttribute {
  readonly attribute: Attribute;
  /** Null: the caller may see it. */
  readonly hidden: Hidden | null;
}

/** The attribute that a caller names; null where the model has none of that name. */
export function attributeNamed(model: Model | null, name: string, viewer: Viewer): NamedAttribute | null {
  const attribute = model?.attributes.get(name);
  return attribute ? { attribute, hidden: hiddenFrom(attribute, viewer) } : null;
}

/** As `attributeNamed`, without those that the caller may not see: for what comes after the check. */
export function visibleNamed(model: Model, name: string, viewer: Viewer): Attribute | undefined {
  const named = attributeNamed(model, name, viewer);
  return named?.hidden === null ? named.attribute : undefined;
}

/**
 * The attribute behind a name that asks for nothing: a key of an answer or of the schema itself, or one of a body, which is validated
 * for its caller afterwards. It says nothing about who may see what.
 */
export const attributeBehind = (model: Model, name: string): Attribute | undefined =>
  model.attributes.get(name);

/** The attribute on the other side of a relation that another one owns, as the schema names it. */
export const owningNamed = (
  target: Model,
  { mappedBy, morphBy }: Pick<RelationAttribute, 'mappedBy' | 'morphBy'>,
): Attribute | undefined => target.attributes.get(mappedBy ?? morphBy ?? '');

/** What the caller may see of a model, in the order of the schema: what `*`, `_q` and an answer without `fields` stand for. */
export const visibleAttributes = (model: Model, viewer: Viewer): readonly Attribute[] =>
  [...model.attributes.values()].filter((attribute) => hiddenFrom(attribute, viewer) === null);

function hiddenFrom(attribute: Attribute, { caller, settings }: Viewer): Hidden | null {
  if (settings.mode === 'service') return null;
  if (attribute.kind === 'scalar' && attribute.type === 'password') return 'password';
  if (attribute.private) return 'private';
  const target = attribute.kind === 'relation' && !isCreator(attribute) ? attribute.target : null;
  return target !== null && !mayFind(caller, { uid: target }) ? 'forbidden' : null;
}

/** Creator fields that are not private were opened by the schema itself (rules A.15). */
const isCreator = (attribute: Attribute): boolean =>
  attribute.system && (attribute.name === 'createdBy' || attribute.name === 'updatedBy');

export const mayFind = (caller: Caller, type: { readonly uid: string }): boolean =>
  caller.grants === null || caller.grants.allows(`${type.uid}.find`);
