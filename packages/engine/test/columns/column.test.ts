import { expect } from 'chai';
import fc from 'fast-check';
import { type Column, ColumnBuilder } from '../../src/columns/column.js';
import { INT, STRING } from '../../src/values/type-bytes.js';

/** A stored value: a string, or a number of four bytes. */
function stored(value: string | number): Buffer {
  if (typeof value === 'number') return Buffer.alloc(4, value);
  const bytes = Buffer.alloc(Buffer.byteLength(value) + 5);
  bytes.writeInt32LE(bytes.length - 4);
  bytes.write(value, 4);
  return bytes;
}

/** A column of such values; null is a row without one. */
function columnOf(values: readonly (string | number | null)[]): Column {
  const builder = new ColumnBuilder(false);
  for (const value of values) {
    if (value === null) {
      builder.addNothing();
      continue;
    }
    const bytes = stored(value);
    builder.add(bytes, typeof value === 'string' ? STRING : INT, 0, bytes.length);
  }
  return builder.build();
}

const names = (count: number, distinct: number): string[] =>
  Array.from({ length: count }, (_, n) => `name ${String((n * 7919) % distinct).padStart(8, '0')}`);

describe('embedded/columns: columns', () => {
  it('have the value of each row, whatever of them agrees', () => {
    const alike = fc.array(fc.constantFrom('aa', 'ab', 'ba'), { maxLength: 20 });
    const any = fc.array(fc.oneof(fc.string({ maxLength: 4 }), fc.nat(3), fc.constant(null)), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(fc.oneof(alike, any), (values) => {
        const column = columnOf(values);
        expect(column.rows).to.equal(values.length);
        for (const [row, value] of values.entries()) {
          const number = column.valueOf(row);
          expect(column.typeOf(number)).to.equal(
            value === null ? 0 : typeof value === 'string' ? STRING : INT,
          );
          if (value === null) continue;
          const bytes = column.bytes.subarray(column.startOf(number), column.startOf(number + 1));
          expect(bytes).to.deep.equal(stored(value));
        }
      }),
    );
  });

  it('take a few bytes for each row whose value has appeared before, however long ago', () => {
    const [value = ''] = names(1, 1);
    const least = 60_000 * 2 + 20_000 * stored(value).length;
    expect(columnOf(names(60_000, 20_000)).size).to.be.within(least, least * 1.05);
  });

  it('take no more than their values if each row has another of the same length', () => {
    const rows = 100_000;
    const [value = ''] = names(1, 1);
    expect(columnOf(names(rows, rows)).size).to.equal(rows * stored(value).length);
  });
});
