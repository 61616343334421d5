import { memberOf } from '../../values/once-per.js';

/** Reads the values of some keys of a type; those without a value are left out. */
type Read<K, V> = (uid: string, keys: readonly K[]) => Promise<Iterable<readonly [K, V]>>;

/** What the translation of a query, a body or an answer takes from the database, by type and key. */
export class Lookup<K extends string | number, V> {
  private readonly found = new Map<string, Map<K, V | undefined>>();
  private readonly wanted = new Map<string, Set<K>>();

  constructor(private readonly read: Read<K, V>) {}

  /** Undefined: there is none, or it is not known yet. */
  get(uid: string, key: K): V | undefined {
    const known = this.found.get(uid);
    if (!known?.has(key)) memberOf(this.wanted, uid, () => new Set()).add(key);
    return known?.get(key);
  }

  /** Reads what is not known yet. Returns whether anything was asked for. */
  async load(): Promise<boolean> {
    const wanted = [...this.wanted];
    this.wanted.clear();
    await Promise.all(
      wanted.map(async ([uid, keys]) => {
        const values = new Map(await this.read(uid, [...keys]));
        const known = memberOf(this.found, uid, () => new Map());
        for (const key of keys) known.set(key, values.get(key));
      }),
    );
    return wanted.length > 0;
  }
}

/** Repeats `make` until all that it looks up is known. */
export async function withLookups<T>(
  lookups: readonly Pick<Lookup<string, unknown>, 'load'>[],
  make: () => T,
): Promise<T> {
  for (;;) {
    const made = make();
    const asked = await Promise.all(lookups.map((one) => one.load()));
    if (!asked.includes(true)) return made;
  }
}
