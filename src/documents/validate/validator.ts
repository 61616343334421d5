/** Validation of input by the schema: compiled once a type, used for each write (rules E). */
import type { Ajv, ValidateFunction } from 'ajv';
import type { FieldError } from '../../errors.js';
import type { ContentType, Schema } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import { memberOf, oncePer } from '../../values/once-per.js';
import { isObject, isPlainObject } from '../../values/plain-object.js';
import type { WritePlan } from '../plan/write-plan.js';
import { blocksSchema } from './blocks-schema.js';
import { isHidden, toFieldErrors } from './field-errors.js';
import { componentSchema, type Mode, modelSchema } from './json-schema.js';
import { createAjv } from './keywords.js';

export interface Validator {
  /**
   * Every field of the plan that the rules of `mode` refuse, in the order of the schema. `draft`: what is unfinished passes (rules
   * E.3). A type without Draft & Publish is always `published`.
   */
  faults(plan: WritePlan, mode: Mode): readonly FieldError[];
}

/** Which rules: those of drafts or of what is published, for the whole or for what changes. */
interface Variant {
  readonly mode: Mode;
  readonly partial: boolean;
}

export interface ValidatorSettings {
  /** `documents.strictRelations` of the configuration. */
  readonly strictRelations: boolean;
}

const modes: readonly Mode[] = ['draft', 'published'];
const instances = oncePer((_schema: Schema) => new Map<string, Ajv>());

/** One ajv a schema: components are compiled once, however many types hold them. */
const ajvOf = (schema: Schema, settings: ValidatorSettings, allErrors: boolean): Ajv =>
  memberOf(instances(schema), `${settings.strictRelations}/${allErrors}`, () => {
    const ajv = createAjv(allErrors);
    ajv.addSchema(blocksSchema);
    for (const component of schema.components.values())
      for (const mode of modes) ajv.addSchema(componentSchema(component, schema, { ...settings, mode }));
    return ajv;
  });

/** What a hidden attribute was given is kept only where it is valid. */
const dropFaults = (values: Entry, paths: readonly string[]): void => {
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

/** Compiles the draft and the published variants of a content type's rules; each when it is first needed. */
export const compileValidator = (
  schema: Schema,
  type: ContentType,
  settings: ValidatorSettings = { strictRelations: false },
): Validator => {
  const order = [...type.attributes.keys()];
  const compiled = new Map<string, ValidateFunction>();

  const compile = (mode: Mode, partial: boolean, allErrors: boolean): ValidateFunction => {
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

  /** All errors; of a long list those of its beginning, since each costs as much as a hundred members that are right. */
  const findErrors = (value: Entry, options: Variant, hidden: readonly string[]) => {
    const brief = withShortLists(value);
    if (brief === value) return errorsIn(value, options, true);
    const first = errorsIn(value, options, false);
    if (first.length === 0) return first;
    const found = errorsIn(brief, options, true);
    return found.some((error) => !isHidden(error, hidden)) ? found : errorsIn(value, options, true);
  };

  return {
    faults({ root, original, action, hidden }, mode) {
      const found = findErrors(root.values, { mode, partial: action === 'update' }, hidden);
      if (found.length === 0) return [];
      const list = toFieldErrors(found, { original, action, hidden, order });
      if (list.length === 0)
        dropFaults(
          root.values,
          hidden.filter((path) => found.some((error) => isHidden(error, [path]))),
        );
      return list;
    },
  };
};

/** Members of a list that are validated one by one even when some are wrong. */
const MAX_MEMBERS = 500;

/** A value with no more than the first members of each list at any depth; the value itself where none is longer. */
function withShortLists(value: Entry): Entry {
  return hasLongList(value) ? (shorten(value) as Entry) : value;
}

const hasLongList = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.length > MAX_MEMBERS || value.some(hasLongList)
    : isObject(value) && Object.values(value).some(hasLongList);

function shorten(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, MAX_MEMBERS).map(shorten);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shorten(member)]));
}
