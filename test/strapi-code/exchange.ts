/** Sends the fixture's requests to a server, with what each run makes anew replaced: for the recorder and for the test. */
import { readFile } from 'node:fs/promises';

/** Headers that the fixture's code sets. */
const HEADERS = ['x-stamp', 'x-populated'];

/** What differs from run to run: ids of documents, numeric ids, times, the names of stored files. */
const VARIES = new Set([
  ...['documentId', 'id', 'createdAt', 'updatedAt', 'publishedAt', 'locale', 'requestId'],
  // Of files.
  ...['hash', 'url', 'provider'],
]);

const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !VARIES.has(name))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, plain(inner)]),
  );
};

export interface Row {
  readonly request: string;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body: unknown;
}

/** Parts of a form: text, or a file. */
type Part = readonly [
  name: string,
  value: string | { readonly name: string; readonly type: string; readonly text: string },
];

function formOf(parts: readonly Part[]): FormData {
  const form = new FormData();
  for (const [name, value] of parts)
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new Blob([value.text], { type: value.type }), value.name);
  return form;
}

type Request = readonly [
  method: string,
  path: string,
  body?: object | string | null,
  headers?: Record<string, string>,
];

/** @returns one row for each request: what was sent, and the answer's status, headers and body */
export async function exchange(url: string): Promise<readonly Row[]> {
  const requests: readonly Request[] = JSON.parse(
    await readFile(new URL('./requests.json', import.meta.url), 'utf8'),
  );
  const made: Record<string, string> = {};
  const rows: Row[] = [];
  const filled = (text: string): string => text.replace(/\$(\w+)/g, (all, name: string) => made[name] ?? all);
  for (const [method, path, body, headers = {}] of requests) {
    const isForm = Array.isArray(body);
    const response = await fetch(url + filled(path), {
      method,
      headers: {
        ...headers,
        ...(typeof body === 'object' && body && !isForm && { 'content-type': 'application/json' }),
      },
      ...(typeof body === 'string' && { body }),
      ...(typeof body === 'object' && body && { body: isForm ? formOf(body) : filled(JSON.stringify(body)) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    const answer = isJson ? JSON.parse(text) : text;
    const [, type] = /^\/api\/(?:v2\/)?(\w+)s$/.exec(path) ?? [];
    if (method === 'POST' && type && answer.data?.documentId) made[type] ??= answer.data.documentId;
    const shown = HEADERS.flatMap((name) =>
      response.headers.has(name) ? [[name, response.headers.get(name)]] : [],
    );
    rows.push({
      request: `${method} ${path}${body ? ` ${JSON.stringify(body)}` : ''}`,
      status: response.status,
      ...(shown.length > 0 && { headers: Object.fromEntries(shown) }),
      body: plain(answer),
    });
  }
  return rows;
}
