import { createEnv } from '../config/env.js';
import type { Schema } from '../schema/types.js';
import { isObject } from '../values/plain-object.js';
import { strapiErrors } from './errors.js';
import { factoriesOf } from './factories.js';
import { REFUSED } from './names.js';
import type { Values } from './types.js';
import { refuse, withRefused } from './unsupported.js';

const optionOf = (model: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), model);

/** What `contentTypes` of `@strapi/utils` tells of a type as `strapi.contentType` returns it. */
const CONTENT_TYPES: Values = {
  isSingleType: (model: unknown) => optionOf(model, 'kind') === 'singleType',
  isCollectionType: (model: unknown) => optionOf(model, 'kind') === 'collectionType',
  hasDraftAndPublish: (model: unknown) => optionOf(model, 'options', 'draftAndPublish') === true,
};

/** Texts of `strings` of `@strapi/utils` that projects use. */
const STRINGS: Values = {
  toKebabCase: (text: string) =>
    text
      .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
      .replace(/[\s_]+/g, '-')
      .toLowerCase(),
  startsWithANumber: (text: string) => /^\d/.test(text),
};

const POLICY: Values = {
  createPolicy: (policy: Values): unknown => policy,
};

const ASYNC: Values = {
  pipeAsync:
    (...steps: ((value: unknown) => unknown)[]) =>
    async (value: unknown): Promise<unknown> => {
      let result = value;
      for (const step of steps) result = await step(result);
      return result;
    },
};

/** The packages of Strapi that a project's code imports, as Mangrove has them; installed or not. */
export function strapiPackages(schema: Schema): Record<string, Values> {
  const utils = withRefused<Values>(
    '@strapi/utils',
    {
      errors: strapiErrors,
      env: createEnv(process.env),
      contentTypes: withRefused('@strapi/utils.contentTypes', CONTENT_TYPES, 'all'),
      strings: withRefused('@strapi/utils.strings', STRINGS, 'all'),
      policy: withRefused('@strapi/utils.policy', POLICY, 'all'),
      async: withRefused('@strapi/utils.async', ASYNC, 'all'),
    },
    REFUSED['@strapi/utils'],
  );
  const refuseStart = (): never => refuse('createStrapi');
  const strapi = {
    factories: factoriesOf(schema),
    createStrapi: refuseStart,
    compileStrapi: refuseStart,
  };
  return {
    '@strapi/strapi': { ...strapi, default: strapi },
    '@strapi/core': { ...strapi, default: strapi },
    '@strapi/utils': utils,
    '@strapi/types': {},
  };
}
