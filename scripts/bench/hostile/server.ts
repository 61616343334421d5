import { ACTIONS, serveBenchmark } from '../serve-project.js';
import { publicDirOf } from './bait.js';

const OTHERS = [
  'upload.content-api.upload',
  'upload.content-api.find',
  'email.email.send',
  'content-type-builder.content-types.getContentTypes',
  'content-type-builder.components.getComponents',
].map((action) => `plugin::${action}`);
const LOCKERS = ['find', 'create', 'update'].map((action) => `api::locker.locker.${action}`);

/**
 * Mangrove with an engine in its own process where no `uri` is given. Everyone may read, write and upload, so that nothing but the
 * server's own bounds stands between an attacker and its work.
 */
const [uri = '', name = '', dataDir = ''] = process.argv.slice(2);
await serveBenchmark({
  database: { uri: uri === '' ? null : uri, name, dataDir },
  server: { host: '127.0.0.1', port: 0, publicDir: publicDirOf(dataDir), drainMs: 0, mcp: true },
  plugins: { usersPermissions: { jwtManagement: 'refresh' } },
  roles: { public: [...ACTIONS, ...OTHERS, ...LOCKERS] },
});
