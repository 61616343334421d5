import { MongoClient } from 'mongodb';
import type { ConfigOverrides } from '../../src/config/load.js';
import type { Serving } from '../../src/serve/index.js';

const GIVEN = process.env['MONGODB_URI'];
let made = 0;
/** Databases to drop, also those of servers that did not start. */
const names = new Set<string>();

/** A database and a port of a test's own. */
export const testDatabase = (more: ConfigOverrides = {}): ConfigOverrides => {
  made += 1;
  const name = `strapi_code_${process.pid}_${made}_${Date.now().toString(36)}`;
  names.add(name);
  return {
    environment: 'production',
    middlewares: { logger: { level: 'fatal' } },
    ...more,
    database: {
      ...(GIVEN && { uri: GIVEN }),
      name,
    },
    server: { port: 0, ...more.server },
  };
};

/** Stops a server and drops its database, and those of failed starts; an embedded engine is removed with its folder. */
export const dropWhenDone = async (serving: Serving | undefined): Promise<void> => {
  if (serving) names.add(serving.project.store.db.databaseName);
  await serving?.stop();
  if (!GIVEN) return;
  const client = await MongoClient.connect(GIVEN);
  for (const name of names) await client.db(name).dropDatabase();
  names.clear();
  await client.close();
};
