import { startServing as serveProject } from '../../../src/serve/index.js';
import { serve } from '../child.js';
import { ACTIONS } from '../serve-project.js';

/** Mangrove on a Strapi project with code, until it is told to end. */
const [root = '', uri = '', database = '', dataDir = ''] = process.argv.slice(2);
const serving = await serveProject({
  root,
  env: { NODE_ENV: 'production' },
  agreed: true,
  overrides: {
    middlewares: { logger: { level: 'silent' } },
    database: { uri, name: database, dataDir },
    server: { host: '127.0.0.1', port: 0 },
    roles: { public: ACTIONS },
  },
});
process.once('SIGTERM', () => serving.stop().then(() => process.exit(0)));
serve(`http://127.0.0.1:${serving.port}`);
