import { MongoClient } from 'mongodb';

/** The engines that the tests run on. */
type EngineName = 'embedded' | 'ferretdb' | 'secantusdb' | 'mongod';

/** What is known about the server under test. */
interface ServerFacts {
  readonly name: EngineName;
  readonly isReplicaSet: boolean;
}

async function ask(uri: string): Promise<ServerFacts> {
  const client = await MongoClient.connect(uri);
  try {
    const admin = client.db('admin');
    const [build, hello] = [await admin.command({ buildInfo: 1 }), await admin.command({ hello: 1 })];
    const name = 'ferretdb' in build ? 'ferretdb' : hello['setName'] === 'secantus' ? 'secantusdb' : 'mongod';
    return { name, isReplicaSet: hello['setName'] !== undefined };
  } finally {
    await client.close();
  }
}

const given = process.env['MONGODB_URI'];

/** The server at MONGODB_URI, otherwise the embedded engine. */
export const server: ServerFacts =
  given === undefined ? { name: 'embedded', isReplicaSet: true } : await ask(given);
