// The driver of replay-docs.mjs: calls the Document Service of the built package on the database that the map names.
//   node test/conformance/replay-docs.mjs --driver test/support/document-service-driver.mjs --map MAP test/conformance/public
// `database` in the map is a connection string, or `{ "uri", "name" }`. Needs `npm run build`.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { makeConfig } from '../../dist/src/config/load.js';
import { createReader } from '../../dist/src/documents/read.js';
import { createDocuments } from '../../dist/src/documents/service.js';
import { loadSchema } from '../../dist/src/schema/load.js';
import { openStore } from '../../dist/src/store/client.js';
import { ensureIndexes } from '../../dist/src/store/indexes/sync.js';
import { conformanceSettings } from './conformance-settings.mjs';

const schemas = fileURLToPath(new URL('../conformance/fixture/schemas', import.meta.url));
let store;
let documents;

export async function start() {
  const map = JSON.parse(readFileSync(process.argv[process.argv.indexOf('--map') + 1], 'utf8'));
  const { database } = map;
  const { uri, name } = typeof database === 'string' ? { uri: database } : database;
  const schema = await loadSchema({ folder: schemas });
  const config = makeConfig('.', conformanceSettings);
  store = await openStore({ uri, name });
  await ensureIndexes(store, schema);
  documents = await createDocuments({
    schema,
    store,
    config,
    reader: createReader({ schema, store, config }),
  });
}

export async function call(uid, method, params) {
  const service = documents(uid);
  if (typeof service[method] !== 'function') throw new TypeError(`${method} is not available for ${uid}`);
  return service[method](params);
}

export async function stop() {
  await store.close();
}
