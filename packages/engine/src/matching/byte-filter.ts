import type { Document } from 'bson';
import { ByteDocument, type BytePlace, stepInto } from '../values/byte-document.js';
import { readValueAt } from '../values/decode.js';
import { ARRAY, DOCUMENT } from '../values/type-bytes.js';
import { compileFilter, compileSeen } from './compile-filter.js';
import { type Leaf, matchPath, testLeaf } from './match-path.js';
import type { FilterOptions } from './options.js';
import type { Target, ValueTest } from './tests.js';

/** A test of a value within some bytes. */
export type TestPlace = (bytes: Buffer, place: BytePlace) => boolean;

/** A test of a value by its bytes if that is sufficient, otherwise of the value. */
export function compileLeaf({ test, raw }: ValueTest, leaf: Leaf): TestPlace {
  const ofValue = testLeaf(test, leaf);
  return (bytes, { type, at }) => {
    if (type === 0) return test(undefined);
    if (raw !== undefined && (type !== ARRAY || leaf === 'whole')) {
      const known = raw(bytes, type, at);
      if (known !== undefined) return known;
    }
    return ofValue(readValueAt(bytes, type, at));
  };
}

/** The values at a path of a stored document. An array on the path is decoded, and handled as everywhere else. */
function compileTarget(document: ByteDocument, path: string): Target<never> {
  const [root = '', ...parts] = path.split('.');
  const slot = document.slot(root);
  const names = parts.map((name) => Buffer.from(name, 'utf8'));
  const place: BytePlace = { type: 0, at: 0 };
  return (of, leaf) => {
    const testPlace = compileLeaf(of, leaf);
    const walk = matchPath(path, of.test, leaf);
    const test = (): boolean => {
      place.type = document.typeOf(slot);
      place.at = document.placeOf(slot);
      for (const name of names) {
        if (place.type === ARRAY) return walk({ [root]: document.value(slot) });
        if (place.type !== DOCUMENT) {
          place.type = 0;
          break;
        }
        stepInto(document.bytes, place, name);
      }
      return testPlace(document.bytes, place);
    };
    return { test };
  };
}

/** A filter over stored documents. */
export interface ByteFilter {
  /** The document that was tested last; further fields of it can be read. */
  readonly document: ByteDocument;
  test(bytes: Buffer): boolean;
}

/**
 * Compiles a filter to a test of stored documents that reads only the fields it uses. It agrees with `compileFilter` over the
 * decoded document.
 * @throws EngineError with MongoDB's code for an unknown operator or a malformed operand
 */
export function compileByteFilter(filter: Document, options: FilterOptions = {}): ByteFilter {
  const document = new ByteDocument();
  const { test } = compileSeen(filter, options, {
    target: (path) => compileTarget(document, path),
    whole: (testWhole) => () => testWhole(document.whole()),
  });
  return { document, test: (bytes) => test(document.read(bytes)) };
}

/** The same by decoding each document. */
export function compileWholeFilter(filter: Document, options: FilterOptions = {}): ByteFilter {
  const document = new ByteDocument();
  const test = compileFilter(filter, options);
  return { document, test: (bytes) => test(document.read(bytes).whole()) };
}
