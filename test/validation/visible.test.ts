import { expect } from 'chai';
import { isVisible } from '../../src/documents/plan/visible.js';

/** A JSON value that cannot be compared with text. */
const odd = { toString: 1, valueOf: 1 };
const data = { kind: 'a', count: 3, flag: false, list: ['x'], deep: { key: null }, odd };

describe('documents/validate: isVisible', () => {
  const rows: [unknown, boolean][] = [
    [null, true],
    [undefined, true],
    [{ '==': [{ var: 'kind' }, 'a'] }, true],
    [{ '==': [{ var: 'kind' }, 'b'] }, false],
    [{ '==': [{ var: 'count' }, '3'] }, true],
    [{ '===': [{ var: 'count' }, '3'] }, false],
    [{ '!=': [{ var: 'kind' }, 'a'] }, false],
    [{ '!==': [{ var: 'count' }, '3'] }, true],
    [{ '==': [{ var: 'absent' }, null] }, true],
    [{ '==': [{ var: 'deep.key' }, null] }, true],
    [{ '>': [{ var: 'count' }, 2] }, true],
    [{ '>=': [{ var: 'count' }, 3] }, true],
    [{ '<': [{ var: 'kind' }, 'b'] }, true],
    [{ '<=': [{ var: 'count' }, 2] }, false],
    [{ '!': [{ var: 'flag' }] }, true],
    [{ '!!': { var: 'flag' } }, false],
    [{ in: [{ var: 'kind' }, ['a', 'b']] }, true],
    [{ in: ['z', { var: 'list' }] }, false],
    [{ and: [true, { var: 'count' }] }, true],
    [{ or: [false, { var: 'flag' }] }, false],
    [{ if: [{ var: 'flag' }, true, false] }, false],
    [{ var: ['absent', true] }, true],
    [{ var: 'constructor' }, false],
    [{ unheardOf: [1] }, true],
    [{ some: [{ var: 'list' }, { '==': [{ var: '' }, 'x'] }] }, true],
    [{ if: [{ var: 'flag' }, true, { '==': [{ var: 'count' }, 4] }, true, false] }, false],
    [{ '==': [{ var: 'odd' }, 'a'] }, true],
  ];
  for (const [condition, expected] of rows)
    it(JSON.stringify(condition) ?? 'undefined', () => {
      expect(isVisible(condition, data)).to.equal(expected);
    });
});
