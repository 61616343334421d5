/** Validates bodies by the schema: compiled once per type, used for each write. */
import type { Ajv, ValidateFunction } from 'ajv';
import type { FieldError } from '../../errors.js';
import type { ContentType, Schema } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import { memberOf, oncePer } from '../../values/once-per.js';
import { isObject, isPlainObject } from '../../values/plain-object.js';
import type { WritePlan } from '../plan/write-plan.js';
import { blocksSchema } from './blocks-schema.js';
import { isHidden, toFieldErrors } from './field-errors.js';
import { componentItemSchema, modelSchema, type ValidationMode, type Variant } from './json-schema.js';
import { createAjv } from './keywords.js';

export interface Validator {
  /**
   * The errors of a plan by the rules of `mode`, in the order of the schema. With `draft`, incomplete values
   * pass. Types without Draft & Publish are always `published`.
   */
  faults(plan: WritePlan, mode: ValidationMode): readonly FieldError[];
}

export interface ValidatorSettings {
  /** `documents.strictRelations` of the configuration. */
  readonly strictRelations: boolean;
}

const variants: readonly Variant[] = (['draft', 'published'] as const).flatMap((mode) =>
  [false, true].map((partial) => ({ mode, partial })),
);
const instances = oncePer((_schema: Schema) => new Map<string, Ajv>());

/** One ajv per schema, so that a component is compiled once for all types that use it. */
const ajvOf = (schema: Schema, settings: ValidatorSettings, allErrors: boolean): Ajv =>
  memberOf(instances(schema), `${settings.strictRelations}/${allErrors}`, () => {
    const ajv = createAjv(allErrors);
    ajv.addSchema(blocksSchema);
    for (const component of schema.components.values())
      for (const variant of variants)
        ajv.addSchema(componentItemSchema(component, schema, { ...settings, ...variant }));
    return ajv;
  });

/** Drops the invalid values of hidden attributes. */
const dropInvalid = (values: Entry, paths: readonly string[]): void => {
  for (const path of paths) {
    const parts = path.split('/').slice(1);
    const name = parts.pop() ?? '';
    const parent = parts.reduce<unknown>(
      (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
      values,
    );
    if (isObject(parent)) delete parent[name];
  }
};

/** Compiles the variants of a content type's rules, each on first use. */
export const compileValidator = (
  schema: Schema,
  type: ContentType,
  settings: ValidatorSettings = { strictRelations: false },
): Validator => {
  const order = [...type.attributes.keys()];
  const compiled = new Map<string, ValidateFunction>();

  const compile = (mode: ValidationMode, partial: boolean, allErrors: boolean): ValidateFunction => {
    const key = `${mode}/${partial}/${allErrors}`;
    const ajv = ajvOf(schema, settings, allErrors);
    const validate =
      compiled.get(key) ?? ajv.compile(modelSchema(type, schema, { ...settings, mode, partial }));
    compiled.set(key, validate);
    return validate;
  };

  const errorsIn = (value: Entry, { mode, partial }: Variant, allErrors: boolean) => {
    const validate = compile(mode, partial, allErrors);
    return validate(value) ? [] : (validate.errors ?? []);
  };

  /**
   * All errors. Of long lists only the first members are reported in full, since an error costs as much as a
   * hundred valid members.
   */
  const findErrors = (value: Entry, options: Variant, hidden: readonly string[]) => {
    const first = errorsIn(value, options, false);
    if (first.length === 0) return first;
    const found = errorsIn(withShortLists(value) as Entry, options, true);
    return found.some((error) => !isHidden(error, hidden)) ? found : errorsIn(value, options, true);
  };

  return {
    faults({ root, original, action, hidden }, mode) {
      const found = findErrors(root.values, { mode, partial: action === 'update' }, hidden);
      if (found.length === 0) return [];
      const list = toFieldErrors(found, { original, action, hidden, order });
      if (list.length === 0)
        dropInvalid(
          root.values,
          hidden.filter((path) => found.some((error) => isHidden(error, [path]))),
        );
      return list;
    },
  };
};

/** The longest list of which every invalid member is reported. */
const MAX_MEMBERS = 500;

/** A value with each list, at any depth, cut to its first members. */
function withShortLists(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, MAX_MEMBERS).map(withShortLists);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withShortLists(member)]));
}
