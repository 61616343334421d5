import { JWT_SECRET } from './pairs.js';
import { ACTIONS, serveBenchmark } from './serve-project.js';

const MEMOS = 'api::memo.memo.find';

/** Mangrove itself on the database of the benchmark. */
const [uri = '', database = '', dataDir = '', root] = process.argv.slice(2);
const settings = {
  rest: { publicDrafts: true },
  database: { uri, name: database, dataDir },
  server: { host: '127.0.0.1', port: 0 },
  secrets: { jwtSecret: JWT_SECRET, apiTokenSalt: JWT_SECRET },
  roles: {
    public: ACTIONS,
    free: [MEMOS],
    owner: [{ action: MEMOS, where: { author: { id: '$caller.id' } } }],
  },
};
await serveBenchmark(settings, root);
