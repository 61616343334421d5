import { Long } from 'bson';
import { expect } from 'chai';
import { assertStorable } from '../../src/documents/commit/bson-limits.js';
import { createDocumentId } from '../../src/documents/document-id.js';
import { ApiError } from '../../src/errors.js';

const refusal = (entry: Record<string, unknown>): Pick<ApiError, 'status' | 'message'> | null => {
  try {
    assertStorable(entry);
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { status: error.status, message: error.message };
  }
};

describe('createDocumentId', () => {
  it('returns 24 lower-case letters and digits, starting with a letter, without repeats', () => {
    const ids = Array.from({ length: 500 }, createDocumentId);
    for (const id of ids) expect(id).to.match(/^[a-z][a-z0-9]{23}$/);
    expect(new Set(ids).size).to.equal(ids.length);
  });
});

describe('assertStorable', () => {
  const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) });
  it('accepts ordinary entries, including dots and dollar signs in keys', () => {
    expect(
      refusal({
        title: 'é 🍕',
        json: { 'a.b': 1, $x: [{ '': null }] },
        n: Long.fromNumber(3),
        d: new Date(),
      }),
    ).to.equal(null);
    expect(refusal({ json: deep(90) })).to.equal(null);
  });
  it('refuses deep nesting with a 400 that names the field', () => {
    expect(refusal({ json: deep(120) })).to.deep.equal({
      status: 400,
      message: 'json is nested deeper than 98 levels',
    });
  });
  it('refuses lone surrogates, in values and in keys', () => {
    const message = 'notes contains text that is not valid Unicode';
    expect(refusal({ notes: 'a\ud83d' })).to.deep.equal({ status: 400, message });
    expect(refusal({ notes: { list: [{ ['\udc00']: 1 }] } })).to.deep.equal({ status: 400, message });
  });
  it('refuses null characters in keys', () => {
    expect(refusal({ json: { 'a\u0000b': 1 } })?.message).to.equal('json has a key with a null character');
  });
  it('refuses more than 16 MB with a 413 that names the largest field', () => {
    expect(refusal({ small: 'x', big: 'x'.repeat(17 * 1024 * 1024) })).to.deep.equal({
      status: 413,
      message: 'The entry is larger than 16 MB; its largest field is big',
    });
  });
});
