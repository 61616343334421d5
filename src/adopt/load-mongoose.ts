import { fork } from 'node:child_process';
import { once } from 'node:events';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MongooseModels } from './mongoose.js';
import type { Loaded } from './mongoose-process.js';

const THIS = fileURLToPath(import.meta.url);
/** As built, or in the source. */
const FILE = join(dirname(THIS), `mongoose-process${extname(THIS)}`);
const STDERR = 2;

/**
 * `readMongoose` in a process of its own, which ends whatever the files leave behind: Mongoose itself changes the prototype of the
 * driver's ObjectId. What they print goes to stderr.
 * @throws Error if Mongoose is not installed where the models are, or if they end the process
 */
export async function loadMongoose(folder: string): Promise<MongooseModels> {
  const child = fork(FILE, [folder], {
    stdio: ['ignore', STDERR, STDERR, 'ipc'],
    serialization: 'advanced',
  });
  const received: Loaded[] = [];
  child.on('message', (message: Loaded) => received.push(message));
  await once(child, 'exit');
  const [loaded = { failed: `The files in ${folder} ended the process that loaded them` }] = received;
  if ('failed' in loaded) throw new Error(loaded.failed);
  return loaded.models;
}
