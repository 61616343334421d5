import type { JsonSchema } from './json-schema.js';

/** `rule` holds where `condition` does. Said with `else`, since an object with a key `then` passes for a promise. */
export const ifThen = (condition: JsonSchema, rule: JsonSchema): JsonSchema => ({
  if: { not: condition },
  else: rule,
});
