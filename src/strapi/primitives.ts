import { isObject } from '../values/plain-object.js';
import { isCallable, type Values } from './types.js';

const optionOf = (model: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), model);

const typeOf = (attribute: unknown): unknown => optionOf(attribute, 'type');
const isOneOf =
  (...types: readonly string[]) =>
  (attribute: unknown): boolean =>
    types.includes(String(typeOf(attribute)));
const hasDraftAndPublish = (model: unknown): boolean =>
  optionOf(model, 'options', 'draftAndPublish') === true;
const kindOf = (model: unknown): unknown => optionOf(model, 'kind') ?? 'collectionType';

/** `contentTypes` of `@strapi/utils`, for types as `strapi.contentType` returns them. */
export const CONTENT_TYPES: Values = {
  constants: {
    ID_ATTRIBUTE: 'id',
    DOC_ID_ATTRIBUTE: 'documentId',
    PUBLISHED_AT_ATTRIBUTE: 'publishedAt',
    FIRST_PUBLISHED_AT_ATTRIBUTE: 'firstPublishedAt',
    CREATED_BY_ATTRIBUTE: 'createdBy',
    UPDATED_BY_ATTRIBUTE: 'updatedBy',
    CREATED_AT_ATTRIBUTE: 'createdAt',
    UPDATED_AT_ATTRIBUTE: 'updatedAt',
    SINGLE_TYPE: 'singleType',
    COLLECTION_TYPE: 'collectionType',
  },
  isSingleType: (model: unknown) => kindOf(model) === 'singleType',
  isCollectionType: (model: unknown) => kindOf(model) === 'collectionType',
  isKind: (kind: string) => (model: unknown) => optionOf(model, 'kind') === kind,
  hasDraftAndPublish,
  isDraft: (data: unknown, model: unknown) =>
    hasDraftAndPublish(model) && optionOf(data, 'publishedAt') === null,
  isScalarAttribute: (attribute: unknown) =>
    isObject(attribute) && !isOneOf('media', 'component', 'relation', 'dynamiczone')(attribute),
  isMediaAttribute: isOneOf('media'),
  isRelationalAttribute: isOneOf('relation'),
  isComponentAttribute: isOneOf('component', 'dynamiczone'),
  isDynamicZoneAttribute: isOneOf('dynamiczone'),
  isTypedAttribute: (attribute: unknown, type: string) => typeOf(attribute) === type,
};

/** Texts of `strings` that projects use. */
export const STRINGS: Values = {
  toKebabCase: (text: string) =>
    text
      .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
      .replace(/[\s_]+/g, '-')
      .toLowerCase(),
  startsWithANumber: (text: string) => /^\d/.test(text),
  isCamelCase: (text: string) => /^[a-z][a-zA-Z0-9]+$/.test(text),
  isKebabCase: (text: string) => /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(text),
  isEqual: (a: unknown, b: unknown) => String(a) === String(b),
};

export const ARRAYS: Values = {
  includesString: (list: readonly unknown[], value: unknown) => list.map(String).includes(String(value)),
};

const keysDeep = (value: unknown, path: readonly string[] = []): readonly string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => keysDeep(inner, [...path, name]))
    : [path.join('.')];

export const OBJECTS: Values = { keysDeep };

export const DATES: Values = {
  timestampCode: (date = new Date()) => date.getTime().toString(36),
};

type Step = (...values: unknown[]) => unknown;

/** Maps a list, as many at once as `concurrency` says. */
async function mapped(
  list: Iterable<unknown>,
  map: Step,
  { concurrency = Number.POSITIVE_INFINITY } = {},
): Promise<unknown[]> {
  const values = [...list];
  const results: unknown[] = [];
  const waiting = values.entries();
  const work = async (): Promise<void> => {
    for (const [at, value] of waiting) results[at] = await map(await value, at);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, values.length) }, work));
  return results;
}

export const ASYNC: Values = {
  pipe:
    (first: Step, ...rest: readonly Step[]) =>
    async (...given: unknown[]): Promise<unknown> => {
      let result = await first(...given);
      for (const step of rest) result = await step(result);
      return result;
    },
  map: (list: Iterable<unknown>, map?: Step, options?: { concurrency?: number }): unknown =>
    map ? mapped(list, map, options) : (step: Step) => mapped(list, step),
  reduce:
    (list: readonly unknown[]) =>
    async (step: Step, start: unknown): Promise<unknown> => {
      let result = start;
      for (const [at, value] of list.entries()) result = await step(result, await value, at);
      return result;
    },
};

/** A policy whose configuration is checked; what it throws says which policy. */
export const POLICY: Values = {
  createPolicy: ({ name = 'unnamed', validator, handler }: Values): Values => ({
    name,
    handler,
    validator: (config: unknown) => {
      if (!isCallable(validator)) return;
      try {
        validator(config);
      } catch {
        throw new Error(`Invalid config passed to "${String(name)}" policy.`);
      }
    },
  }),
};
