/** Derives the attributes of a content type or component from the documents at one path. */

import { dbRefKey } from '../schema/stored/paths.js';
import { INTEGER_FORMS, type IntegerForm } from '../schema/types.js';
import { isPlainObject, objectAt, type PlainObject } from '../values/plain-object.js';
import { type Kind, NUMBERS } from './kinds.js';
import { attributeNames, kebab } from './names.js';
import { isSecret, type Proposed, ruleFor, scalarAttribute, validatedKind } from './scalar-attributes.js';
import {
  areIds,
  distribution,
  isDictionary,
  kindsOf,
  newValues,
  type PathValues,
  usualValues,
} from './statistics.js';

/** The attributes of a content type or component, and where they are stored. */
export interface ProposedModel {
  readonly attributes: Map<string, Proposed>;
  readonly fields: Record<string, string>;
  readonly references: Record<string, string>;
  readonly lists: string[];
  readonly integers: Record<string, IntegerForm>;
  readonly texts: string[];
  /** The path that identifies items; null if there is none, or if it is not a component. */
  id: string | null;
}

/** A field that may refer to another collection. */
export interface Candidate {
  readonly model: ProposedModel;
  readonly attribute: string;
  /** The name of the field, its path in the model, and its path in the document. */
  readonly field: string;
  readonly stored: string;
  readonly path: string;
  readonly many: boolean;
  readonly inComponent: boolean;
  readonly values: PathValues;
  /**
   * The collection named by DBRefs, and whether others in the field name other collections; null if the
   * values are not DBRefs.
   */
  readonly names: { readonly collection: string; readonly among: boolean } | null;
}

/** Everything that is proposed for one collection. */
export interface Findings {
  readonly root: ProposedModel;
  /** By uid. */
  readonly components: Map<string, ProposedModel>;
  readonly candidates: Candidate[];
  /** What each path contains, to recognize new fields in the next run. */
  readonly seen: Record<string, string>;
  readonly notes: string[];
}

interface ModelPlace {
  readonly model: ProposedModel;
  /** The category of the components: the content type's singular name. */
  readonly category: string;
  /** The path from the document: empty, or with a trailing dot. */
  readonly path: string;
  /**
   * The meaning of an `_id` here: it identifies the document, or the item of a list; in an embedded document
   * it is an ordinary value.
   */
  readonly holder: 'document' | 'item' | 'embedded';
  readonly findings: Findings;
}

const newModel = (): ProposedModel => ({
  attributes: new Map(),
  fields: {},
  references: {},
  lists: [],
  integers: {},
  texts: [],
  id: null,
});

export function analyze(values: PathValues, rule: PlainObject | null, category: string): Findings {
  const root = newModel();
  const findings: Findings = { root, components: new Map(), candidates: [], seen: {}, notes: [] };
  fill(values, rule, { model: root, category, path: '', holder: 'document', findings });
  return findings;
}

/** Deeper documents become JSON. */
const MAX_DEPTH = 6;
/** Maximum number of attributes of one model. */
const MAX_ATTRIBUTES = 200;
/** Internal field of Mongoose. */
const SKIPPED = '__v';

function fill(values: PathValues, rule: PlainObject | null, place: ModelPlace): void {
  const { model, path, findings } = place;
  const properties = objectAt(rule, 'properties');
  const fields = new Map(values.fields ?? []);
  for (const name of Object.keys(properties)) if (!fields.has(name)) fields.set(name, newValues());
  const isShown = (name: string): boolean =>
    name !== SKIPPED && (name !== '_id' || place.holder === 'embedded');
  const shown = [...fields].filter(([name]) => isShown(name));
  const kept = shown.sort(([, a], [, b]) => b.count - a.count).slice(0, MAX_ATTRIBUTES);
  if (shown.length > kept.length)
    findings.notes.push(
      `${path || 'the documents'}: ${values.manyFields ? 'more than ' : ''}${fields.size} different fields; the ${kept.length} most frequent are included`,
    );
  const chosen = new Set(kept.map(([name]) => name));
  const names = attributeNames([...fields.keys()].filter((field) => chosen.has(field) && isQueryable(field)));
  const required = new Set([rule?.['required'] ?? []].flat());
  for (const [field, found] of fields) {
    if (field === '_id' && place.holder === 'item') identify(place, found);
    if (!chosen.has(field)) continue;
    const name = names.get(field);
    if (name === undefined) {
      findings.notes.push(`${path}${field}: left out, because it cannot be queried`);
      continue;
    }
    if (name !== field) model.fields[name] = field;
    findings.seen[`${path}${field}`] = kindsText(found);
    const proposed = attributeFor(found, ruleFor(rule, field), { ...place, field, name });
    const isRequired = required.has(field) && (found.kinds.get('null') ?? 0) === 0;
    model.attributes.set(name, {
      ...proposed,
      ...(isRequired && { required: true }),
      ...(isSecret(field, found) && { private: true }),
    });
  }
}

const isQueryable = (field: string): boolean =>
  field !== '' && !field.includes('.') && !field.startsWith('$') && !field.includes('\0');

const kindsText = (values: PathValues): string => kindsOf(values).toSorted().join(' | ') || 'null';

/** Items are identified by `_id` if each has one. */
function identify({ model }: ModelPlace, found: PathValues): void {
  if ((found.kinds.get('null') ?? 0) === 0 && found.count > 0) model.id = '_id';
}

interface Field extends ModelPlace {
  readonly field: string;
  readonly name: string;
}

function attributeFor(all: PathValues, rule: PlainObject | null, place: Field): Proposed {
  const values = usualValues(all);
  const proposed = usualAttribute(values, rule, place);
  if (values === all || proposed.type === 'json') return proposed;
  return { ...proposed, pluginOptions: { mangrove: { comment: distribution(all) } } };
}

function usualAttribute(values: PathValues, rule: PlainObject | null, place: Field): Proposed {
  const kinds = kindsOf(values);
  const kind = validatedKind(rule);
  if (kind === 'array' || (kind === undefined && kinds.includes('array')))
    return listAttribute(values, rule, place);
  if (kind === 'object' || (kind === undefined && kinds.length === 1 && kinds[0] === 'object'))
    return componentAttribute(values, rule, place, false);
  if (addDbRefs(values, place, false)) return json(values);
  const scalar = scalarAttribute(values, rule, place.field);
  if (!scalar) return json(values);
  addIntegers(scalar, values, place);
  addCandidate(values, place, false);
  return scalar;
}

/**
 * The attribute for a list: of scalars of one kind, which may also occur without a list; of documents;
 * otherwise JSON.
 */
function listAttribute(values: PathValues, rule: PlainObject | null, place: Field): Proposed {
  const itemRule = isPlainObject(rule?.['items']) ? rule['items'] : null;
  const items = values.items ?? newValues();
  const alone = kindsOf(values).filter((kind) => kind !== 'array');
  const kinds = new Set([...kindsOf(items), ...alone]);
  if (alone.length === 0 && addDbRefs(items, place, true)) return json(values);
  const validated = validatedKind(itemRule);
  if (validated === 'object' || (kinds.size === 1 && kinds.has('object')))
    return alone.length > 0 ? json(values) : componentAttribute(items, itemRule, place, true);
  const scalars = [...kinds];
  const ofOneKind =
    scalars.length === 1 ||
    (scalars.length > 1 && scalars.every((kind) => NUMBERS.has(kind))) ||
    (alone.length === 0 && areIds(items));
  if (kinds.has('array') || kinds.has('object') || (!ofOneKind && validated === undefined))
    return json(values);
  const joined: PathValues =
    alone.length === 0
      ? items
      : { ...items, kinds: new Map([...values.kinds, ...items.kinds].filter(([kind]) => kind !== 'array')) };
  const scalar = scalarAttribute(joined, itemRule, place.field);
  if (!scalar || scalar.type === 'uid') return json(values);
  addIntegers(scalar, joined, place);
  addCandidate(items, place, true);
  place.model.lists.push(place.name);
  return scalar;
}

/** Notes the type of integers that are stored in one other than 32 bits, such as `5.0`. */
function addIntegers({ type }: Proposed, values: PathValues, { model, name }: Field): void {
  const kinds = kindsOf(values);
  const form = INTEGER_FORMS.find((each) => kinds.length === 1 && kinds[0] === each);
  if (type === 'integer' && form) model.integers[name] = form;
}

function componentAttribute(
  values: PathValues,
  rule: PlainObject | null,
  place: Field,
  repeatable: boolean,
): Proposed {
  const depth = place.path.split('.').length;
  const empty = !values.fields?.size && !isPlainObject(rule?.['properties']);
  if (empty || isDictionary(values) || isGeometry(values) || depth > MAX_DEPTH) return json(values);
  const uid = componentUid(place);
  const model = newModel();
  place.findings.components.set(uid, model);
  fill(values, rule, {
    ...place,
    model,
    path: `${place.path}${place.field}.`,
    holder: repeatable ? 'item' : 'embedded',
  });
  if (model.attributes.size === 0) {
    place.findings.components.delete(uid);
    return json(values);
  }
  return { type: 'component', component: uid, ...(repeatable && { repeatable: true }) };
}

function componentUid({ category, path, field, findings }: Field): string {
  const base = `${category}.${kebab(`${path}${field}`) || 'item'}`;
  let uid = base;
  for (let number = 2; findings.components.has(uid); number++) uid = `${base}-${number}`;
  return uid;
}

/** GeoJSON is a single value. */
const isGeometry = ({ fields }: PathValues): boolean =>
  fields !== null && fields.size <= 3 && fields.has('type') && fields.has('coordinates');

/** A JSON attribute, with a comment on the kinds that were found if there are several. */
function json(values: PathValues): Proposed {
  const comment = kindsOf(values).length > 1 ? distribution(values) : null;
  return { type: 'json', ...(comment !== null && { pluginOptions: { mangrove: { comment } } }) };
}

/**
 * If the values are DBRefs: adds a candidate for each collection that they name, provided that their keys are
 * distinct.
 */
function addDbRefs(values: PathValues, place: Field, many: boolean): boolean {
  if (!values.refs || kindsOf(values).length !== 1) return false;
  const among = values.refs.size > 1;
  const apart = [...values.refs.values()].every((ids) => kindsOf(ids).every((kind) => UNIVERSAL.has(kind)));
  if (values.refs.size > MAX_TARGETS || (among && !apart)) return true;
  for (const [collection, ids] of values.refs) {
    const candidate = { ...candidateOf(ids, place, many), names: { collection, among } };
    const [stored, path] = [dbRefKey(candidate.stored), dbRefKey(candidate.path)];
    place.findings.candidates.push({ ...candidate, stored, path });
  }
  return true;
}

/** Kinds of keys that are unique across collections. */
const UNIVERSAL: ReadonlySet<Kind> = new Set(['objectId', 'uuid']);
/** Maximum number of relations that the DBRefs of one field become. */
const MAX_TARGETS = 12;

const addCandidate = (values: PathValues, place: Field, many: boolean): void =>
  void place.findings.candidates.push(candidateOf(values, place, many));

const candidateOf = (
  values: PathValues,
  { model, name, field, path, holder }: Field,
  many: boolean,
): Candidate => ({
  model,
  attribute: name,
  field,
  stored: field,
  path: `${path}${field}`,
  many,
  inComponent: holder !== 'document',
  values,
  names: null,
});
