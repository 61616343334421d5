import { emptyValue } from '../../src/documents/entry/fields.js';
import { planWrite } from '../../src/documents/plan/plan-write.js';
import { giveStoredForms } from '../../src/documents/validate/check.js';
import type { ValidationMode } from '../../src/documents/validate/json-schema.js';
import { compileValidator, type ValidatorSettings } from '../../src/documents/validate/validator.js';
import { errors } from '../../src/errors.js';
import type { ContentType, Schema } from '../../src/schema/types.js';
import type { Entry } from '../../src/store/entries/changes.js';
import { oncePer } from '../../src/values/once-per.js';

export interface CheckOptions {
  readonly mode: ValidationMode;
  readonly action: 'create' | 'update';
}

/** With the default settings. */
const compiledOnce = oncePer((schema: Schema) =>
  oncePer((type: ContentType) => compileValidator(schema, type)),
);

/** A body as planned and checked by a write, without a database: its values in stored form, or the 400. */
export const compileChecker = (schema: Schema, type: ContentType, settings?: ValidatorSettings) => {
  const validator = settings ? compileValidator(schema, type, settings) : compiledOnce(schema)(type);
  return {
    check(data: unknown, { mode, action }: CheckOptions): Entry {
      const plan = planWrite(schema, { type, data, action });
      const faults = validator.faults(plan, mode);
      if (faults.length > 0) throw errors.fields(faults);
      giveStoredForms(plan);
      // As when an entry is built: missing values of a new one are empty.
      for (const { model, values, path } of plan.entries)
        for (const attribute of model.attributes.values()) {
          const isNew = path.length === 0 ? action === 'create' : values['id'] === undefined;
          const isLink = attribute.kind === 'relation' || attribute.kind === 'media';
          if (isNew && !isLink && !attribute.system) values[attribute.name] ??= emptyValue(attribute);
        }
      return plan.root.values;
    },
  };
};
