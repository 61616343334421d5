import { writeFile } from 'node:fs/promises';
import { Command } from 'commander';
import { startConformanceServer } from './conformance-server.js';

/**
 * `npm run conformance:serve -- --port N --map FILE [--strict]`: serves the fixture, freshly seeded, until it is
 * stopped.
 */
const options = new Command()
  .requiredOption('--port <number>', 'the port to listen on', Number)
  .requiredOption('--map <file>', 'where the symbol map is written')
  .option('--strict', 'the second configuration', false)
  .parse()
  .opts<{ port: number; map: string; strict: boolean }>();

const server = await startConformanceServer(
  options.strict ? 'strict' : 'default',
  options.port,
  {},
  { undescribed: true },
);
await writeFile(options.map, `${JSON.stringify({ ...server.map, database: server.database }, null, 1)}\n`);
console.log(
  `${server.url} serves the fixture${options.strict ? ', strictly' : ''}; symbols in ${options.map}`,
);

let ending = false;
const end = (): void => {
  if (ending) return;
  ending = true;
  server.close().then(
    () => process.exit(0),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
};
process.on('SIGTERM', end);
process.on('SIGINT', end);
