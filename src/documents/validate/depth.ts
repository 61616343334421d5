import { errors } from '../../errors.js';

/** BSON holds 100 levels; an entry and its envelope need some of them. */
const maxDepth = 90;

/** Refuses a body that is nested deeper than can be stored, before anything walks it recursively. Walks level by level. */
export const checkDepth = (data: unknown): void => {
  let level: unknown[] = [data];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) throw errors.validation(`The data is nested deeper than ${maxDepth} levels`);
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value as object) : [],
    );
  }
};
