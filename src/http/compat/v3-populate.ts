import { restViewer } from '../../query/attributes.js';
import type { Caller } from '../../query/read-plan.js';
import { modelOf } from '../../schema/find.js';
import type { Attribute, ContentType, Model, Schema } from '../../schema/types.js';
import { isClosed, isMorphInverse, isStoredElsewhere, showsLocales } from './v3-names.js';

type Populate = Record<string, unknown>;

/**
 * Where an entry is rendered, which decides how much of it is shown. `entry`: at the top; its relations are
 * `related`, and those of its components (`item`) are `within`. Both show the ids of what they refer to;
 * `within` also shows components as ids. `account`: the caller's own, like a related entry with its role.
 */
export type ShownAs = 'entry' | 'related' | 'within' | 'item' | 'account';
/** How far an entry is populated. */
type Depth = Exclude<ShownAs, 'item' | 'account'>;

/** Levels of nested components that are shown, since a query has 20 levels at most. */
const DEEPEST = 4;

interface Around {
  readonly schema: Schema;
  readonly caller: Caller;
  /** Number of components around this one. */
  readonly depth: number;
}

/**
 * What Strapi 3 populates by default: one level of relations, ids in those, and all levels of components and
 * zones.
 */
export const populateV3 = (
  schema: Schema,
  model: Model,
  caller: Caller,
  shown: Exclude<ShownAs, 'within' | 'item'> = 'entry',
): Populate => populateEntry({ schema, caller, depth: 0 }, model, shown === 'account' ? 'related' : shown);

function populateEntry(around: Around, model: Model, shown: Depth): Populate {
  const populate: Populate = {};
  for (const attribute of model.attributes.values()) {
    if (isClosed(model, attribute.name, restViewer(around.caller))) continue;
    const options = optionsOf(around, attribute, shown);
    if (options !== null) populate[attribute.name] = options;
  }
  return populate;
}

const BARE = { fields: ['id'] };

function optionsOf(around: Around, attribute: Attribute, shown: Depth): unknown {
  switch (attribute.kind) {
    case 'media':
      return true;
    case 'component':
      return shown === 'within' ? BARE : component(around, attribute.component);
    case 'zone':
      return {
        on: Object.fromEntries(
          attribute.components.map((uid) => [uid, shown === 'within' ? BARE : component(around, uid)]),
        ),
      };
    case 'relation':
      return relation(around, attribute, shown);
    default:
      return null;
  }
}

function component(around: Around, uid: string): unknown {
  const model = modelOf(around.schema, uid);
  if (!model || around.depth >= DEEPEST) return true;
  return within(populateComponent({ ...around, depth: around.depth + 1 }, model));
}

function populateComponent(around: Around, model: Model): Populate {
  const populate: Populate = {};
  for (const attribute of model.attributes.values()) {
    if (isClosed(model, attribute.name, restViewer(around.caller))) continue;
    const options =
      attribute.kind === 'relation'
        ? related(around, attribute, 'within')
        : optionsOf(around, attribute, 'entry');
    if (options !== null) populate[attribute.name] = options;
  }
  return populate;
}

const within = (populate: Populate): unknown => (Object.keys(populate).length === 0 ? true : { populate });

type Relation = Extract<Attribute, { kind: 'relation' }>;

/**
 * A relation of an entry rendered as `shown`. The relations of a related entry are taken from its stored
 * form.
 */
function relation(around: Around, attribute: Relation, shown: Depth): unknown {
  if (attribute.name === 'localizations') return localizations(around, attribute);
  if (shown === 'entry') return related(around, attribute, 'related');
  if (attribute.system) return null;
  if (isMorphInverse(attribute)) return related(around, attribute, 'within');
  return isStoredElsewhere(attribute) ? idsOf(around, attribute) : null;
}

/** The target entries of a relation, each rendered as `shown`; null to leave it out. */
function related(around: Around, attribute: Relation, shown: 'related' | 'within'): unknown {
  const { schema } = around;
  if (attribute.system || attribute.target?.startsWith('admin::')) return null;
  if (attribute.target === null) {
    const on = morphTargets(around, attribute).map((type) => [
      type.uid,
      within(populateEntry({ ...around, depth: 0 }, type, shown)),
    ]);
    return on.length === 0 ? null : { on: Object.fromEntries(on) };
  }
  const target = modelOf(schema, attribute.target);
  if (!target || !allows(around.caller, attribute.target)) return null;
  return within(populateEntry({ ...around, depth: 0 }, target, shown));
}

/** The types with an attribute that refers to this one, as Strapi 3 requires of each target. */
const morphTargets = ({ schema, caller }: Around, { name }: Relation): readonly ContentType[] =>
  [...schema.contentTypes.values()].filter(
    ({ uid, origin, attributes }) =>
      origin === 'api' &&
      allows(caller, uid) &&
      [...attributes.values()].some((back) => back.kind === 'relation' && back.morphBy === name),
  );

function localizations({ schema, caller }: Around, { target }: Relation): unknown {
  const type = schema.contentTypes.get(target ?? '');
  const viewer = restViewer(caller);
  if (!type || !showsLocales(type, viewer)) return null;
  return { fields: ['locale', 'publishedAt'].filter((name) => !isClosed(type, name, viewer)) };
}

function idsOf({ schema, caller }: Around, { target }: Relation): unknown {
  if (target === null) return true;
  const type = schema.contentTypes.get(target);
  if (!type || type.origin === 'admin' || !allows(caller, target)) return null;
  const named = type.localized && !isClosed(type, 'locale', restViewer(caller));
  return { fields: named ? ['documentId', 'locale'] : ['documentId'] };
}

/** Relations to a type that the caller may not read are left out. */
export const allows = ({ grants }: Caller, uid: string): boolean =>
  grants === null || grants.allows(`${uid}.find`) || grants.allows(`${uid}.findOne`);
