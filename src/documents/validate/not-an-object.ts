import { errors } from '../../errors.js';
import { printValue } from '../../print-value.js';
import type { ContentType } from '../../schema/types.js';

/** The refusal of a body that is not an object (rules E.4). */
export const notAnObject = (type: ContentType, data: unknown, action: 'create' | 'update'): Error => {
  if (typeof data === 'object' && data !== null) {
    const message = `this must be a \`object\` type, but the final value was: \`null\` (cast from the value \`${printValue(data)}\`).`;
    return errors.fields([{ path: [], message, name: 'ValidationError', value: null }]);
  }
  const verb = action === 'create' ? 'creation' : 'update';
  return errors.validation(
    'data-not-an-object',
    `Invalid payload submitted for the ${verb} of an entity of type ${type.displayName}. Expected an object, but got ${data === null ? 'null' : typeof data}`,
  );
};
