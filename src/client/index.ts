/** A small client of the content API, Mangrove's and Strapi 5's, with the types that `mangrove types` makes. */
import { queryString } from './query-string.js';
import type { ApiTypes, Client, UntypedApi } from './types.js';

export type { ApiTypes, Client, Collection, Envelope, Meta, PageMeta, Single, UntypedApi } from './types.js';

export interface ClientOptions {
  /** The address of the content API, such as `https://example.org/api`. */
  readonly url: string;
  /** An API token, or the one that signing in gave. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of the global `fetch`. */
  readonly fetch?: typeof fetch;
}

/** An answer that is a refusal: its status, and what the server says of it (docs/errors.md). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    override readonly name: string,
    message: string,
    readonly details: unknown,
  ) {
    super(message);
  }
}

type Body = { readonly error?: { name?: string; message?: string; details?: unknown } } | null;

async function answerOf(response: Response): Promise<unknown> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  const body: unknown = isJson && text !== '' ? JSON.parse(text) : null;
  if (response.ok) return body;
  const { name = 'ApiError', message = response.statusText, details } = (body as Body)?.error ?? {};
  throw new ApiError(response.status, name, message, details);
}

/**
 * A client of one server.
 * @example
 * const client = createClient<Api>({ url: 'http://localhost:1337/api', token });
 * const { data } = await client.collection('restaurants').find({ filters: { stars: { $gte: 2 } }, populate: 'chef' });
 */
export function createClient<Api extends ApiTypes = UntypedApi>(options: ClientOptions): Client<Api> {
  const base = options.url.replace(/\/+$/, '');
  const headers = {
    ...options.headers,
    ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
  };
  const send = options.fetch ?? fetch;

  const request = async (method: string, path: string, body?: unknown): Promise<unknown> =>
    answerOf(
      await send(`${base}/${path}`, {
        method,
        headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );

  const at = (name: string, documentId: string): string => {
    if (documentId === '') throw new TypeError('documentId is empty');
    return `${name}/${encodeURIComponent(documentId)}`;
  };
  const call = async (method: string, path: string, query: object = {}, body?: unknown): Promise<unknown> =>
    request(method, path + queryString(query), body);

  const collection = (name: string): object => ({
    find: (query?: object) => call('GET', name, query),
    findOne: async (id: string, query?: object) => call('GET', at(name, id), query),
    create: (data: unknown, query?: object) => call('POST', name, query, { data }),
    update: async (id: string, data: unknown, query?: object) => call('PUT', at(name, id), query, { data }),
    delete: async (id: string, query?: object) => void (await call('DELETE', at(name, id), query)),
  });
  const single = (name: string): object => ({
    find: (query?: object) => call('GET', name, query),
    update: (data: unknown, query?: object) => call('PUT', name, query, { data }),
    delete: async (query?: object) => void (await call('DELETE', name, query)),
  });
  return { collection, single, request } as Client<Api>;
}
