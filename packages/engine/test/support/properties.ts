import fc from 'fast-check';
import { SEED } from './random.js';

/** All properties begin from the run's seed, and the report of one that fails says what its check threw. */
fc.configureGlobal({ seed: SEED, includeErrorInReport: true });
