import { expect } from 'chai';
import fc from 'fast-check';
import { type Column, ColumnBuilder } from '../../src/columns/column.js';
import { needleOf, searchText } from '../../src/columns/search-text.js';
import { atOnce } from '../../src/values/pace.js';
import { INT, STRING } from '../../src/values/type-bytes.js';

/** A BSON string: its length, the text, a zero byte. */
function stored(text: string): Buffer {
  const bytes = Buffer.alloc(Buffer.byteLength(text) + 5);
  bytes.writeInt32LE(bytes.length - 4);
  bytes.write(text, 4);
  return bytes;
}

function columnOf(values: readonly (string | number)[]): Column {
  const builder = new ColumnBuilder(false);
  for (const value of values) {
    const bytes = typeof value === 'string' ? stored(value) : Buffer.alloc(4, value);
    builder.add(bytes, typeof value === 'string' ? STRING : INT, 0, bytes.length);
  }
  return builder.build();
}

describe('embedded/columns: searchText', () => {
  it('finds exactly the strings that contain a text, even across the boundaries of its chunks', () => {
    const short = fc.constantFrom('', 'a', 'ab', 'ba', 'aab', 'é', '😀b');
    const long = fc
      .tuple(short, fc.integer({ min: 20_000, max: 70_000 }), short)
      .map(([head, length, tail]) => head + 'a'.repeat(length) + tail);
    const value = fc.oneof(
      { weight: 8, arbitrary: short },
      { weight: 1, arbitrary: long },
      { weight: 1, arbitrary: fc.constantFrom(97, 98) },
    );
    fc.assert(
      fc.property(
        fc.array(value, { maxLength: 30 }),
        fc.constantFrom('a', 'b', 'ab', 'aab', 'aaab', 'é', '😀'),
        (values, text) => {
          const column = columnOf(values);
          const found = new Set(
            atOnce(searchText(column, needleOf({ text, ignoresCase: false }) as Buffer)).items,
          );
          for (const [row, value] of values.entries()) {
            const isFound = found.has(column.valueOf(row));
            expect(isFound).to.equal(typeof value === 'string' && value.includes(text));
          }
        },
      ),
    );
  });
});
