import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { OPERATORS } from '../../src/query/operators.js';

describe('docs/operators.md', () => {
  const rows = readFileSync('docs/operators.md', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `$'));
  const named = new Set(rows.flatMap((row) => row.split('|')[1]?.match(/\$\w+/g) ?? []));
  const groups = ['$and', '$or', '$not'];

  it('describes every filter operator, and no other', () => {
    expect([...named].sort()).to.deep.equal([...OPERATORS.keys(), ...groups].sort());
  });
});
