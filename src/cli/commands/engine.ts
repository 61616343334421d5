import { resolve } from 'node:path';
import { startEngine } from '@mangrove/engine';
import { Option } from 'commander';
import { note, print, printJson } from '../../terminal/output.js';
import { integer } from '../arguments.js';
import { type CommandLine, command, required } from '../command.js';

interface Options {
  readonly data: string;
  readonly port?: number;
  readonly socket?: string;
  readonly mongodb?: string;
}

/** `mangrove engine`: runs the embedded engine alone, for a shell or another program. */
export const engine = command({
  name: 'engine',
  does: 'run the embedded MongoDB engine alone, on loopback or a unix socket only',
  options: [
    required('--data <folder>', 'its data folder; created if missing'),
    new Option('--port <n>', 'listen on this port of 127.0.0.1; 0: any free port').argParser(
      integer(0, 65_535),
    ),
    [
      '--socket <path>',
      'listen on this unix socket (default: engine.sock in a folder that only you can enter)',
    ],
    ['--mongodb <version>', 'the MongoDB version to emulate: 5.0, 6.0 or 7.0 (default)'],
  ],
  async run({ json, options: { data, port, socket, mongodb } }: CommandLine<Options>) {
    const dataDir = resolve(data);
    const started = await startEngine({ dataDir, port, socketPath: socket, version: mongodb });
    const { uri, owned } = started;
    // Installed before the address is printed: whoever reads it may stop the engine at once.
    const asked = owned ? untilAsked() : Promise.resolve();
    if (json) printJson({ uri, owned });
    else print(uri);
    if (!owned) note('Another process is already serving this folder; this is its address.');
    await asked;
    await started.close();
    return undefined;
  },
});

const untilAsked = (): Promise<void> =>
  new Promise((done) => {
    // Keeps the process alive, which sockets alone do not.
    const alive = setInterval(() => {}, 60_000);
    const stop = (): void => {
      clearInterval(alive);
      done();
    };
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
  });
