/** What ajv found, as Strapi reports it: one table of words, paths of strings, in the order of the schema (rules E.2). */
import type { ErrorObject } from 'ajv';
import type { FieldError } from '../../errors.js';
import { fillMessage, type MessageInput, messages } from './messages.js';

/** Keywords that say only that a branch failed, whose own errors are listed too. */
const silent = new Set(['if']);
/** Where one of these failed, nothing else is said of the same value, */
const decisive = new Set(['type', 'numeric', 'finite', 'nodeType', 'knownComponent']);
/** but these: a list of values is held against a value of any type. */
const besides = new Set(['required', 'enum']);

const pathOf = (error: ErrorObject): string[] => {
  const path = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const missing: unknown = error.params['missingProperty'];
  return typeof missing === 'string' ? [...path, missing] : path;
};

/** `links[0].label`; `this` for the whole. */
export const fieldName = (path: readonly string[]): string =>
  path.reduce(
    (name, part) => (/^\d+$/.test(part) ? `${name}[${part}]` : name ? `${name}.${part}` : part),
    '',
  ) || 'this';

const readAt = (data: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? Reflect.get(value, key)
        : undefined,
    data,
  );

const wordsOf = (error: ErrorObject): string | undefined => {
  const own: unknown = error.parentSchema?.['messages'];
  if (typeof own !== 'object' || own === null) return undefined;
  const missing: unknown = error.params['missingProperty'];
  const words: unknown = Reflect.get(own, `${error.keyword}:${missing}`) ?? Reflect.get(own, error.keyword);
  return typeof words === 'string' ? words : undefined;
};

export interface FieldErrorContext {
  /** The data as it came, for "(cast from the value …)". */
  readonly original: unknown;
  readonly action: 'create' | 'update';
  /** ajv paths of attributes whose errors do not count. */
  readonly hidden: readonly string[];
  /** Names of the attributes, in order. */
  readonly order: readonly string[];
}

const toFieldError = (error: ErrorObject, context: FieldErrorContext): FieldError => {
  const path = pathOf(error);
  const value = error.keyword === 'required' ? undefined : error.data;
  const input: MessageInput = {
    field: fieldName(path),
    limit: error.schema,
    value,
    original: readAt(context.original, path),
    action: context.action,
  };
  const words = wordsOf(error);
  const message =
    words === undefined
      ? (messages[error.keyword]?.(input) ?? `${input.field} is invalid`)
      : fillMessage(words, input);
  return { path, message, name: 'ValidationError', ...(value === undefined ? {} : { value }) };
};

/** Strapi's second word on a zone item without a component that it knows: it cannot look for the item's relations either. */
const zoneErrors = (found: readonly ErrorObject[], original: unknown): FieldError[] => {
  const message = found.some((error) => error.params['missingProperty'] === '__component')
    ? 'Cannot build relations store from dynamiczone, component identifier is undefined'
    : found.some((error) => error.keyword === 'knownComponent')
      ? 'Invalid relations'
      : null;
  return message === null ? [] : [{ path: [], message, name: 'ValidationError', value: original }];
};

/** Whether the error lies in an attribute that is hidden. */
export const isHidden = (error: ErrorObject, hidden: readonly string[]): boolean => {
  const path = `/${pathOf(error).join('/')}`;
  return hidden.some((at) => path === at || path.startsWith(`${at}/`));
};

/** What ajv found beyond this says nothing new, and each costs memory. */
const MAX_FOUND = 5000;

/** Each message at each place once. */
function distinct(list: readonly FieldError[]): FieldError[] {
  const seen = new Set<string>();
  return list.filter(({ path, message }) => {
    const key = `${path.join('/')} ${message}`;
    return !seen.has(key) && seen.add(key);
  });
}

/** The members of `details.errors`; none where only hidden attributes failed. */
export const toFieldErrors = (found: readonly ErrorObject[], context: FieldErrorContext): FieldError[] => {
  const spoken = found
    .slice(0, MAX_FOUND)
    .filter((error) => !silent.has(error.keyword) && !isHidden(error, context.hidden));
  const decided = new Set(
    spoken.filter((error) => decisive.has(error.keyword)).map((error) => error.instancePath),
  );
  // An item that is not an object fails for every component that it might be.
  const list = distinct(
    spoken
      .filter(
        (error) =>
          decisive.has(error.keyword) || !decided.has(error.instancePath) || besides.has(error.keyword),
      )
      .map((error) => toFieldError(error, context)),
  );
  const place = ({ path }: FieldError): number => context.order.indexOf(path[0] ?? '');
  return [...list.sort((left, right) => place(left) - place(right)), ...zoneErrors(spoken, context.original)];
};
