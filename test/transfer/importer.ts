/** A process that imports an archive, and prints the last step that it saves: there it waits until it is killed. */
import { openStore } from '../../src/store/client.js';
import { openArchiveSource } from '../../src/transfer/strapi/source.js';
import { importAll, targetIn } from '../support/transfer.js';
import { resumeSchema } from './resume-schema.js';

const [uri = '', name = '', archive = '', folder = '', last = ''] = process.argv.slice(2);
const store = await openStore({ uri, name });
await importAll(await openArchiveSource(archive, null), targetIn(store, resumeSchema, folder), {
  mode: 'merge',
  onProgress: ({ phase, at }) => {
    if (`${phase} ${at}` !== last) return;
    process.stdout.write(`${last}\n`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  },
});
await store.close();
