import { expect } from 'chai';
import { ApiError } from '../../src/errors.js';
import { SCALARS } from '../../src/schema/scalars/index.js';
import type { ScalarType } from '../../src/schema/types.js';
import { schemaOf, thing, typeFile } from '../support/schemas.js';
import { compileChecker } from './checker.js';

const TYPES = Object.keys(SCALARS) as ScalarType[];
const attributes = Object.fromEntries(
  TYPES.map((type) => [type, type === 'enumeration' ? { type, enum: ['a'] } : { type }]),
);
const schema = schemaOf(typeFile('thing', attributes));
const validator = compileChecker(schema, thing(attributes));

const messagesOf = (type: ScalarType, value: unknown): readonly string[] => {
  try {
    validator.check({ [type]: value }, { mode: 'published', action: 'update' });
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const list = error.details?.['errors'] as readonly { message: string }[] | undefined;
    return list?.map(({ message }) => message) ?? [error.message];
  }
};

/** The error for values of another JSON type, which never mentions their format (rules E.4). */
const EXPECTED: Readonly<Record<ScalarType, RegExp | null>> = {
  string: /must be a `string` type/,
  text: /must be a `string` type/,
  richtext: /must be a `string` type/,
  email: /must be a `string` type/,
  uid: /must be a `string` type/,
  password: /must be a `string` type/,
  enumeration: /must be a `string` type|must be one of the following values/,
  integer: /must be a `number` type, but the final value was: `NaN` \(cast from/,
  float: /must be a `number` type, but the final value was: `NaN` \(cast from/,
  decimal: /must be a `number` type, but the final value was: `NaN` \(cast from/,
  biginteger: /must be a valid integer/,
  boolean: /must be a `boolean` type/,
  time: /^Expected a string, got a (?:object|boolean)$/,
  // As recorded: these types mention the format for any value.
  date: /^Invalid format, expected yyyy-MM-dd$/,
  datetime: /^Invalid format, expected a timestamp or an ISO date$/,
  timestamp: /^Invalid format, expected a timestamp or an ISO date$/,
  json: null,
  blocks: null,
};

describe('validation: values of another JSON type', () => {
  for (const type of TYPES)
    for (const value of [{ a: 1 }, ['b'], ...(type === 'boolean' ? [] : [true])])
      it(`${type} ${JSON.stringify(value)}`, () => {
        const messages = messagesOf(type, value);
        const expected = EXPECTED[type];
        if (expected === null) return expect(type === 'blocks' || messages.length === 0).to.equal(true);
        expect(messages).to.not.eql([]);
        for (const message of messages) expect(message).to.match(expected);
      });

  it('a time given as a number is reported as a number', () =>
    expect(messagesOf('time', 830)).to.eql(['Expected a string, got a number']));
});
