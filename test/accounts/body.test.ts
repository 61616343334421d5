import { expect } from 'chai';
import { RULES } from '../../src/access/accounts/rules.js';
import { checkBody, type Rules } from '../../src/access/body.js';
import { ApiError } from '../../src/errors.js';

const messagesOf = (body: unknown, rules: Rules): string[] => {
  try {
    checkBody(body, rules);
    return [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const list = error.details?.['errors'] as { message: string }[];
    return list.map(({ message }) => message);
  }
};

const STRONG = 'secret-1';

describe('access/body', () => {
  const CASES: readonly (readonly [string, unknown, Rules, readonly string[]])[] = [
    ['a sign-in', { identifier: 'amy', password: 'x' }, RULES.signIn, []],
    ['no body', undefined, RULES.signIn, ['identifier is a required field', 'password is a required field']],
    ['an empty string', { identifier: '', password: 'x' }, RULES.signIn, ['identifier is a required field']],
    [
      'numbers and objects instead of strings',
      { identifier: 5, password: {} },
      RULES.signIn,
      [
        'identifier must be a `string` type, but the final value was: `5`.',
        'password must be a `string` type, but the final value was: `{}`.',
      ],
    ],
    ['a list', [], RULES.signIn, ['this must be a `object` type, but the final value was: `[]`.']],
    [
      'an invalid email',
      { email: 'no', username: 'abc', password: STRONG },
      RULES.register,
      ['email must be a valid email'],
    ],
    [
      'empty values',
      { email: '', username: '', password: '' },
      RULES.createUser,
      [
        'email is a required field',
        'username must be at least 1 characters',
        'username is a required field',
        'password must be at least 1 characters',
        'password is a required field',
      ],
    ],
    [
      '73 bytes',
      { email: 'a@b.co', username: 'abc', password: 'é'.repeat(37) },
      RULES.register,
      ['Password must be less than 73 bytes'],
    ],
    [
      'different passwords',
      { currentPassword: 'x', password: STRONG, passwordConfirmation: 'secret-2' },
      RULES.changePassword,
      ['Passwords do not match'],
    ],
    ['optional fields omitted', {}, RULES.updateUser, []],
  ];
  for (const [name, body, rules, messages] of CASES)
    it(`${name}: ${messages.join(' · ') || 'accepted'}`, () =>
      expect(messagesOf(body, rules)).to.deep.equal(messages));
});
