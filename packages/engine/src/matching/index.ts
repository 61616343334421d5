export { isRegex, makeRegex } from '../values/regex.js';
export { compileFilter } from './compile-filter.js';
export { matchPath, type TestDocument } from './match-path.js';
export type { FilterOptions } from './options.js';
