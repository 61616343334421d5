import { MongoClient } from 'mongodb';

/** The engines that these tests run on. */
export type EngineName = 'embedded' | 'ferretdb' | 'secantusdb' | 'mongod';

async function ask(uri: string): Promise<EngineName> {
  const client = await MongoClient.connect(uri);
  try {
    const admin = client.db('admin');
    const [build, hello] = [await admin.command({ buildInfo: 1 }), await admin.command({ hello: 1 })];
    if ('ferretdb' in build) return 'ferretdb';
    return hello['setName'] === 'secantus' ? 'secantusdb' : 'mongod';
  } finally {
    await client.close();
  }
}

const given = process.env['MONGODB_URI'];

/** The server that MONGODB_URI names, else the embedded engine. */
export const engineName: EngineName = given === undefined ? 'embedded' : await ask(given);
