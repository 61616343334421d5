/**
 * Runs the test suite on a real mongod, first standalone, then as a replica set of one: `npm run test:mongod`.
 *   npm run test:mongod -- standalone|replica-set [mocha's arguments]
 * mongodb-memory-server downloads the mongod once, or uses the one that MONGOMS_SYSTEM_BINARY names. Exits with 1 if a
 * test failed or there is no mongod.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { MongoBinary, MongoMemoryReplSet, MongoMemoryServer } from 'mongodb-memory-server';

const storageEngine = 'wiredTiger';

const topologies: Readonly<Record<string, () => Promise<{ getUri(): string; stop(): Promise<boolean> }>>> = {
  standalone: () => MongoMemoryServer.create({ instance: { storageEngine } }),
  'replica-set': () => MongoMemoryReplSet.create({ replSet: { count: 1, storageEngine } }),
};

/** Mocha's exit code on one topology. */
const runOn = async (name: string, args: readonly string[]): Promise<number> => {
  const server = await topologies[name]?.();
  if (!server) return 2;
  console.log(`on a ${name} mongod: ${server.getUri()}`);
  try {
    const mocha = spawn(
      process.execPath,
      ['node_modules/mocha/bin/mocha.js', '--parallel', '--jobs', '2', ...args],
      {
        stdio: 'inherit',
        env: { ...process.env, MONGODB_URI: server.getUri() },
      },
    );
    const [code] = await once(mocha, 'exit');
    return typeof code === 'number' ? code : 1;
  } finally {
    await server.stop();
  }
};

const [first = '', ...rest] = process.argv.slice(2);
const one = Object.hasOwn(topologies, first);
try {
  await MongoBinary.getPath();
  for (const name of one ? [first] : Object.keys(topologies))
    process.exitCode = (await runOn(name, one ? rest : process.argv.slice(2))) || (process.exitCode ?? 0);
} catch (error) {
  const cause = String(error instanceof Error ? error.message : error).replaceAll(/\s+/g, ' ');
  console.error(`No mongod: ${cause}. Set MONGOMS_SYSTEM_BINARY to one, or let this machine download it.`);
  process.exitCode = 1;
}
