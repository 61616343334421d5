// The driver of replay-docs.mjs: calls the Document Service of the built package on the database that the map names.
//   npm run conformance:serve -- --port 1338 --map MAP
//   node test/conformance/replay-docs.mjs --driver test/support/document-service-driver.mjs --map MAP test/conformance/public
// `database` in the map is a connection string with the database's name. Needs `npm run build`.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openProject } from '../../dist/src/project.js';
import { conformanceSettings } from './conformance-settings.mjs';

const schemaFolder = fileURLToPath(new URL('../conformance/fixture/schemas', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'mangrove-driver-'));
let project;

export async function start() {
  const map = JSON.parse(readFileSync(process.argv[process.argv.indexOf('--map') + 1], 'utf8'));
  project = await openProject({
    root,
    env: { NODE_ENV: 'production' },
    schemaFolder,
    agreed: true,
    overrides: {
      ...conformanceSettings,
      database: { uri: map.database, dataDir: join(root, 'data') },
      secrets: {
        jwtSecret: 'for tests alone, and long enough',
        apiTokenSalt: 'for tests alone, and long enough',
      },
    },
  });
}

export async function call(uid, method, params) {
  const service = project.documents(uid);
  if (typeof service[method] !== 'function') throw new TypeError(`${method} is not available for ${uid}`);
  return service[method](params);
}

export async function stop() {
  await project.close();
  rmSync(root, { recursive: true, force: true });
}
