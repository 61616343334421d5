import type { Db } from 'mongodb';

/** Methods that send a write and return no document. */
export const WRITES: ReadonlySet<string> = new Set([
  'insertOne',
  'insertMany',
  'updateOne',
  'replaceOne',
  'deleteOne',
  'deleteMany',
  'bulkWrite',
]);
/** Methods that send a command on their own. */
const SENT = new Set(['findOne', 'findOneAndUpdate', ...WRITES]);

type Method = (...given: unknown[]) => Promise<unknown>;
export interface Command {
  readonly collection: string;
  readonly method: string;
  readonly given: readonly unknown[];
  send(given: readonly unknown[]): Promise<unknown>;
}
/** Answers a command. */
type Meddle = (command: Command) => Promise<unknown>;

/** A database whose commands `meddle` answers. */
export const meddled = (db: Db, meddle: Meddle): Db =>
  new Proxy(db, {
    get: (target, key) =>
      key !== 'collection'
        ? Reflect.get(target, key)
        : (name: string) =>
            new Proxy(target.collection(name), {
              get(collection, method) {
                const value: unknown = Reflect.get(collection, method);
                if (typeof value !== 'function') return value;
                if (!SENT.has(String(method))) return value.bind(collection);
                return (...given: unknown[]) =>
                  meddle({
                    collection: name,
                    method: String(method),
                    given,
                    send: (changed) => (value as Method).apply(collection, [...changed]),
                  });
              },
            }),
  });
