/** A process that carries out what is scheduled: `runner.ts <uri> <name>`. */
import { startScheduled } from '../../src/scheduled/run.js';
import { openDocuments } from './open.js';

const [uri = '', name = ''] = process.argv.slice(2);
const { store, documents } = await openDocuments(uri, name);
startScheduled({ store, documents, record: () => undefined }, { lease: 400, every: 20 });
process.on('disconnect', () => process.exit(0));
process.send?.({ ready: true });
