import { setTimeout as sleep } from 'node:timers/promises';
import type { Collection, Db, Document } from 'mongodb';

/** A database whose lists arrive a tenth of a second after they were read. */
export const withSlowLists = (db: Db): Db => replacing(db, 'collection', slowCollection);

const slowCollection = (collection: Collection): Collection =>
  replacing(collection, 'find', (cursor: ReturnType<Collection['find']>) => {
    const read = cursor.toArray.bind(cursor);
    cursor.toArray = async (): Promise<Document[]> => {
      const rows = await read();
      await sleep(100);
      return rows;
    };
    return cursor;
  });

/** `target` with another result of one method. */
const replacing = <T extends object, R>(target: T, method: keyof T, change: (result: R) => R): T =>
  new Proxy(target, {
    get(_, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return name === method
        ? (...given: unknown[]) => change(Reflect.apply(value, target, given))
        : value.bind(target);
    },
  });
