/**
 * Relations whose keys are strings on one side and ObjectIds or numbers on the other (`texts` of a storage):
 * each value is looked up in both forms. Values without another form are looked up unchanged.
 */
import { DIGITS, HEX } from '../../schema/stored/key-forms.js';
import type { Expression } from '../types.js';

/** The values; in all their forms if the relation requires it (`texts`). */
export const inForms = (values: Expression, { texts }: { readonly texts?: boolean }): Expression =>
  texts ? inAllForms(values) : values;

/** All forms of every value of a list, or of a single value, without null. */
export function inAllForms(values: Expression): Expression {
  const text = (pattern: string): Expression => ({
    $cond: [
      { $eq: [{ $type: '$$key' }, 'string'] },
      { $regexMatch: { input: '$$key', regex: { $literal: pattern } } },
      false,
    ],
  });
  const to = (type: string): Expression => ({
    $convert: { input: '$$key', to: type, onError: null, onNull: null },
  });
  const other = {
    $cond: [
      text(HEX),
      to('objectId'),
      {
        $cond: [
          text(DIGITS),
          to('long'),
          {
            $cond: [{ $in: [{ $type: '$$key' }, ['objectId', 'int', 'long', 'double']] }, to('string'), null],
          },
        ],
      },
    ],
  };
  return {
    $let: {
      vars: { keys: { $cond: [{ $isArray: [values] }, values, [values]] } },
      in: {
        $setDifference: [
          { $concatArrays: ['$$keys', { $map: { input: '$$keys', as: 'key', in: other } }] },
          [null],
        ],
      },
    },
  };
}
