import { join } from 'node:path';
import { serve as serveProject } from '../../../src/serve/index.js';
import { serve } from '../child.js';

/**
 * Mangrove as `npm start` runs it, with an engine in its own process where no `uri` is given. Everyone may read, write and upload, so
 * that nothing but the server's own bounds stands between an attacker and its work.
 */
const [uri = '', name = '', dataDir = ''] = process.argv.slice(2);
const types = ['restaurant', 'category', 'person', 'chef'];
const actions = ['find', 'findOne', 'create', 'update'];
const serving = await serveProject({
  root: join(process.cwd(), 'scripts', 'bench'),
  env: { NODE_ENV: 'production' },
  overrides: {
    database: { uri: uri === '' ? null : uri, name, dataDir },
    server: { host: '127.0.0.1', port: 0, publicDir: join(dataDir, 'public'), drainMs: 0 },
    middlewares: { logger: { level: 'silent' } },
    roles: {
      public: [
        ...types.flatMap((type) => actions.map((action) => `api::${type}.${type}.${action}`)),
        'plugin::upload.content-api.upload',
      ],
    },
  },
});
process.once('SIGTERM', () => serving.stop().then(() => process.exit(0)));
serve(`http://127.0.0.1:${serving.port}`);
