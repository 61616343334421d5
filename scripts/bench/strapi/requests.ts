import type { Call } from '../load.js';

/** An entry as the content API answers it. */
export type Entry = Readonly<Record<string, unknown>>;

/** One request that both servers are sent. */
export interface Compared {
  readonly name: string;
  /** The n-th of its kind. */
  call(n: number): Call;
}

/** What the requests are made of: entries that both servers have. */
export interface Sample {
  /** The plural name in the address: `articles`. */
  readonly type: string;
  readonly entries: readonly Entry[];
  /** PUT is asked for, too: the value that is there already. */
  readonly writes: boolean;
}

const SYSTEM = new Set(['documentId', 'locale', 'createdAt', 'updatedAt', 'publishedAt']);

/** Names of attributes with a string in some entry, the longest strings last. */
const stringsOf = (entries: readonly Entry[]): string[] => {
  const longest = new Map<string, number>();
  for (const entry of entries)
    for (const [name, value] of Object.entries(entry))
      if (typeof value === 'string' && value !== '' && !SYSTEM.has(name))
        longest.set(name, Math.max(longest.get(name) ?? 0, value.length));
  return [...longest].sort(([, a], [, b]) => a - b).map(([name]) => name);
};

const wordOf = (text: string): string => /[\p{L}\p{N}]{3,}/u.exec(text)?.[0] ?? text.slice(0, 3);

const query = (parameters: Readonly<Record<string, string>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');

/** The requests of the table in docs/performance.md, made of a type's own attributes. Throws where the type has no entry. */
export function requestsOf({ type, entries, writes }: Sample): readonly Compared[] {
  const [first] = entries;
  if (!first) throw new Error(`${type} has no entry that the token may read`);
  const entryOf = (n: number): Entry => entries[n % entries.length] ?? first;
  const get = (name: string, path: (n: number) => string): Compared => ({
    name,
    call: (n) => ({ method: 'GET', path: `/api/${type}${path(n)}` }),
  });
  const requests = [
    get('list', () => ''),
    get('populated', () => '?populate=*'),
    get('find one', (n) => `/${String(entryOf(n)['documentId'])}`),
  ];
  const strings = stringsOf(entries);
  const [short] = strings;
  if (short === undefined) return requests;
  const shortOf = (n: number): string => String(entryOf(n)[short] ?? first[short]);
  const wordAt = (n: number): string => wordOf(shortOf(n));
  requests.push(
    get(
      `filter and sort by ${short}`,
      (n) => `?${query({ [`filters[${short}][$contains]`]: wordAt(n), sort: `${short}:desc` })}`,
    ),
    get('_q', (n) => `?${query({ _q: wordAt(n) })}`),
    get('page without total', () => '?pagination[withCount]=false'),
  );
  if (!writes) return requests;
  const put = (n: number): Call => ({
    method: 'PUT',
    path: `/api/${type}/${String(entryOf(n)['documentId'])}`,
    body: JSON.stringify({ data: { [short]: shortOf(n) } }),
  });
  return [...requests, { name: `PUT of ${short}`, call: put }];
}
