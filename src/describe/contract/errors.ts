import type { Describing } from './describing.js';
import { integer, listOf, openRecord, orNull, record, ref, text } from './json-schema.js';
import { HTTP_CODES } from './refusals.js';
import type { JsonSchema } from './types.js';

/** Named first, so that no content type takes these names. */
export const ERROR_RESPONSE: JsonSchema = ref('ErrorResponse');
export const ERROR_CODE: JsonSchema = ref('ErrorCode');

/** Null, in a form that all client generators understand: some fail on the type `null` alone. */
const ALWAYS_NULL: JsonSchema = { type: ['object', 'null'], description: 'Always null' };

/** Names the schemas of errors (docs/errors.md). */
export function nameErrors({ named, config }: Describing): void {
  const code = named('ErrorCode', () => ({ ...text, enum: HTTP_CODES }));
  named('ErrorResponse', () => {
    if (config.rest.compat === 'v3')
      return openRecord({ statusCode: integer, error: text, message: {} }, ['statusCode', 'error']);
    const fieldError = named('FieldError', () =>
      openRecord({ path: listOf(text), message: text, name: text, value: {} }, ['path', 'message', 'name']),
    );
    const details = openRecord({ code, errors: listOf(fieldError), key: text, path: orNull(text) }, []);
    return record({
      data: ALWAYS_NULL,
      error: named('Error', () =>
        record({ status: integer, name: text, message: text, details, requestId: text }, [
          'status',
          'name',
          'message',
        ]),
      ),
    });
  });
}
