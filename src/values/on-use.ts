import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Loads a package when it is first used, for packages that most starts do not need. CommonJS only. */
export const packageOnUse =
  <T>(name: string): (() => T) =>
  () =>
    require(name) as T;
