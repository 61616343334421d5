import { type ApiError, errors, fieldError, notUnique } from '../../errors.js';
import { shorten } from '../../print-value.js';
import type { ContentType, Model, Schema } from '../../schema/types.js';
import type { InPlaceStep } from '../../store/adopted/in-place.js';
import { isDuplicateKey } from '../../store/connection/duplicate.js';
import { isUnavailable } from '../../store/connection/unavailable.js';
import { WriteConflict } from '../../store/entries/apply-step.js';
import { isPlainObject } from '../../values/plain-object.js';
import type { CommitContext } from '../context.js';

/**
 * Sends the changes of a write to adopted documents. Throws a 400 that names the attribute if the database
 * rejects them.
 */
export async function commitInPlace({ inPlace, events, adopted, schema }: CommitContext): Promise<void> {
  if (inPlace.length === 0) return;
  for (const step of inPlace) {
    try {
      await adopted.run(step);
    } catch (error) {
      if (step.kind === 'insert' && step.anyKey && isDuplicateKey(error) && isOfKey(error))
        throw new WriteConflict(step.type.collectionName);
      throw refusalOf(error, step.type, schema, writtenBy(step));
    }
  }
  await adopted.addEvents(
    events,
    inPlace.some(({ kind }) => kind !== 'saveDraft' && kind !== 'dropDraft'),
  );
}

const isOfKey = (error: unknown): boolean => duplicatePaths(error).join() === '_id';

function writtenBy(step: InPlaceStep): Readonly<Record<string, unknown>> {
  if (step.kind === 'insert') return step.document;
  return step.kind === 'update' ? step.set : {};
}

/** DocumentValidationFailure. */
const VALIDATION = 121;

interface ServerError {
  readonly name: string;
  readonly code: number;
  readonly message: string;
  readonly errInfo?: unknown;
  readonly keyPattern?: unknown;
}

const isServerError = (error: unknown): error is ServerError =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'number' &&
  /^Mongo.*Error$/.test(error.name);

/** UserNotFound: the account that Mangrove connects with was removed. */
const USER_NOT_FOUND = 11;
/** Unauthorized. */
const UNAUTHORIZED = 13;

/** The `ApiError` for an error of a write, or the error itself. `written` holds the values sent, by path. */
function refusalOf(
  error: unknown,
  type: ContentType,
  schema: Schema,
  written: Readonly<Record<string, unknown>>,
): ApiError | unknown {
  if (!isServerError(error) || isUnavailable(error) || error.code === USER_NOT_FOUND) return error;
  if (error.code === UNAUTHORIZED) return errors.readOnly(type.collectionName);
  const named = (path: string): readonly string[] => attributePath(type, schema, path.split('.'));
  if (isDuplicateKey(error)) {
    const paths = duplicatePaths(error).map((path) => notUnique(named(path), written[path]));
    return paths.length > 0 ? errors.fields(paths) : refused(error.message);
  }
  if (error.code === VALIDATION) {
    const found = rulesBroken(error.errInfo).map(({ path, says }) =>
      fieldError(
        named(path.join('.')),
        `${named(path.join('.')).join('.')} ${says}`,
        written[path.join('.')],
      ),
    );
    return found.length > 0 ? errors.fields(found) : refused(error.message);
  }
  return refused(error.message);
}

export const refused = (message: string): ApiError =>
  errors.application('write-refused', `The database rejected the write: ${shorten(message)}`);

/**
 * From the keys of the index; servers that do not report them name the index in the message, such as
 * `email_1`.
 */
function duplicatePaths(error: unknown): readonly string[] {
  if (!isServerError(error)) return [];
  const { keyPattern, message } = error;
  if (isPlainObject(keyPattern)) return Object.keys(keyPattern);
  if (/index:?\s+['"]?_id_/i.test(message)) return ['_id'];
  const index = /index:?\s+['"]?([^\s'"]+)/i.exec(message)?.[1] ?? '';
  return index.split(/_-?1(?:_|$)/).filter((path) => path !== '');
}

/** Attribute names for a stored path, from the root; the path itself if no attribute is stored there. */
function attributePath(model: Model, schema: Schema, path: readonly string[]): readonly string[] {
  if (path.length === 0) return [];
  const text = path.join('.');
  for (const attribute of model.attributes.values()) {
    if (attribute.system && attribute.stored === '_id' && text === '_id') return ['documentId'];
    if (attribute.system || !(text === attribute.stored || text.startsWith(`${attribute.stored}.`))) continue;
    const rest = text === attribute.stored ? [] : text.slice(attribute.stored.length + 1).split('.');
    const inner = attribute.kind === 'component' ? schema.components.get(attribute.component) : undefined;
    return [attribute.name, ...(inner ? attributePath(inner, schema, rest) : rest)];
  }
  return path;
}

interface Broken {
  readonly path: readonly string[];
  readonly says: string;
}

/**
 * Parses `errInfo.details` of MongoDB 5.0: which rules of `$jsonSchema` are not satisfied, and at which path.
 */
function rulesBroken(errInfo: unknown): readonly Broken[] {
  const found: Broken[] = [];
  const walk = (value: unknown, path: readonly string[]): void => {
    if (Array.isArray(value)) {
      for (const each of value) walk(each, path);
      return;
    }
    if (!isPlainObject(value)) return;
    const here =
      typeof value['propertyName'] === 'string'
        ? [...path, value['propertyName']]
        : typeof value['itemIndex'] === 'number'
          ? [...path, String(value['itemIndex'])]
          : path;
    if (value['operatorName'] === 'required' && Array.isArray(value['missingProperties']))
      for (const name of value['missingProperties'])
        found.push({ path: [...here, String(name)], says: 'must be given' });
    else if (typeof value['reason'] === 'string' && here.length > 0)
      found.push({
        path: here,
        says: `is rejected by the collection's validator: ${shorten(value['reason'])}`,
      });
    for (const key of [
      'details',
      'schemaRulesNotSatisfied',
      'propertiesNotSatisfied',
      'clausesNotSatisfied',
      'items',
    ])
      walk(value[key], here);
  };
  walk(errInfo, []);
  return found;
}
