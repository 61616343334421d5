import { type ByteDocument, stepInto } from '../values/byte-document.js';
import { valueEnd } from '../values/decode.js';
import { ARRAY, DOCUMENT } from '../values/type-bytes.js';
import { ColumnBuilder, type ColumnNeed } from './column.js';

/** Collects the values at a path from a sequence of documents. */
export class PathValues {
  readonly builder: ColumnBuilder;
  readonly #slot: number;
  readonly #names: readonly Buffer[];
  readonly #place = { type: 0, at: 0 };

  constructor(
    private readonly document: ByteDocument,
    { path, folded }: ColumnNeed,
  ) {
    const [root = '', ...parts] = path.split('.');
    this.builder = new ColumnBuilder(folded);
    this.#slot = document.slot(root);
    this.#names = parts.map((name) => Buffer.from(name, 'utf8'));
  }

  /**
   * Adds the value of the current document. If the path leads through an array, it may have several values,
   * and the row is odd.
   */
  add(): void {
    const { bytes } = this.document;
    const place = this.#place;
    place.type = this.document.typeOf(this.#slot);
    place.at = this.document.placeOf(this.#slot);
    for (const name of this.#names) {
      if (place.type === ARRAY) {
        this.builder.addOdd();
        return;
      }
      if (place.type !== DOCUMENT) {
        this.builder.addNothing();
        return;
      }
      stepInto(bytes, place, name);
    }
    if (place.type === 0) this.builder.addNothing();
    else this.builder.add(bytes, place.type, place.at, valueEnd(bytes, place.type, place.at));
  }
}
