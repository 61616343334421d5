import { ApiError, errors, type FieldError, fieldError } from '../../errors.js';
import { scalarOf } from '../../schema/scalars/index.js';
import type { ContentType, ScalarAttribute, ScalarType, Schema } from '../../schema/types.js';
import { memberOf, oncePer } from '../../values/once-per.js';
import type { WritePlanContext } from '../context.js';
import type { WritePlan } from '../plan/write-plan.js';
import type { ValidationMode } from './json-schema.js';
import { compileValidator, type Validator } from './validator.js';

/** A value of a relation identifies nothing. */
export const INVALID_RELATIONS = fieldError([], 'Invalid relations');

/** Drafts of a type with Draft & Publish may be incomplete; everything else is validated in full. */
export const modeOf = (type: ContentType): ValidationMode => (type.draftAndPublish ? 'draft' : 'published');

/** Errors to report along with those of the schema. */
interface CheckOptions {
  readonly mode: ValidationMode;
  readonly missing?: readonly FieldError[];
  /** Finds values that another entry has. Only called if there are other errors. */
  readonly taken?: () => Promise<readonly FieldError[]>;
}

/**
 * Validates a plan by the rules of its type and converts its scalars to stored form. Throws a 400 with all
 * errors at once: fields, `missing` targets and, if there are any errors, values that are taken.
 */
export async function checkPlan(
  context: WritePlanContext,
  plan: WritePlan,
  { mode, missing = [], taken }: CheckOptions,
): Promise<void> {
  const faults = validatorOf(context, plan.type).faults(plan, mode);
  // A zone that cannot be read has an error without a path; relations are then not looked for, as in Strapi.
  const isUnreadable = faults.some(({ path }) => path.length === 0);
  const relations = plan.invalidRelations ? [INVALID_RELATIONS] : missing;
  const list = isUnreadable ? faults : [...faults, ...relations];
  if (list.length === 0) return giveStoredForms(plan);
  throw errors.fields(inSchemaOrder([...list, ...((await taken?.()) ?? [])], plan.type));
}

/**
 * In Strapi's order: by the type's attributes, errors without an attribute last. An error is placed by the first name
 * that its path contains (`lastname` by `name`); of several in one place, the last attribute comes first.
 */
export function inSchemaOrder(
  list: readonly FieldError[],
  { attributes }: ContentType,
): readonly FieldError[] {
  // Nobody writes the `id`: it places no `uid`.
  const names = [...attributes.keys()].filter((name) => name !== 'id');
  const placed = list.map((error) => {
    const [name] = error.path;
    const text = error.path.join('.');
    const place = name === undefined ? names.length : names.findIndex((one) => text.includes(one));
    return { error, place, own: names.indexOf(String(name)) };
  });
  return placed
    .toSorted((one, other) => one.place - other.place || other.own - one.own)
    .map(({ error }) => error);
}

/** Drops the values of hidden attributes that have no stored form. */
export function giveStoredForms(plan: Pick<WritePlan, 'entries' | 'hidden'>): void {
  const excused = new Set(plan.hidden);
  for (const { values, attribute, path } of storedScalars(plan))
    try {
      values[attribute.name] = storedForms(attribute, values[attribute.name]);
    } catch (error) {
      if (!excused.has(`/${path.join('/')}`)) throw error;
      delete values[attribute.name];
    }
}

/**
 * The errors of dates and times in another format, which `checkPlan` reports only if there are no others.
 * @param known errors of the plan; a value that has one is left out
 */
export function malformedValues(plan: WritePlan, known: readonly FieldError[]): readonly FieldError[] {
  const excused = new Set([...plan.hidden, ...known.map(({ path }) => `/${path.join('/')}`)]);
  const found: FieldError[] = [];
  for (const { values, attribute, path } of storedScalars(plan)) {
    if (excused.has(`/${path.join('/')}`)) continue;
    const value = values[attribute.name];
    try {
      storedForms(attribute, value);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      found.push(fieldError(path, error.message, value));
    }
  }
  return found;
}

function* storedScalars({ entries }: Pick<WritePlan, 'entries'>) {
  for (const { model, path, values } of entries)
    for (const [name, value] of Object.entries(values)) {
      const attribute = model.attributes.get(name);
      if (attribute?.kind === 'scalar' && value !== undefined)
        yield { values, attribute, path: [...path, name] };
    }
}

const storedForms = ({ type, list }: ScalarAttribute, value: unknown): unknown =>
  Array.isArray(value) && list ? value.map((each) => storedForm(type, each)) : storedForm(type, value);

/**
 * A cast and valid scalar in stored form; null stays null. Throws a 400 for a date or time in another format.
 */
const storedForm = (type: ScalarType, value: unknown): unknown => {
  const { store } = scalarOf(type);
  return value === null || !store ? value : store(value);
};

const compiled = oncePer((_schema: Schema) => new Map<string, Validator>());

/** The compiled rules of a type, kept as long as its schema. */
export function validatorOf({ schema, config }: WritePlanContext, type: ContentType): Validator {
  const { strictRelations } = config.documents;
  return memberOf(compiled(schema), `${type.uid}/${strictRelations}`, () =>
    compileValidator(schema, type, { strictRelations }),
  );
}
