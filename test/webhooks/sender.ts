/**
 * A process that writes and delivers: `sender.ts <uri> <name> <url>`. Tells its parent each document that is
 * acknowledged. With `idle` it only delivers.
 */
import { makeConfig } from '../../src/config/load.js';
import { createReader } from '../../src/documents/read/create-reader.js';
import { createDocuments } from '../../src/documents/service.js';
import { openStore } from '../../src/store/client.js';
import { startWebhooks } from '../../src/webhooks/index.js';
import { NOTE, notes } from './notes.js';

const [uri = '', name = '', url = '', mode = ''] = process.argv.slice(2);
const schema = notes();
const store = await openStore({ uri, name });
const config = makeConfig('.', {
  webhooks: { allowPrivate: true, endpoints: { one: { url: `${url}/one` }, two: { url: `${url}/two` } } },
});
const reader = createReader({ schema, store, config });
const documents = await createDocuments({ schema, store, config, reader });
await startWebhooks(
  { config, schema, store, reader, record: () => undefined },
  { lease: 400, every: 50, backoff: () => 50 },
);
process.on('disconnect', () => process.exit(0));
process.send?.({ ready: true });
while (mode !== 'idle') {
  const { documentId } = await documents(NOTE).create({ data: { title: '0' } });
  process.send?.({ documentId });
  for (const title of ['1', '2'])
    await documents(NOTE).update({ documentId: String(documentId), data: { title } });
  await new Promise((resolve) => setTimeout(resolve, 20));
}
