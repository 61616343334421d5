export { compileUpdate, type Update } from './compile-update.js';
export { makeUpsert } from './make-upsert.js';
export type { UpdateOptions } from './options.js';
export { type CompiledUpdate, compileStatement } from './statement.js';
