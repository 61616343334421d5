import { errors } from '../../errors.js';
import { modelOf } from '../../schema/find.js';
import { readBoolean } from '../../schema/scalars/boolean.js';
import type { Attribute, Model } from '../../schema/types.js';
import type { PopulateBranch, PopulateOptions, PopulateTree, PopulateValue } from '../ast.js';
import { attributeNamed } from '../attributes.js';
import { isAbsent } from '../values.js';
import { type CheckContext, invalidKey, joinPath } from './check-context.js';
import { branchOf, emptyBranch, expand, fragmentsOf } from './expand.js';
import { checkFields } from './fields.js';
import { checkFilters } from './filters.js';
import { checkPopulate, checkWildcard, type PopulatePlace, zoneError } from './populate.js';
import { targetOf } from './sightings.js';
import { checkSort } from './sort.js';

/** What may stand in a populate object (rules C.1). Pagination, status and locale may not. */
export const keywords: ReadonlySet<string> = new Set([
  'fields',
  'filters',
  'sort',
  'populate',
  'count',
  'on',
]);

/** What may stand in the options of a zone or a polymorphic relation. */
const ofFragments: ReadonlySet<string> = new Set(['populate', 'count', 'on']);

/** `populate[a][…]`. `place` is `a` itself; `place.model` has it. */
export function checkOptions(
  attribute: Attribute,
  options: PopulateOptions,
  place: PopulatePlace,
  context: CheckContext,
): PopulateBranch {
  const target = targetOf(attribute, context.schema);
  checkKeys(target, options, place, context);
  if (fragmentsOf(attribute, context)) return checkFragments(attribute, options, place, context);
  if (options.on) throw noFragments(attribute.name, place.model);
  return target ? checkTarget(target, options, place, context) : emptyBranch;
}

function checkKeys(
  target: Model | null,
  options: PopulateOptions,
  { path, raw }: PopulatePlace,
  context: CheckContext,
): void {
  for (const key of options.keys) {
    if (key === 'count' && readBoolean(options.count) === undefined) throw invalidKey(context, key, path);
    if (key === 'on') checkTargets(options, joinPath(raw, 'on'), context);
    if (keywords.has(key) || readBoolean(key) !== undefined) continue;
    throw invalidKey(context, key, attributeNamed(target, key, context) ? joinPath(path, key) : path);
  }
}

function checkTargets(options: PopulateOptions, raw: string, context: CheckContext): void {
  if (!options.on) throw invalidKey(context, 'on', raw);
  for (const [uid] of options.on)
    if (!modelOf(context.schema, uid)) throw invalidKey(context, uid, joinPath(raw, uid));
}

/** The options of an ordinary relation, a component, media or one fragment. */
function checkTarget(
  target: Model,
  options: PopulateOptions,
  place: PopulatePlace,
  context: CheckContext,
): PopulateBranch {
  const { fields, filters, sort, populate } = options;
  if (filters) checkFilters(filters, target, context);
  if (sort) checkSort(sort, target, context);
  if (fields) checkFields(fields, target, context);
  const inside = {
    model: target,
    path: place.path,
    raw: place.raw,
    depth: place.depth + 1,
  };
  return {
    fields,
    filters,
    sort,
    populate: populate ? checkPopulate(populate, inside, context) : new Map(),
    count: readBoolean(options.count) === true,
    on: null,
  };
}

/** Zones and polymorphic relations: `on`, or `populate=*` for all of their fragments (rules C.2, C.4). */
function checkFragments(
  attribute: Attribute,
  options: PopulateOptions,
  place: PopulatePlace,
  context: CheckContext,
): PopulateBranch {
  const { populate, on, keys } = options;
  if (keys.includes('populate') && populate?.kind !== 'wildcard')
    throw invalidKey(context, 'populate', place.path);
  if (keys.some((key) => !ofFragments.has(key))) throw zoneError(place.model, attribute.name, options.raw);
  if (on) {
    const known = new Set(fragmentsOf(attribute, context));
    const branches = on
      .map(([uid, value]): [string, PopulateBranch] => [uid, checkFragment(uid, value, place, context)])
      .filter(([uid]) => known.has(uid));
    return { ...emptyBranch, on: new Map(branches) };
  }
  const shown = branchOf(attribute, context);
  if (populate) {
    const all = [...(shown.on?.keys() ?? [])].map((uid): [string, PopulateBranch] => [
      uid,
      { ...emptyBranch, populate: expandUid(uid, context) },
    ]);
    return { ...shown, on: new Map(all) };
  }
  return shown;
}

function expandUid(uid: string, context: CheckContext): PopulateTree {
  const model = modelOf(context.schema, uid);
  return model ? expand(model, context) : new Map();
}

/** One fragment. A flag shows it whether true or false, as in Strapi. */
function checkFragment(
  uid: string,
  value: PopulateValue,
  place: PopulatePlace,
  context: CheckContext,
): PopulateBranch {
  const model = modelOf(context.schema, uid);
  if (!model || value.kind === 'flag') return emptyBranch;
  if (value.kind === 'options') {
    const inside = { ...place, raw: `${joinPath(place.raw, 'on')}[${uid}]` };
    checkKeys(model, value.options, inside, context);
    return checkTarget(model, value.options, inside, context);
  }
  const [text] = value.kind === 'text' ? [value.text] : value.of;
  if (text === '*') return checkWildcard(model, emptyBranch, place.path, context);
  throw invalidKey(context, isAbsent(text) ? '' : String(text), place.path);
}

const noFragments = (key: string, model: Model) =>
  errors.validation(
    'fragments-not-permitted',
    `Using fragments is not permitted to populate "${key}" in "${model.uid}"`,
  );
