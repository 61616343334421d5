import { createGate, type Gate } from './gate.js';

/**
 * Admits the work of hashing passwords. The threads that do it also read files and resize images, so some are
 * left to those.
 */
export const hashing: Gate = createGate({ atOnce: 2, maxWaiting: 50 });
