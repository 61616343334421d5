import { deviations } from './deviations.js';

/** A run fails if a server deviated from the description of its API, whatever its tests checked. */
export const mochaHooks = {
  afterAll(): void {
    if (deviations.length === 0) return;
    const list = [...new Set(deviations)].slice(0, 20).join('\n');
    throw new Error(`${deviations.length} requests and answers are not as described:\n${list}`);
  },
};
