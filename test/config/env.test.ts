import { expect } from 'chai';
import { createEnv, type Env } from '../../src/config/env.js';
import { ConfigError } from '../../src/config/error.js';

const variables = {
  TEXT: 'a',
  INT: '42',
  HALF: '1.5',
  YES: 'true',
  ONE: '1',
  JSON: '{"a":[1]}',
  BAD: '{',
  LIST: ' a, "b" ',
  BRACKETS: "[a,'b']",
  DAY: '2024-01-31',
  EMPTY: '',
};

/** Rules J.1. */
const cases: readonly (readonly [string, (env: Env) => unknown, unknown])[] = [
  ['env("TEXT")', (env) => env('TEXT'), 'a'],
  ['env("NONE")', (env) => env('NONE'), undefined],
  ['env("NONE", "x")', (env) => env('NONE', 'x'), 'x'],
  ['env("EMPTY", "x")', (env) => env('EMPTY', 'x'), ''],
  ['env.int("INT")', (env) => env.int('INT'), 42],
  ['env.int("HALF")', (env) => env.int('HALF'), 1],
  ['env.int("NONE", 3)', (env) => env.int('NONE', 3), 3],
  ['env.float("HALF")', (env) => env.float('HALF'), 1.5],
  ['env.bool("YES")', (env) => env.bool('YES'), true],
  ['env.bool("ONE")', (env) => env.bool('ONE', true), false],
  ['env.bool("NONE", true)', (env) => env.bool('NONE', true), true],
  ['env.json("JSON")', (env) => env.json('JSON'), { a: [1] }],
  ['env.json("NONE", 1)', (env) => env.json('NONE', 1), 1],
  ['env.array("LIST")', (env) => env.array('LIST'), ['a', 'b']],
  ['env.array("BRACKETS")', (env) => env.array('BRACKETS'), ['a', 'b']],
  ['env.date("DAY")', (env) => env.date('DAY'), new Date('2024-01-31')],
  ['env.oneOf("TEXT", a and b)', (env) => env.oneOf('TEXT', ['a', 'b'], 'b'), 'a'],
  ['env.oneOf("INT", a and b)', (env) => env.oneOf('INT', ['a', 'b'], 'b'), 'b'],
];

describe('config/env', () => {
  for (const [name, call, expected] of cases)
    it(`${name} returns ${JSON.stringify(expected)}`, () => {
      expect(call(createEnv(variables))).to.eql(expected);
    });

  it('names the variable that is not valid JSON', () => {
    expect(() => createEnv(variables).json('BAD')).to.throw(
      ConfigError,
      /Invalid json environment variable BAD: /,
    );
  });
});
