import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** A package that is loaded where it is first used, for what most starts do without. CommonJS only. */
export const packageOnUse =
  <T>(name: string): (() => T) =>
  () =>
    require(name) as T;
