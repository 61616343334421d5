import { ACTIONS, serveBenchmark } from './serve-project.js';

/** Mangrove itself on the database of the benchmark. */
const [uri = '', database = '', dataDir = ''] = process.argv.slice(2);
await serveBenchmark({
  rest: { publicDrafts: true },
  database: { uri, name: database, dataDir },
  server: { host: '127.0.0.1', port: 0 },
  roles: { public: ACTIONS },
});
