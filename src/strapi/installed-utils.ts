import { createRequire } from 'node:module';
import { join } from 'node:path';
import { once } from '../values/once-per.js';
import { isObject } from '../values/plain-object.js';
import { alsoApplicationErrors } from './errors.js';
import type { Values } from './types.js';

/** The project's own `@strapi/utils`, loaded when code first asks for it; null: it is not installed. */
export const installedUtils = (root: string): (() => Values | null) =>
  once(() => {
    const require = createRequire(join(root, 'package.json'));
    try {
      // By its path: by its name, code of the project receives Mangrove's.
      const utils: unknown = require(require.resolve('@strapi/utils'));
      if (!isObject(utils)) return null;
      alsoApplicationErrors(Object(utils['errors'])['ApplicationError']);
      return utils;
    } catch {
      return null;
    }
  });
