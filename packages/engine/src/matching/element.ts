import { parseTypes } from '../values/type-names.js';
import { bsonTypeOf } from '../values/types.js';
import type { TestValue } from './match-path.js';
import { rawPresent, withRaw } from './raw-tests.js';

/** `$type`. */
export function testType(operand: unknown): TestValue {
  const types = parseTypes(operand);
  return (value) => value !== undefined && types.has(bsonTypeOf(value));
}

const exists: TestValue = withRaw((value) => value !== undefined, rawPresent);

/** `$exists: true`; its opposite negates the whole path. */
export const testExists = (): TestValue => exists;
