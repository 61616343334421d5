import { expect } from 'chai';
import fc from 'fast-check';
import { ApiError } from '../../src/errors.js';
import { anyQueryText } from '../support/arbitrary-query.js';
import { planOf } from '../support/corpus/plan.js';
import { rounds } from '../support/rounds.js';

describe('any query string', () => {
  it('is planned or refused with a 4xx, nothing else', () => {
    let planned = 0;
    fc.assert(
      fc.property(anyQueryText, (text) => {
        try {
          planOf(text);
          planned += 1;
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          expect(error.status).within(400, 499);
          expect(error.message.length).greaterThan(0);
        }
      }),
      { numRuns: rounds(400, 3000) },
    );
    expect(planned, 'some must be valid, or the property proves nothing').greaterThan(100);
  });

  it('so is any object in a Document Service call', () => {
    const keys = fc.constantFrom(
      'filters',
      'sort',
      'fields',
      'populate',
      'locale',
      'status',
      'start',
      '_q',
      'name',
      'owner',
      '$or',
      '$in',
    );
    const anything = fc.letrec((tie) => ({
      value: fc.oneof({ depthSize: 'small' }, fc.anything(), tie('array'), tie('object')),
      array: fc.array(tie('value'), { maxLength: 3 }),
      object: fc.dictionary(keys, tie('value'), { maxKeys: 4 }),
    })).object;
    fc.assert(
      fc.property(anything, (params) => {
        try {
          planOf(params);
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
        }
      }),
      { numRuns: rounds(400, 3000) },
    );
  });
});
