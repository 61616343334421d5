import { parseTypes } from '../values/type-names.js';
import { bsonTypeOf } from '../values/types.js';
import { rawPresent } from './raw-tests.js';
import type { ValueTest } from './tests.js';

/** `$type`. */
export function testType(operand: unknown): ValueTest {
  const types = parseTypes(operand);
  return { test: (value) => value !== undefined && types.has(bsonTypeOf(value)) };
}

/** `$exists: true`; its opposite negates the whole path. */
export const TEST_EXISTS: ValueTest = { test: (value) => value !== undefined, raw: rawPresent };
