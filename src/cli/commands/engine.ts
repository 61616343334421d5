import { resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { startEngine } from '../../embedded/index.js';
import { note, print, printJson } from '../../terminal/output.js';
import { globalsOf } from '../globals.js';

const parsePort = (text: string): number => {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new InvalidArgumentError('a port is a number from 0 (any free port) to 65535');
};

interface Options {
  readonly data: string;
  readonly port?: number;
  readonly socket?: string;
  readonly mongodb?: string;
}

/** `mangrove engine`: the embedded MongoDB-wire engine alone, for a shell or another program. */
export function register(program: Command): void {
  program
    .command('engine')
    .description('run the embedded MongoDB engine alone, on loopback or a unix socket only')
    .requiredOption('--data <folder>', 'its data folder; created if missing')
    .option('--port <n>', 'listen on this port of 127.0.0.1; 0: any free port', parsePort)
    .option(
      '--socket <path>',
      'listen on this unix socket (default: engine.sock in a folder that only you can enter)',
    )
    .option('--mongodb <version>', 'the MongoDB version to emulate: 5.0, 6.0 or 7.0 (default)')
    .action(async (options: Options, command: Command) => {
      const engine = await startEngine({
        dataDir: resolve(options.data),
        port: options.port,
        socketPath: options.socket,
        version: options.mongodb,
      });
      // Listened for before the address is told: who reads it may ask for the end at once.
      const asked = engine.owned ? untilAsked() : Promise.resolve();
      if (globalsOf(command).json) printJson({ uri: engine.uri, owned: engine.owned });
      else print(engine.uri);
      if (!engine.owned) note('Another process is already serving this folder; this is its address.');
      await asked;
      await engine.close();
    });
}

const untilAsked = (): Promise<void> =>
  new Promise((done) => {
    // Sockets alone do not say that the process is wanted.
    const alive = setInterval(() => {}, 60_000);
    const stop = (): void => {
      clearInterval(alive);
      done();
    };
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
  });
