import { ERROR_CODES } from '../../error-codes.js';
import type { Describing } from './describing.js';
import { integer, listOf, openRecord, orNull, record, text } from './json-schema.js';
import type { JsonSchema } from './types.js';

/** The shape of every refusal (docs/errors.md). */
export const errorSchema = ({ named }: Describing): JsonSchema =>
  named('Error', 'error', () => {
    const fieldError = named('FieldError', 'field error', () =>
      openRecord({ path: listOf(text), message: text, name: text, value: {} }, ['path', 'message', 'name']),
    );
    const code = named('ErrorCode', 'error code', () => ({ ...text, enum: [...ERROR_CODES].sort() }));
    const details = openRecord({ code, errors: listOf(fieldError), key: text, path: orNull(text) }, []);
    return record({
      data: { type: 'null' },
      error: openRecord({ status: integer, name: text, message: text, details, requestId: text }, [
        'status',
        'name',
        'message',
      ]),
    });
  });
