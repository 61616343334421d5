import type { Caller } from '../../query/read-plan.js';
import { modelOf } from '../../schema/find.js';
import type { Attribute, Model, Schema } from '../../schema/types.js';

type Populate = Record<string, unknown>;

/** Components within components that are shown, as a query has 20 levels at most. */
const DEEPEST = 3;
/** What the depth of a component in a relation is counted from. */
const IN_RELATION = 10;

/** What Strapi 3 shows of itself: relations one level deep, in these the ids of others, components and zones all the way. */
export function populateV3(schema: Schema, model: Model, caller: Caller, depth = 0): Populate {
  const populate: Populate = {};
  if (depth % IN_RELATION > DEEPEST) return populate;
  for (const attribute of model.attributes.values()) {
    if (attribute.private) continue;
    const options = optionsOf(schema, attribute, caller, depth);
    if (options !== null) populate[attribute.name] = options;
  }
  return populate;
}

function optionsOf(schema: Schema, attribute: Attribute, caller: Caller, depth: number): unknown {
  switch (attribute.kind) {
    case 'media':
      return true;
    case 'component': {
      const inner = modelOf(schema, attribute.component);
      return inner ? within(populateV3(schema, inner, caller, depth + 1)) : true;
    }
    case 'zone':
      return {
        on: Object.fromEntries(
          attribute.components.flatMap((uid) => {
            const inner = modelOf(schema, uid);
            return inner ? [[uid, within(populateV3(schema, inner, caller, depth + 1))]] : [];
          }),
        ),
      };
    case 'relation':
      return relation(schema, attribute, caller, depth);
    default:
      return null;
  }
}

const within = (populate: Populate): unknown => (Object.keys(populate).length === 0 ? true : { populate });

function relation(
  schema: Schema,
  attribute: Extract<Attribute, { kind: 'relation' }>,
  caller: Caller,
  depth: number,
): unknown {
  if (attribute.name === 'localizations') return { fields: ['locale', 'publishedAt'] };
  if (attribute.system || attribute.target?.startsWith('admin::')) return null;
  if (attribute.target === null) return true;
  const target = modelOf(schema, attribute.target);
  if (!target || !allows(caller, attribute.target)) return null;
  if (depth >= IN_RELATION) return true;
  const ids: Populate = {};
  for (const inner of target.attributes.values()) {
    if (inner.private || inner.system) continue;
    if (inner.kind === 'relation') {
      if (inner.owner && inner.target !== null && allows(caller, inner.target))
        ids[inner.name] = { fields: ['documentId'] };
      continue;
    }
    const options = optionsOf(schema, inner, caller, IN_RELATION);
    if (options !== null) ids[inner.name] = options;
  }
  return within(ids);
}

/** A relation whose type the caller may not read is left out, as everywhere (rules A.16). */
const allows = ({ grants }: Caller, uid: string): boolean =>
  grants === null || grants.allows(`${uid}.find`) || grants.allows(`${uid}.findOne`);
