/** Inclusions on bytes have the same results as on decoded documents. */
import { serialize } from 'bson';
import { expect } from 'chai';
import fc from 'fast-check';
import { expressionScope } from '../../src/expressions/compile-expression.js';
import { parseProjection } from '../../src/projection/parse-projection.js';
import { inclusionOf } from '../../src/projection/project-bytes.js';
import { compileTree } from '../../src/projection/projection-tree.js';
import { encodeDocument } from '../../src/storage/encode.js';
import { decodeDocument } from '../../src/values/index.js';
import { anyValue } from './arbitrary.js';

const name = fc.constantFrom('_id', 'a', 'b', 'ab', 'é', '1', '10', '__proto__');
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    anyValue,
    fc.array(tie('value'), { maxLength: 12 }),
    fc.dictionary(name, tie('value'), { maxKeys: 5 }),
  ),
})).value;
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('.'));
const spec = fc
  .tuple(fc.uniqueArray(path, { maxLength: 5 }), fc.constantFrom(undefined, 0, 1, false, true))
  .map(([paths, id]) => ({
    ...Object.fromEntries(paths.map((each) => [each, 1])),
    ...(id !== undefined && { _id: id }),
  }));

/** As the stages of a pipeline do it. */
const byDecoding = (projection: object, bytes: Buffer): Buffer => {
  const { node, mode } = parseProjection(projection, expressionScope({}));
  return encodeDocument(compileTree(node, mode)(decodeDocument(bytes)));
};

const attempt = (work: () => Buffer): unknown => {
  try {
    return encodeDocument(decodeDocument(work())).toString('hex');
  } catch (error) {
    return (error as { code?: unknown }).code ?? error;
  }
};

describe('inclusions on stored bytes', () => {
  it('have the same results as on decoded documents', () => {
    let shown = 0;
    fc.assert(
      fc.property(fc.dictionary(name, value, { maxKeys: 8 }), spec, (document, projection) => {
        const bytes = Buffer.from(serialize(document, { ignoreUndefined: true }));
        const projected = attempt(() => {
          const project = inclusionOf(projection);
          if (project) shown += 1;
          return project?.(bytes) ?? byDecoding(projection, bytes);
        });
        expect(projected).to.deep.equal(attempt(() => byDecoding(projection, bytes)));
      }),
      { numRuns: 1000 },
    );
    expect(shown).to.be.above(300);
  });

  it('preserve the order, the types and the bytes of what they include', () => {
    const bytes = Buffer.from(serialize({ b: 1, a: { y: 2, x: [{ p: 1, q: 2 }, 3, [{ q: 4 }]] }, _id: 5 }));
    expect(inclusionOf({ a: true, b: 1 })?.(bytes).equals(bytes)).to.equal(true);
    const inside = inclusionOf({ 'a.x.q': 1, _id: 0 })?.(bytes);
    expect(inside?.equals(Buffer.from(serialize({ a: { x: [{ q: 2 }, [{ q: 4 }]] } })))).to.equal(true);
  });

  it('leave exclusions and computed fields to other code', () => {
    for (const projection of [{}, { a: 0 }, { _id: 0 }, { a: '$b' }, { a: { b: 1 } }, { 'a.$': 1 }])
      expect(inclusionOf(projection), JSON.stringify(projection)).to.equal(undefined);
    expect(() => inclusionOf({ a: 1, 'a.b': 1 })).to.throw('Path collision');
    expect(() => inclusionOf({ a: 1, b: 0 })).to.throw('Cannot do exclusion');
  });
});
