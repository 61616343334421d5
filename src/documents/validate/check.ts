import { ApiError, errors, type FieldError } from '../../errors.js';
import type { ContentType, Schema } from '../../schema/types.js';
import type { Entry } from '../../store/changes.js';
import type { DocumentsContext, Source } from '../context.js';
import { findTaken } from '../resolve/unique.js';
import { type CheckOptions, compileValidator, type Validator } from './validator.js';

/** Drafts of a type with Draft & Publish may be unfinished; everything else is checked in full (rules E.3). */
export const modeOf = (type: ContentType): CheckOptions['mode'] =>
  type.draftAndPublish ? 'draft' : 'published';

/**
 * The data of a write, cast and in stored form. All that is wrong comes in one answer (rules E.1): the fields, `missing` targets and,
 * since the answer is an error anyway, values that another entry has already. Where nothing else is wrong the unique index decides.
 */
export async function checkData(
  context: DocumentsContext,
  source: Source,
  data: unknown,
  options: CheckOptions,
  missing: readonly FieldError[],
): Promise<Entry> {
  const list: FieldError[] = [];
  let value: Entry = {};
  try {
    value = validatorOf(context, source.type).check(data, options);
  } catch (error) {
    list.push(...fieldErrors(error));
  }
  list.push(...missing);
  if (list.length === 0) return value;
  if (options.mode === 'published') list.push(...(await findTaken(context, source, data as Entry)));
  throw errors.fields(list);
}

/** The list in a validation error; anything else is thrown on. */
function fieldErrors(error: unknown): readonly FieldError[] {
  if (error instanceof ApiError && Array.isArray(error.details?.['errors'])) return error.details['errors'];
  throw error;
}

const compiled = new WeakMap<Schema, Map<string, Validator>>();

function validatorOf({ schema, config }: DocumentsContext, type: ContentType): Validator {
  const known = compiled.get(schema) ?? new Map<string, Validator>();
  compiled.set(schema, known);
  const { strictRelations } = config.documents;
  const key = `${type.uid}/${strictRelations}`;
  const validator = known.get(key) ?? compileValidator(schema, type, { strictRelations });
  known.set(key, validator);
  return validator;
}
