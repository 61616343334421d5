import { join } from 'node:path';
import { serve as serveProject } from '../../src/serve/index.js';
import { serve } from './child.js';

/** Mangrove itself, as `npm start` runs it, on the database and the content types of the benchmark. */
const [uri = '', database = '', dataDir = ''] = process.argv.slice(2);
const types = ['restaurant', 'category', 'person', 'chef'];
const actions = ['find', 'findOne', 'create', 'update'];
const serving = await serveProject({
  root: join(process.cwd(), 'scripts', 'bench'),
  env: { NODE_ENV: 'production' },
  overrides: {
    rest: { publicDrafts: true },
    database: { uri, name: database, dataDir },
    server: { host: '127.0.0.1', port: 0 },
    middlewares: { logger: { level: 'silent' } },
    roles: { public: types.flatMap((type) => actions.map((action) => `api::${type}.${type}.${action}`)) },
  },
});
process.once('SIGTERM', () => serving.stop().then(() => process.exit(0)));
serve(`http://127.0.0.1:${serving.port}`);
