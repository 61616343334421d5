/** Expands `*` and `true`, and merges several mentions of one attribute. */
import { isMediaInverse } from '../../schema/relation.js';
import type { Attribute, Model } from '../../schema/types.js';
import { mayFind, visibleAttributes } from '../attributes.js';
import type { PopulateBranch, PopulateTree } from '../checked.js';
import type { CheckContext } from './check-context.js';

export const populatable = (attribute: Attribute): boolean => attribute.kind !== 'scalar';

export const emptyBranch: PopulateBranch = Object.freeze({
  fields: null,
  filters: null,
  sort: null,
  populate: new Map(),
  count: false,
  on: null,
});

/** `populate[a]=true`: the entries themselves, one level. */
export function branchOf(attribute: Attribute, context: CheckContext): PopulateBranch {
  const fragments = fragmentsOf(attribute, context);
  if (!fragments) return emptyBranch;
  return { ...emptyBranch, on: new Map(fragments.map((uid) => [uid, emptyBranch])) };
}

/**
 * The components of a zone, or the types that a polymorphic relation may show; null for all other attributes.
 */
export function fragmentsOf(attribute: Attribute, context: CheckContext): readonly string[] | null {
  if (attribute.kind === 'zone') return attribute.components;
  if (attribute.kind !== 'relation' || attribute.target !== null) return null;
  return [...context.schema.contentTypes.values()]
    .filter((type) => type.origin === 'api' && mayFind(context.caller, type))
    .filter((type) => !isMediaInverse(attribute) || showsMedia(type, context))
    .map((type) => type.uid);
}

/** Only these can be among the `related` of a file: types with media attributes that the caller may see. */
const showsMedia = (type: Model, context: CheckContext): boolean =>
  visibleAttributes(type, context).some(({ kind }) => kind === 'media');

/** `populate=*`: everything visible, one level. */
export function expand(model: Model, context: CheckContext): PopulateTree {
  const shown = visibleAttributes(model, context).filter(populatable);
  return new Map(shown.map((attribute) => [attribute.name, branchOf(attribute, context)]));
}

/** Merges several mentions of one attribute: the result shows what any of them shows. */
export function mergeTrees(trees: readonly PopulateTree[]): PopulateTree {
  const merged = new Map<string, PopulateBranch>();
  for (const tree of trees)
    for (const [name, branch] of tree) {
      const before = merged.get(name);
      merged.set(name, before ? mergeBranches(before, branch) : branch);
    }
  return merged;
}

function mergeBranches(a: PopulateBranch, b: PopulateBranch): PopulateBranch {
  return {
    fields: a.fields ?? b.fields,
    filters: a.filters ?? b.filters,
    sort: a.sort ?? b.sort,
    count: a.count || b.count,
    populate: mergeTrees([a.populate, b.populate]),
    on: a.on && b.on ? mergeTrees([a.on, b.on]) : (a.on ?? b.on),
  };
}
