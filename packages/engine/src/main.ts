import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startEngine } from './index.js';

const USAGE = `Serves a data folder until it is interrupted; prints the connection string.

  npm start -- [--data <folder>] [--port <n>] [--socket <path>] [--mongodb <version>]

  --data <folder>      created if missing (default: .data)
  --port <n>           a port of 127.0.0.1; 0: any free port
  --socket <path>      a unix socket (default: engine.sock in a folder that only you can enter)
  --mongodb <version>  the MongoDB version to emulate: 5.0, 6.0 or 7.0 (default)
`;
const OPTIONS = {
  data: { type: 'string', default: '.data' },
  port: { type: 'string' },
  socket: { type: 'string' },
  mongodb: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: OPTIONS });
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  const engine = await startEngine({
    dataDir: resolve(values.data),
    port: values.port === undefined ? undefined : Number(values.port),
    socketPath: values.socket,
    version: values.mongodb,
  });
  if (engine.owned) {
    // Keeps the process running, which a thread that only listens does not.
    const alive = setInterval(() => {}, 60_000);
    const stop = (): void => {
      clearInterval(alive);
      void engine.close();
    };
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
  } else process.stderr.write('Another process is already serving this folder; this is its address.\n');
  process.stdout.write(`${engine.uri}\n`);
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
