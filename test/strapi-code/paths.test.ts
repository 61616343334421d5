/** Paths of routes with patterns. The parameters are those that a Strapi 5.54 passed to its handlers. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Serving, startServing } from '../../src/serve/index.js';
import { readPath } from '../../src/strapi/paths.js';
import { typeFile } from '../support/schemas.js';
import { writeFiles } from '../support/write-files.js';
import { dropWhenDone, testDatabase } from './support.js';

/** The path of a route, and addresses with what its handler sees; null: another route answers. */
const PATHS: Readonly<Record<string, Readonly<Record<string, object | null>>>> = {
  '/notes/:word([a-z]+)/by-word': {
    '/notes/abc/by-word': { word: 'abc' },
    '/notes/ABC/by-word/': { word: 'ABC' },
    '/notes/1/by-word': null,
  },
  '/notes/:region(\\d{2}|\\d{3})/:id': {
    '/notes/75/x': { region: '75', id: 'x' },
    '/notes/752/x%20y': { region: '752', id: 'x y' },
    '/notes/7/x': null,
  },
  '/files/:path(.*)': { '/files/a/b.txt': { path: 'a/b.txt' }, '/files/': {} },
  '/rest/(.*)': { '/rest/a/b': { 0: 'a/b' } },
  '/optional/:id?': { '/optional': {}, '/optional/1': { id: '1' }, '/optional/1/2': null },
  '/between/:id?/end': { '/between/end': {}, '/between/1/end': { id: '1' } },
  '/several/:part+': { '/several/a/b': { part: 'a/b' }, '/several': null },
  '/maybe/:part*': { '/maybe': {}, '/maybe/a/b': { part: 'a/b' } },
  '/span/:from-:to': { '/span/1-2': { from: '1', to: '2' }, '/span/1': null },
  '/page/:slug.html': { '/page/a.html': { slug: 'a' }, '/page/a': null },
  '/dotted/v1\\.:minor': { '/dotted/v1.2': { minor: '2' }, '/dotted/v12': null },
};

describe('paths of the routes of a Strapi project', function () {
  this.timeout(180_000);
  let root: string;
  let serving: Serving | undefined;

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-strapi-paths-'));
    const routes = Object.keys(PATHS).map(
      (path) =>
        `{ method: 'GET', path: ${JSON.stringify(path)}, handler: (ctx) => { ctx.body = { path: ${JSON.stringify(path)}, params: ctx.params }; }, config: { auth: false } }`,
    );
    await writeFiles(root, {
      'src/api/note/content-types/note/schema.json': typeFile('note', { title: { type: 'string' } }).content,
      'src/api/note/routes/01-own.js': `module.exports = { routes: [${routes.join(', ')}] };`,
      'src/api/note/routes/note.js': `module.exports = require('@strapi/strapi').factories.createCoreRouter('api::note.note', { config: { find: { auth: false } } });`,
    });
    serving = await startServing({ root, overrides: testDatabase() });
  });
  after(async () => {
    await dropWhenDone(serving);
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  });

  for (const [path, addresses] of Object.entries(PATHS))
    it(path, async () => {
      for (const [address, params] of Object.entries(addresses)) {
        const response = await fetch(`http://127.0.0.1:${serving?.port}/api${address}`);
        const body = (await response.json()) as object;
        if (params) expect(body, address).to.eql({ path, params });
        else expect(response.status, `${address} ${JSON.stringify(body)}`).to.equal(404);
      }
    });

  it('leaves what a pattern excludes to the routes after it', async () => {
    const response = await fetch(`http://127.0.0.1:${serving?.port}/api/notes`);
    expect(response.status).to.equal(200);
  });

  it('cannot read what Strapi cannot', () => {
    for (const path of [
      '/a/:',
      '/a/(b',
      '/a/:b(c(d))',
      '/a/:b(?=c)',
      '/a/:b:c',
      '/a/b?',
      '/a/*',
      '/a/:b([z-a])',
    ])
      expect(readPath(path), path).to.equal(null);
  });
});
