export { compileProjection, type ProjectionOptions } from './compile-projection.js';
