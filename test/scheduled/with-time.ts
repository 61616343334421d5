import type { Db } from 'mongodb';

/** A database whose clock says something else, from one moment to the next if `time` is a function. */
export const withTime = (db: Db, time: Date | (() => Date)): Db =>
  new Proxy(db, {
    get(target, name) {
      if (name === 'command') return async () => ({ localTime: time instanceof Date ? time : time() });
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
