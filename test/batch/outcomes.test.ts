import { expect } from 'chai';
import { failed } from '../../src/http/batch/run-batch.js';

describe('batch: the error of an operation', () => {
  for (const [text, error] of [
    ['{"data":null,"error":{"status":404,"name":"NotFoundError"}}', { status: 404, name: 'NotFoundError' }],
    ['{"message":"no"}', { status: 404, name: 'Error', message: '{"message":"no"}' }],
    ['["no"]', { status: 404, name: 'Error', message: '["no"]' }],
    ['no', { status: 404, name: 'Error', message: 'no' }],
  ] as const)
    it(`is that of ${text}`, () => {
      expect(failed({ status: 404, text, code: null }).error).to.deep.equal(error);
    });
});
