export { compileFilter } from './compile-filter.js';
