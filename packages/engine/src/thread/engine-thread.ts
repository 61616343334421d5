import { parentPort, workerData } from 'node:worker_threads';
import type { ServeOptions } from '../serve.js';
import { serveOwned } from '../serve-owned.js';
import type { FromThread } from './messages.js';

const port = parentPort;

/** The thread's life cycle: serve, report the address, close when told to. */
async function main(options: ServeOptions): Promise<void> {
  const tell = (message: FromThread): void => port?.postMessage(message);
  try {
    const { uri, owned, pid, close } = await serveOwned(options);
    port?.once('message', () => {
      close().then(
        () => tell({ kind: 'closed' }),
        (error: Error) => tell({ kind: 'failed', name: error.name, message: error.message }),
      );
    });
    tell({ kind: 'serving', uri, owned, pid });
  } catch (error) {
    const { name, message, code } = error as NodeJS.ErrnoException;
    tell({ kind: 'failed', name, message, code });
    port?.close();
  }
}

void main(workerData as ServeOptions);
