import type * as JsonLogic from 'json-logic-js';
import { packageOnUse } from '../../values/on-use.js';
import type { PlainObject } from '../../values/plain-object.js';

const jsonLogic = packageOnUse<typeof JsonLogic>('json-logic-js');

/**
 * Whether an attribute's `conditions.visible` (JSON Logic) holds, so that it is validated. A condition that
 * fails, such as one with an unknown operator, hides nothing.
 */
export const isVisible = (condition: unknown, data: PlainObject): boolean => {
  if (condition === undefined || condition === null) return true;
  try {
    // Without a prototype, so that `var` finds only what the entry has.
    const own = Object.assign(Object.create(null), data);
    const { apply, truthy } = jsonLogic();
    return truthy(apply(condition as JsonLogic.RulesLogic, own));
  } catch {
    return true;
  }
};
