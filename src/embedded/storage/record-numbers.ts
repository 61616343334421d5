import { recordOf, tableRange } from './layout.js';
import type { Reader } from './view.js';

/** Hands out record numbers, rising and never twice; numbers of undone writes stay unused. */
export class RecordNumbers {
  private readonly last = new Map<number, number>();

  next(table: number, reader: Reader): number {
    let last = this.last.get(table);
    if (last === undefined) {
      last = 0;
      for (const key of reader.keys({ ...tableRange(table), reverse: true })) {
        last = recordOf(key);
        break;
      }
    }
    this.last.set(table, last + 1);
    return last + 1;
  }
}
