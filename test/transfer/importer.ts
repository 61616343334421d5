/** A process that imports an archive and prints each step that it has saved, until it is done or killed. */
import { openStore } from '../../src/store/client.js';
import { openArchiveSource } from '../../src/transfer/strapi/source.js';
import { importAll, targetIn } from '../support/transfer.js';
import { resumeSchema } from './resume-schema.js';

const [uri = '', name = '', archive = '', folder = '', mode = 'merge'] = process.argv.slice(2);
const store = await openStore({ uri, name });
await importAll(await openArchiveSource(archive, null), targetIn(store, resumeSchema, folder), {
  mode: mode === 'replace' ? 'replace' : 'merge',
  tell: ({ phase, at }) => void process.stdout.write(`${phase} ${at}\n`),
});
await store.close();
