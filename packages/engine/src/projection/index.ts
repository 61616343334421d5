export { compileProjection } from './compile-projection.js';
