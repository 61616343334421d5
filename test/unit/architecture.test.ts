import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { expect } from 'chai';

/** What each room may import from; arrows go one way (docs/architecture.md). */
const ROOMS: Record<string, readonly string[]> = {
  errors: [],
  embedded: [],
  schema: ['errors'],
  config: ['errors', 'schema'],
  query: ['errors', 'schema', 'config'],
  pipeline: ['errors', 'schema', 'query'],
  render: ['errors', 'schema', 'query', 'pipeline'],
  store: ['errors', 'schema', 'config', 'query', 'pipeline'],
  documents: ['errors', 'schema', 'config', 'query', 'pipeline', 'render', 'store'],
  media: ['errors', 'schema', 'config', 'query', 'store', 'documents'],
  access: ['errors', 'schema', 'config', 'query', 'store', 'documents'],
  describe: ['errors', 'schema', 'config', 'query', 'pipeline', 'store', 'documents'],
  http: [
    'errors',
    'schema',
    'config',
    'query',
    'pipeline',
    'render',
    'store',
    'documents',
    'media',
    'access',
  ],
};
/** Packages that one room alone may import. */
const OWNERS: Record<string, readonly string[]> = {
  mongodb: ['store'],
  koa: ['http', 'app'],
  lmdb: ['embedded'],
};
/** Where the rooms are put together: these may import any. */
const ROOFS = new Set(['app', 'main', 'index', 'cli', 'project', 'database', 'mongod']);

const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((f) => f.endsWith('.ts'));
const roomOf = (file: string): string => (file.split('/')[0] ?? '').replace(/\.ts$/, '');

describe('architecture', () => {
  for (const file of files) {
    it(`src/${file} imports what its room may`, () => {
      const room = roomOf(file);
      const text = readFileSync(join('src', file), 'utf8');
      for (const [, from = ''] of text.matchAll(/^(?:import|export)\b[^;]*?from '([^']+)'/gm)) {
        const target = from.startsWith('.')
          ? roomOf(normalize(join(file, '..', from)).replace(/\.js$/, '.ts'))
          : null;
        if (target !== null && target !== room && !ROOFS.has(room))
          expect(ROOMS[room] ?? [], from).to.include(target);
        const owners = OWNERS[from];
        if (owners) expect(owners, from).to.include(room);
      }
      expect(text.split('\n').length, 'lines').to.be.at.most(250);
    });
  }
});
