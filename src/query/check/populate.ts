import { errors } from '../../errors.js';
import { shorten } from '../../print-value.js';
import { modelOf, targetOf } from '../../schema/find.js';
import { readBoolean } from '../../schema/scalars/boolean.js';
import type { Attribute, Model } from '../../schema/types.js';
import type { PopulateEntries, PopulateNode, PopulateOptions, PopulateValue, RawValue } from '../ast.js';
import { attributeNamed } from '../attributes.js';
import type { PopulateBranch, PopulateTree } from '../checked.js';
import { type CheckContext, invalidKey, joinPath } from './check-context.js';
import { branchOf, emptyBranch, expand, fragmentsOf, mergeTrees, populatable } from './expand.js';
import { checkFields } from './fields.js';
import { checkFilters } from './filters.js';
import { resolvePaths } from './populate-paths.js';
import { checkSort } from './sort.js';

/**
 * The position of a populate object. `path` holds the attributes on the way, `raw` every key; Strapi's
 * messages use one or the other.
 */
interface PopulatePlace {
  readonly model: Model;
  readonly path: string | null;
  readonly raw: string | null;
  readonly depth: number;
}

/** Keys of a populate object. Pagination, status and locale are not among them. */
const keywords: ReadonlySet<string> = new Set(['fields', 'filters', 'sort', 'populate', 'count', 'on']);

/** Option keys for a zone or polymorphic relation. */
const ofFragments: ReadonlySet<string> = new Set(['populate', 'count', 'on']);

/**
 * Throws for what cannot be populated and expands the rest. What the caller may not read is silently left
 * out.
 */
export function checkPopulate(node: PopulateNode, place: PopulatePlace, context: CheckContext): PopulateTree {
  const most = context.settings.limits.maxPopulateDepth;
  if (place.depth - 1 + levelsOf(node) > most)
    throw errors.validation(
      'populate-too-deep',
      `The query populates too many levels. The maximum is ${most}.`,
      {
        key: 'populate',
        path: place.path,
        source: 'query',
        param: 'populate',
      },
    );
  switch (node.kind) {
    case 'wildcard':
      return expand(place.model, context);
    case 'paths': {
      const tree = resolvePaths(node.paths, place.model, context);
      if (place.path !== null) for (const path of node.unsplit) checkNames(path, place.path, context);
      return tree;
    }
    case 'object':
      return checkEntries(node.entries, place, context);
  }
}

/**
 * In nested populate, a comma or space counts as part of the name, as in Strapi; no attribute has such a
 * name.
 */
function checkNames(path: readonly string[], above: string, context: CheckContext): void {
  const odd = path.findIndex((name) => name === '' || /[\s,]/.test(name));
  const [key] = odd < 0 ? [] : path.slice(odd);
  if (key !== undefined) throw invalidKey(context, key, [above, ...path.slice(0, odd)].join('.'));
}

const levelsOf = (node: PopulateNode): number =>
  node.kind === 'paths' ? node.paths.reduce((most, path) => Math.max(most, path.length), 0) : 1;

function checkEntries(entries: PopulateEntries, place: PopulatePlace, context: CheckContext): PopulateTree {
  const found = entries.flatMap(([key, value]) => {
    const named = attributeNamed(place.model, key, context);
    if (!named) {
      checkKeyword(key, value, place, context);
      return [];
    }
    const { attribute } = named;
    if (!populatable(attribute)) throw invalidKey(context, key, joinPath(place.raw, key));
    return { key, hidden: named.hidden, branch: checkEntry(attribute, value, place, context) };
  });
  // Strapi checks for private attributes after everything else.
  const hidden = found.find((each) => each.hidden === 'private');
  if (hidden) throw invalidKey(context, hidden.key, joinPath(place.path, hidden.key));
  return mergeTrees(
    found.flatMap(({ key, branch, ...each }) =>
      branch && each.hidden === null ? new Map([[key, branch]]) : [],
    ),
  );
}

/**
 * Ignores keywords such as `populate[sort]=…`, which mean nothing here, and throws for any other key that is
 * not an attribute.
 */
function checkKeyword(key: string, value: PopulateValue, place: PopulatePlace, context: CheckContext): void {
  if (readBoolean(key) !== undefined || keywords.has(key)) return;
  if (key === '' && value.kind === 'text' && value.text === '*') return;
  throw invalidKey(context, key, place.path);
}

/** Null if it is not populated (`populate[a]=false`). */
function checkEntry(
  attribute: Attribute,
  value: PopulateValue,
  place: PopulatePlace,
  context: CheckContext,
): PopulateBranch | null {
  const path = joinPath(place.path, attribute.name);
  const here = { ...place, path, raw: joinPath(place.raw, attribute.name) };
  switch (value.kind) {
    case 'flag':
      return value.on ? branchOf(attribute, context) : null;
    case 'options':
      return checkOptions(attribute, value.options, here, context);
    case 'text':
    case 'list': {
      if (fragmentsOf(attribute, context))
        throw zoneError(place.model, attribute.name, value.kind === 'text' ? value.text : value.of);
      const target = targetOf(context.schema, attribute);
      if (value.kind === 'text' && value.text === '*')
        return checkWildcard(target, branchOf(attribute, context), path, context);
      throw notOptions(target, value, here, context);
    }
  }
}

/**
 * The error for text or a list in place of options. Text is treated as an option's name, which it never is.
 */
function notOptions(
  target: Model | null,
  value: PopulateValue & { readonly kind: 'text' | 'list' },
  place: PopulatePlace,
  context: CheckContext,
) {
  const keyError = (text: string) => {
    const [key = ''] = text.split('.');
    if (key === 'on') return invalidKey(context, key, joinPath(place.raw, key));
    return invalidKey(
      context,
      key,
      attributeNamed(target, key, context) ? joinPath(place.path, key) : place.path,
    );
  };
  if (value.kind === 'text') return keyError(value.text);
  const isText = (member: RawValue) => typeof member === 'string';
  // In a list with anything but text, the indexes are checked instead of the members: 0 and 1 count as
  // booleans.
  const keys: readonly string[] = value.of.every(isText) ? value.of : Object.keys(value.of);
  const unknown = keys.find((key) => readBoolean(key) === undefined && !namesOption(key));
  if (unknown !== undefined) return keyError(unknown);
  return errors.validation('populate-nested-invalid', "Invalid nested populate. Expected '*' or an object");
}

const namesOption = (text: string): boolean => {
  const [key = ''] = text.split('.');
  return key !== 'on' && keywords.has(key);
};

/**
 * `populate[a]=*` treats the expanded attributes of `a` as options: throws for the first one, without a
 * `source`. If there are none it means `true`.
 */
function checkWildcard(
  target: Model | null,
  branch: PopulateBranch,
  path: string | null,
  context: CheckContext,
): PopulateBranch {
  const [first] = target ? expand(target, context).keys() : [];
  if (first === undefined) return branch;
  throw errors.invalidKey({ key: first, path: joinPath(path, first) });
}

/** Zones and polymorphic relations require fragments. */
function zoneError(model: Model, key: string, found: unknown) {
  const name = 'singularName' in model ? model.singularName : undefined;
  return errors.validation(
    'populate-fragment-expected',
    `Invalid nested populate for ${name}.${key} (${model.uid}). Expected a fragment ("on") or "count" but found ${shorten(JSON.stringify(found))}`,
  );
}

/** Checks the options `populate[a][…]`. `place` is that of `a` in the model `place.model`. */
function checkOptions(
  attribute: Attribute,
  options: PopulateOptions,
  place: PopulatePlace,
  context: CheckContext,
): PopulateBranch {
  const target = targetOf(context.schema, attribute);
  const fragments = fragmentsOf(attribute, context);
  if (target && !fragments && !options.on) return checkTarget(target, options, place, context);
  for (const key of options.keys) checkKey(key, { target, options, place, context });
  if (fragments) return checkFragments(attribute, options, place, context);
  if (options.on) throw noFragments(attribute.name, place.model);
  return emptyBranch;
}

/** The options of an attribute, and where they are. */
interface Asked<Target extends Model | null> {
  readonly target: Target;
  readonly options: PopulateOptions;
  readonly place: PopulatePlace;
  readonly context: CheckContext;
}

function checkKey(key: string, { target, options, place, context }: Asked<Model | null>): void {
  const { path, raw } = place;
  if (key === 'count' && readBoolean(options.count) === undefined) throw invalidKey(context, key, path);
  if (key === 'on') checkTargets(options, joinPath(raw, 'on'), context);
  if (keywords.has(key) || readBoolean(key) !== undefined) return;
  throw invalidKey(context, key, attributeNamed(target, key, context) ? joinPath(path, key) : path);
}

function checkTargets(options: PopulateOptions, raw: string, context: CheckContext): void {
  if (!options.on) throw invalidKey(context, 'on', raw);
  for (const [uid] of options.on)
    if (!modelOf(context.schema, uid)) throw invalidKey(context, uid, joinPath(raw, uid));
}

/**
 * Checks the options of an ordinary relation, a component, media, or one fragment, in their order: the first that is
 * wrong is the error.
 */
function checkTarget(
  target: Model,
  options: PopulateOptions,
  place: PopulatePlace,
  context: CheckContext,
): PopulateBranch {
  const asked = { target, options, place, context };
  let branch: PopulateBranch = { ...emptyBranch, count: readBoolean(options.count) === true };
  for (const key of options.keys) {
    checkKey(key, asked);
    branch = { ...branch, ...checkOption(key, asked) };
  }
  return branch;
}

function checkOption(
  key: string,
  { target, options, place, context }: Asked<Model>,
): Partial<PopulateBranch> {
  const { filters, sort, fields, populate } = options;
  if (key === 'filters' && filters) return { filters: checkFilters(filters, target, context) };
  if (key === 'sort' && sort) return { sort: checkSort(sort, target, context) };
  if (key === 'fields' && fields) return { fields: checkFields(fields, target, context) };
  if (key !== 'populate' || !populate) return {};
  const inside = {
    model: target,
    path: place.path,
    raw: joinPath(place.raw, 'populate'),
    depth: place.depth + 1,
  };
  return { populate: checkPopulate(populate, inside, context) };
}

/** Zones and polymorphic relations: `on`, or `populate=*` for all their fragments. */
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

/** One fragment. A flag shows it, whether true or false, as in Strapi. */
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
    return checkTarget(model, value.options, inside, context);
  }
  if (value.kind === 'text' && value.text === '*')
    return checkWildcard(model, emptyBranch, place.path, context);
  throw notOptions(model, value, place, context);
}

const noFragments = (key: string, model: Model) =>
  errors.validation(
    'fragments-not-permitted',
    `Using fragments is not permitted to populate "${key}" in "${model.uid}"`,
  );
