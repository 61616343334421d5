/**
 * `mangrove/client` against Strapi's recorded responses: for each recorded read, the client is given the query as an
 * object. What it sends must mean the same to qs, Strapi's query parser; it then receives what Strapi answered.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import qs from 'qs';
import { ApiError, createClient } from '../../src/client/index.js';

interface Recorded {
  readonly name: string;
  readonly request: { readonly method: string; readonly path: string; readonly headers?: object };
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: { readonly error?: { readonly name: string; readonly message: string } } | null;
  };
}

const FOLDER = 'test/conformance/public/read';
const URL_OF_STRAPI = 'http://strapi.example/api';
/** As Strapi parses queries. */
const LIMITS = { strictNullHandling: true, arrayLimit: 100, depth: 20 } as const;

const cases = readdirSync(FOLDER)
  .flatMap((file) => readFileSync(join(FOLDER, file), 'utf8').trim().split('\n'))
  .map((line) => JSON.parse(line) as Recorded)
  // Queries about the syntax itself, such as unbalanced brackets, have no equivalent as an object.
  .filter(({ name }) => !name.startsWith('query-syntax/'))
  .filter(({ request }) => request.method === 'GET' && request.path.startsWith('/api/'));

/** Queries that the client can be given as an object, which cannot express a name without a value or anything empty. */
const hasWords = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.keys(value).length > 0 && Object.values(value).every(hasWords)
    : typeof value === 'string';

const queryOf = (path: string): Record<string, unknown> => qs.parse(path.split('?')[1] ?? '', LIMITS);

describe("mangrove/client and Strapi's recorded responses", () => {
  const requests = cases.flatMap((recorded) => {
    const [, name, documentId, more] =
      /^\/api\/([\w-]+)(?:\/([\w-]+))?([^?]*)/.exec(recorded.request.path) ?? [];
    const query = queryOf(recorded.request.path);
    if (name === undefined || more !== '' || !Object.values(query).every(hasWords)) return [];
    return [{ recorded, name, documentId, query }];
  });

  it('covers most of the recorded queries', () => {
    expect(requests.length).to.be.above(500);
  });

  for (const { recorded, name, documentId, query } of requests)
    it(recorded.name, async () => {
      const { status, headers, body } = recorded.response;
      const sent: string[] = [];
      const client = createClient({
        url: URL_OF_STRAPI,
        fetch: async (url) => {
          sent.push(String(url));
          const text = body === null ? null : JSON.stringify(body);
          return new Response(text, { status, headers: { 'content-type': headers['content-type'] ?? '' } });
        },
      });
      const collection = client.collection(name as never);
      const answer = await (documentId === undefined
        ? collection.find(query)
        : collection.findOne(documentId, query)
      ).catch((error: unknown) => error);
      expect(sent[0]?.split('?')[0]).to.equal(
        `${URL_OF_STRAPI}/${name}${documentId ? `/${documentId}` : ''}`,
      );
      expect(queryOf(sent[0] ?? '')).to.deep.equal(query);
      if (status < 400) expect(answer).to.deep.equal(body);
      else
        expect(answer)
          .to.be.instanceOf(ApiError)
          .and.include({ status, name: body?.error?.name, message: body?.error?.message });
    });
});
