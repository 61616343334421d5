import { recordOf, tableRange } from './layout.js';
import type { Reader } from './view.js';

/** Assigns record numbers, increasing and never repeated; numbers of aborted writes stay unused. */
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
