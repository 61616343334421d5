/** Validation of input by the schema: compiled once a type, used for each write (rules E). */
import type { Ajv, ValidateFunction } from 'ajv';
import { errors } from '../../errors.js';
import { printValue } from '../../print-value.js';
import type { ContentType, Schema } from '../../schema/types.js';
import { blocksSchema } from './blocks-schema.js';
import { castEntry, type Entry, isEntry } from './cast-entry.js';
import { checkDepth } from './depth.js';
import { isHidden, toFieldErrors } from './field-errors.js';
import { componentSchema, type Mode, modelSchema } from './json-schema.js';
import { createAjv } from './keywords.js';
import { withShortLists } from './short-lists.js';
import { storeEntry } from './store-entry.js';

export interface CheckOptions {
  /** `draft`: what is unfinished passes (rules E.3). A type without Draft & Publish is always `published`. */
  readonly mode: Mode;
  readonly action: 'create' | 'update';
  /** The data holds only what changes; nothing is said of, or filled in for, the rest. */
  readonly partial: boolean;
}

export interface Validator {
  /**
   * The own attributes of the data, cast and in stored form; references and media untouched. Unless `partial`, defaults
   * stand for what is absent, then null or `[]`. Items of components keep `id` on update only. Throws a 400 that lists
   * every refused field.
   */
  check(data: unknown, options: CheckOptions): Entry;
}

export interface ValidatorSettings {
  /** `documents.strictRelations` of the configuration. */
  readonly strictRelations: boolean;
}

const modes: readonly Mode[] = ['draft', 'published'];
const instances = new WeakMap<Schema, Map<string, Ajv>>();

/** One ajv a schema: components are compiled once, whatever number of types holds them. */
const ajvOf = (schema: Schema, settings: ValidatorSettings, allErrors: boolean): Ajv => {
  const known = instances.get(schema) ?? new Map<string, Ajv>();
  const key = `${settings.strictRelations}/${allErrors}`;
  instances.set(schema, known);
  const found = known.get(key);
  if (found) return found;
  const ajv = createAjv(allErrors);
  ajv.addSchema(blocksSchema);
  for (const component of schema.components.values())
    for (const mode of modes) ajv.addSchema(componentSchema(component, schema, { ...settings, mode }));
  known.set(key, ajv);
  return ajv;
};

const notAnObject = (type: ContentType, data: unknown, action: string): Error => {
  if (typeof data === 'object' && data !== null) {
    const message = `this must be a \`object\` type, but the final value was: \`null\` (cast from the value \`${printValue(data)}\`).`;
    return errors.fields([{ path: [], message, name: 'ValidationError', value: null }]);
  }
  const verb = action === 'create' ? 'creation' : 'update';
  return errors.validation(
    'data-not-an-object',
    `Invalid payload submitted for the ${verb} of an entity of type ${type.displayName}. Expected an object, but got ${data === null ? 'null' : typeof data}`,
  );
};

/** What a hidden attribute was given is kept only where it is valid. */
const withoutHiddenFaults = (value: Entry, paths: readonly string[]): Entry => {
  for (const path of paths) {
    const parts = path.split('/').slice(1);
    const name = parts.pop() ?? '';
    const parent = parts.reduce<unknown>(
      (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
      value,
    );
    if (isEntry(parent)) delete parent[name];
  }
  return value;
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

  const errorsIn = (value: Entry, { mode, partial }: CheckOptions, allErrors: boolean) => {
    const validate = compile(mode, partial, allErrors);
    return validate(value) ? [] : (validate.errors ?? []);
  };

  /** All errors; of a long list those of its beginning, since each costs as much as a hundred members that are right. */
  const findErrors = (value: Entry, options: CheckOptions, hidden: readonly string[]) => {
    const brief = withShortLists(value);
    if (brief === value) return errorsIn(value, options, true);
    const first = errorsIn(value, options, false);
    if (first.length === 0) return first;
    const found = errorsIn(brief, options, true);
    return found.some((error) => !isHidden(error, hidden)) ? found : errorsIn(value, options, true);
  };

  return {
    check(data, options) {
      if (!isEntry(data)) throw notAnObject(type, data, options.action);
      checkDepth(data);
      const { value, hidden } = castEntry(type, data, schema, options);
      const found = findErrors(value, options, hidden);
      const list = toFieldErrors(found, { original: data, action: options.action, hidden, order });
      if (list.length > 0) throw errors.fields(list);
      const faulty = hidden.filter((path) => found.some((error) => isHidden(error, [path])));
      return storeEntry(type, withoutHiddenFaults(value, faulty), schema, options.partial);
    },
  };
};
