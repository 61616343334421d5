/**
 * gatsby-source-strapi, unmodified, against a running server. Gatsby itself is not installed: the plugin is given
 * stand-ins for its store and reporter.
 */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { expect } from 'chai';
import type { ConformanceServer } from '../support/conformance-server.js';
import { send } from '../support/send.js';
import { leaveServer, useServer } from './server.js';

const FOLDER = resolve('test/clients/gatsby');
const INSTALLED = existsSync(resolve(FOLDER, 'node_modules/gatsby-source-strapi'));

interface Node {
  readonly id: string;
  readonly internal: { readonly type: string; readonly owner?: string };
  readonly [member: string]: unknown;
}
interface Plugin {
  sourceNodes(gatsby: object, options: object): Promise<void>;
}

describe('gatsby-source-strapi', function () {
  this.timeout(180_000);
  let server: ConformanceServer;
  const nodes = new Map<string, Node>();
  const cache = new Map<string, unknown>();
  const panics: unknown[] = [];

  before(async function () {
    if (!INSTALLED) {
      console.log('    left out: npm install --no-save --prefix test/clients/gatsby installs the plugin');
      this.skip();
    }
    this.timeout(300_000);
    server = await useServer();
  });
  after(async () => {
    if (server) await leaveServer();
  });

  const source = (options: object): Promise<void> => {
    const plugin = createRequire(resolve(FOLDER, 'package.json'))(
      'gatsby-source-strapi/gatsby-node',
    ) as Plugin;
    const gatsby = {
      actions: {
        createNode: (node: Node) => void nodes.set(node.id, node),
        deleteNode: ({ id }: Node) => void nodes.delete(id),
        touchNode: () => undefined,
      },
      cache: {
        get: async (key: string) => cache.get(key),
        set: async (key: string, value: unknown) => void cache.set(key, value),
      },
      getCache: () => ({ get: async () => undefined, set: async () => undefined }),
      createContentDigest: (value: unknown) => createHash('md5').update(JSON.stringify(value)).digest('hex'),
      createNodeId: (name: string) => name || randomUUID(),
      getNode: (id: string) => nodes.get(id),
      getNodes: () => [...nodes.values()],
      reporter: { info: () => undefined, panic: (...messages: unknown[]) => void panics.push(messages) },
      store: { getState: () => ({ program: {} }) },
    };
    return plugin.sourceNodes(gatsby, { skipFileDownloads: true, apiURL: server.url, ...options });
  };

  const ofType = (type: string): Node[] =>
    [...nodes.values()].filter(({ internal }) => internal.type === type);

  it('reads the schemas, then every entry of the configured types', async () => {
    const accessToken = server.map.tokens['full'];
    await source({
      accessToken,
      collectionTypes: ['category', { singularName: 'restaurant', queryParams: { populate: '*' } }],
      singleTypes: ['homepage'],
    });
    expect(panics).to.deep.equal([]);
    for (const [type, path] of [
      ['STRAPI_CATEGORY', 'categories'],
      ['STRAPI_RESTAURANT', 'restaurants'],
    ] as const) {
      const { at } = await send(server.url, `/api/${path}?fields=id&pagination[pageSize]=100`, {
        token: accessToken ?? '',
      });
      const listed = at('data') as readonly { documentId: string }[];
      const sourced = ofType(type).map((node) => node['documentId']);
      expect(sourced).to.include.members(listed.map(({ documentId }) => documentId));
    }
    expect(ofType('STRAPI_HOMEPAGE')).to.have.length(1);
  });

  it('reads what has changed since the last run', async () => {
    const token = server.map.tokens['full'] ?? '';
    const { at } = await send(server.url, '/api/categories', { token, body: { data: { name: 'Sourced' } } });
    await source({ accessToken: token, collectionTypes: ['category'] });
    expect(panics).to.deep.equal([]);
    expect(ofType('STRAPI_CATEGORY').map((node) => node['documentId'])).to.include(at('data.documentId'));
    await send(server.url, `/api/categories/${String(at('data.documentId'))}`, { method: 'DELETE', token });
  });
});
