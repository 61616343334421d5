import { errors } from '../../errors.js';

/** BSON holds 100 levels; an entry and its envelope need some of them. */
const maxDepth = 90;

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1)));

/** Refuses a body that is nested deeper than can be stored, naming the field, before anything else walks it. */
export const checkDepth = (data: unknown): void => {
  if (typeof data !== 'object' || data === null) return;
  for (const [field, value] of Object.entries(data))
    if (isDeeper(value, maxDepth - 1))
      throw errors.validation('body-too-deep', `${field} is nested deeper than ${maxDepth} levels`, {
        field,
      });
};
