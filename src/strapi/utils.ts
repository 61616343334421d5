import { createEnv } from '../config/env.js';
import type { Schema } from '../schema/types.js';
import { strapiErrors } from './errors.js';
import { factoriesOf } from './factories.js';
import { installedUtils } from './installed-utils.js';
import { INSTALLED_UTILS, REFUSED } from './names.js';
import { ARRAYS, ASYNC, CONTENT_TYPES, DATES, OBJECTS, POLICY, STRINGS } from './primitives.js';
import type { Values } from './types.js';
import { refuse, refusedOnUse, withRefused } from './unsupported.js';

/** What `@strapi/utils` exports here. */
const PARTS = {
  contentTypes: CONTENT_TYPES,
  strings: STRINGS,
  arrays: ARRAYS,
  objects: OBJECTS,
  dates: DATES,
  async: ASYNC,
  policy: POLICY,
};

/** The packages of Strapi that a project's code imports, as Mangrove has them; installed or not. */
export function strapiPackages(root: string, schema: () => Schema): Record<string, Values> {
  const installed = installedUtils(root);
  const refused = (name: string): unknown => refusedOnUse(`@strapi/utils.${name}`);
  const ofEach = (names: Iterable<string>, get: (name: string) => unknown): PropertyDescriptorMap =>
    Object.fromEntries([...names].map((name) => [name, { enumerable: true, get: () => get(name) }]));
  const parts = Object.entries(PARTS).map(([name, part]) => [
    name,
    withRefused(`@strapi/utils.${name}`, part, 'all', (one) => Object(installed()?.[name])[one]),
  ]);
  const utils: Values = { errors: strapiErrors, env: createEnv(process.env), ...Object.fromEntries(parts) };
  Object.defineProperties(utils, ofEach(REFUSED['@strapi/utils'], refused));
  Object.defineProperties(
    utils,
    ofEach(INSTALLED_UTILS, (name) => installed()?.[name] ?? refused(name)),
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
