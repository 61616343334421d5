export { compileFilter } from './compile-filter.js';
export { matchPath, type TestDocument } from './match-path.js';
export type { FilterOptions } from './options.js';
export { isRegex, makeRegex } from './regex.js';
