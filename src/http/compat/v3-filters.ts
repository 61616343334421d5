import { errors } from '../../errors.js';
import { type Viewer, visibleNamed } from '../../query/attributes.js';
import { targetOf } from '../../schema/find.js';
import type {
  Attribute,
  ContentType,
  MediaAttribute,
  Model,
  RelationAttribute,
  Schema,
} from '../../schema/types.js';
import { isObject } from '../../values/plain-object.js';
import { castV3 } from './v3-cast.js';
import type { OldIds } from './v3-ids.js';
import { nameOf, showsLocales } from './v3-names.js';

type Raw = Record<string, unknown>;

/** Operators of Strapi 3, by the suffix of the key. */
const OPERATORS: ReadonlyMap<string, string> = new Map([
  ['eq', '$eq'],
  ['ne', '$ne'],
  ['lt', '$lt'],
  ['gt', '$gt'],
  ['lte', '$lte'],
  ['gte', '$gte'],
  ['in', '$in'],
  ['nin', '$notIn'],
  ['contains', '$containsi'],
  ['ncontains', '$notContainsi'],
  ['containss', '$contains'],
  ['ncontainss', '$notContains'],
  ['null', '$null'],
]);

const NEGATIVE = new Set(['$ne', '$notIn', '$notContains', '$notContainsi']);
const LISTS = new Set(['$in', '$notIn']);
const EQUALITY = new Set(['$eq', '$ne', ...LISTS]);

/** What translating a query or body needs. */
export interface Ask3 {
  readonly schema: Schema;
  readonly ids: OldIds;
}

/** The same with the caller. */
export interface Query3 extends Ask3 {
  readonly viewer: Viewer;
}

export const isReference = (attribute: Attribute): attribute is RelationAttribute | MediaAttribute =>
  attribute.kind === 'relation' || attribute.kind === 'media';

/** A test of an attribute, by its key, or `_or` of further clauses. */
export type Clause = readonly [key: string, value: unknown];

/** The clauses of `_where`, all of which have to hold: an object, or a list of objects. */
export function clausesIn(where: unknown): readonly Clause[] {
  if (Array.isArray(where)) return where.flatMap(clausesIn);
  if (!isObject(where)) throw unknownField('_where');
  return Object.entries(where);
}

/** Translates a clause. */
export const clauseV3 = (ask: Query3, type: ContentType, [key, value]: Clause): Raw =>
  key === '_or'
    ? {
        $or: [value].flat().map((way) => ({
          $and: clausesIn(way).map((clause) => clauseV3(ask, type, clause)),
        })),
      }
    : filterV3(ask, type, key, value);

/** Translates `chef.name_contains=x` to `{ chef: { name: { $containsi: 'x' } } }`. */
function filterV3(ask: Query3, type: ContentType, key: string, value: unknown): Raw {
  const path = key.split('.');
  const last = path.pop() ?? '';
  const steps: string[] = [];
  let model: Model = type;
  for (const step of path) {
    const field = nameOf(model, step, ask.viewer);
    const attribute = visibleNamed(model, field, ask.viewer);
    // In Strapi 3 components are in separate collections, which are not joined.
    const target = attribute && isReference(attribute) ? targetOf(ask.schema, attribute) : null;
    if (!target) throw unknownField(key);
    steps.push(field);
    model = target;
  }
  const { name, operator } = splitOperator(ask, model, last);
  const field = nameOf(model, name, ask.viewer);
  const attribute = visibleNamed(model, field, ask.viewer);
  if (!attribute) throw unknownField(key);
  const cast = castV3(attribute, operator, value);
  // Of several values, one has to pass the test, also a negative one.
  const values = LISTS.has(operator) ? [[cast].flat()] : [cast].flat();
  const wanted = values.map((one) => {
    if (operator === '$null') return nullTest(steps, field, one);
    return field === 'documentId' && steps.length === 0 && EQUALITY.has(operator)
      ? rowTest(ask, type, operator, [one].flat())
      : nest(steps, valueTest(ask, { model, attribute, field }, operator, one));
  });
  // In MongoDB, and so in Strapi 3, a missing value counts as different from the given one.
  return { $or: NEGATIVE.has(operator) ? [...wanted, nest([...steps, field], { $null: true })] : wanted };
}

interface Named {
  readonly model: Model;
  readonly attribute: Attribute;
  readonly field: string;
}

/** A test of an attribute; a reference is tested by its id. */
function valueTest(ask: Ask3, { model, attribute, field }: Named, operator: string, value: unknown): Raw {
  const target = isReference(attribute) ? targetOf(ask.schema, attribute) : null;
  const uid = target?.uid ?? (field === 'documentId' ? model.uid : undefined);
  const test = { [operator]: uid === undefined ? value : idsIn(ask, uid, value) };
  return { [field]: isReference(attribute) ? { documentId: test } : test };
}

/**
 * Whether a value is null. Through a relation, Strapi 3 compares the list of what it found: only an entry with a
 * related one has a null there.
 */
function nullTest(steps: readonly string[], field: string, isNull: unknown): Raw {
  const own = nest([...steps, field], { $null: isNull });
  if (steps.length === 0) return own;
  return isNull === true
    ? { $and: [own, nest(steps, { $null: false })] }
    : { $or: [own, nest(steps, { $null: true })] };
}

/** Tests an entry's own id. Each localization has one, so it is that of a document in a locale. */
function rowTest(ask: Query3, type: ContentType, operator: string, ids: readonly unknown[]): Raw {
  const isNegative = NEGATIVE.has(operator);
  const tests = ids.map((id) => {
    const { documentId, locale } =
      typeof id === 'string' ? ask.ids.rowOf(type.uid, id) : { documentId: id, locale: undefined };
    const place = { documentId, ...(locale !== undefined && showsLocales(type, ask.viewer) && { locale }) };
    const parts = Object.entries(place).map(([name, value]) => ({
      [name]: value === null ? { $null: !isNegative } : { [isNegative ? '$ne' : '$eq']: value },
    }));
    return isNegative ? { $or: parts } : { $and: parts };
  });
  return isNegative ? { $and: tests } : { $or: tests };
}

/** In Strapi 3's words. */
export const unknownField = (key: string) =>
  errors.validation(
    'key-invalid',
    `Your filters contain a field '${key}' that doesn't appear on your model definition nor its relations`,
    { key, path: key, source: 'query', param: 'filters' },
  );

/** Replaces old ids with documentIds. */
const idsIn = (ask: Ask3, uid: string, value: unknown): unknown =>
  Array.isArray(value)
    ? value.map((one) => idsIn(ask, uid, one))
    : typeof value === 'string'
      ? ask.ids.rowOf(uid, value).documentId
      : value;

function splitOperator(
  { viewer }: Query3,
  model: Model,
  step: string,
): { readonly name: string; readonly operator: string } {
  const at = step.lastIndexOf('_');
  const operator = OPERATORS.get(step.slice(at + 1));
  if (at <= 0 || operator === undefined || visibleNamed(model, step, viewer))
    return { name: step, operator: '$eq' };
  return { name: step.slice(0, at), operator };
}

const nest = (steps: readonly string[], inner: Raw): Raw =>
  steps.reduceRight<Raw>((below, step) => ({ [step]: below }), inner);
