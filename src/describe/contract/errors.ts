import type { Describing } from './describing.js';
import {
  arrayOf,
  integerSchema,
  objectOf,
  openObjectOf,
  ref,
  schemaOrNull,
  stringSchema,
} from './json-schema.js';
import { HTTP_CODES } from './refusals.js';
import type { JsonSchema } from './types.js';

/** Named first, so that no content type takes these names. */
export const ERROR_RESPONSE: JsonSchema = ref('ErrorResponse');
export const ERROR_CODE: JsonSchema = ref('ErrorCode');

/** Null, in a form that all client generators understand: some fail on the type `null` alone. */
const ALWAYS_NULL: JsonSchema = { type: ['object', 'null'], description: 'Always null' };

/** Names the schemas of errors (docs/errors.md). */
export function nameErrors({ named, config }: Describing): void {
  const code = named('ErrorCode', () => ({ ...stringSchema, enum: HTTP_CODES }));
  named('ErrorResponse', () => {
    if (config.rest.compat === 'v3')
      return openObjectOf({ statusCode: integerSchema, error: stringSchema, message: {} }, [
        'statusCode',
        'error',
      ]);
    const fieldError = named('FieldError', () =>
      openObjectOf({ path: arrayOf(stringSchema), message: stringSchema, name: stringSchema, value: {} }, [
        'path',
        'message',
        'name',
      ]),
    );
    const details = openObjectOf(
      { code, errors: arrayOf(fieldError), key: stringSchema, path: schemaOrNull(stringSchema) },
      [],
    );
    return objectOf({
      data: ALWAYS_NULL,
      error: named('Error', () =>
        objectOf(
          {
            status: integerSchema,
            name: stringSchema,
            message: stringSchema,
            details,
            requestId: stringSchema,
          },
          ['status', 'name', 'message'],
        ),
      ),
    });
  });
}
