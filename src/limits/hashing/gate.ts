import { createGate, type Gate } from '../gate.js';

/** Admits the work of hashing passwords: as many jobs as there are threads for it. */
export const hashing: Gate = createGate({ atOnce: 2, maxWaiting: 50 });
