/** Posts by authors on topics, in an adopted collection that can store its references in different ways. */
import { expect } from 'chai';
import type { Document } from 'mongodb';
import type { Entry } from '../../src/store/entries/changes.js';
import { type AdoptedServer, SHOP, startAdopted } from './shops.js';

export const adopted = (name: string, storage: object, attributes: object): object => ({
  kind: 'collectionType',
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  pluginOptions: { mangrove: { storage: { collection: `${name}s`, write: true, ...storage } } },
  attributes,
});

const AUTHORS = [1, 2, 3].map((n) => ({ _id: SHOP(n), name: ['Ada', 'Bob', 'Cyd'][n - 1] }));
const TOPICS = [10, 20].map((n) => ({ _id: n as never, name: `topic ${n}` }));

/** A server of them for the tests of a `describe`. */
export function postsServer(files: Readonly<Record<string, object>>, posts: readonly Document[]) {
  let server: AdoptedServer;
  before(async () => {
    server = await startAdopted(files, { authors: AUTHORS, topics: TOPICS, posts });
  });
  after(() => server?.close());
  const data = async (path: string): Promise<Entry[]> => {
    const answer = await server.get(path);
    expect(answer.status, `${path} ${JSON.stringify(answer.body)}`).to.equal(200);
    return answer.at('data') as Entry[];
  };
  return {
    server: () => server,
    data,
    titles: async (query: string) => (await data(`/api/posts?${query}`)).map(({ title }) => title),
  };
}

export const pluck = (list: unknown, name: string) => (list as Entry[]).map((each) => each[name]);
export const nameOf = (value: unknown) => (value as Entry | null)?.['name'] ?? null;
