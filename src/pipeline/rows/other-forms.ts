/**
 * Relations in which the same key is a string on one side and as an ObjectId or a number on the other (`texts` of a storage): each
 * value is looked for in both forms. A value that has no other form, or is not a key, is looked for as it is.
 */
import { DIGITS, HEX } from '../../schema/stored/key-forms.js';
import type { Expression } from '../types.js';

/** Of a relation that takes them (`texts`): the values, or these in all their forms. */
export const inForms = (values: Expression, { texts }: { readonly texts?: boolean }): Expression =>
  texts ? inAllForms(values) : values;

/** The forms of every value of a list, or of one value alone; without null. */
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
