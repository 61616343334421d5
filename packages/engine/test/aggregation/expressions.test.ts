import { expect } from 'chai';
import { compileExpression, expressionScope } from '../../src/expressions/compile-expression.js';

const evaluate = (expression: unknown): unknown => compileExpression(expression, expressionScope({}))({});

describe('embedded/aggregation: expressions', () => {
  it('ignores an error in a branch that is not taken', () => {
    expect(evaluate({ $cond: [true, 1, { $divide: [1, 0] }] })).to.equal(1);
  });

  it('compares strings by collation', () => {
    const scope = expressionScope({ collation: { locale: 'en', strength: 2 } });
    const under = (expression: unknown): unknown => compileExpression(expression, scope)({});
    expect(under({ $eq: ['ABC', 'abc'] })).to.equal(true);
    expect(under({ $in: ['ABC', ['abc']] })).to.equal(true);
    expect(under({ $setUnion: [['a'], ['A']] })).to.deep.equal(['a']);
  });
});
