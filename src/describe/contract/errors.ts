import type { Describing } from './describing.js';
import { integer, listOf, openRecord, orNull, record, text } from './json-schema.js';
import { HTTP_CODES } from './refusals.js';
import type { JsonSchema } from './types.js';

/** The shape of every refusal (docs/errors.md). */
export const errorSchema = ({ named, config }: Describing): JsonSchema =>
  named('Error', 'error', () => {
    if (config.rest.compat === 'v3')
      return openRecord({ statusCode: integer, error: text, message: {} }, ['statusCode', 'error']);
    const fieldError = named('FieldError', 'field error', () =>
      openRecord({ path: listOf(text), message: text, name: text, value: {} }, ['path', 'message', 'name']),
    );
    const code = named('ErrorCode', 'error code', () => ({ ...text, enum: [...HTTP_CODES].sort() }));
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
