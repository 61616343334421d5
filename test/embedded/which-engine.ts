import { MongoClient } from 'mongodb';

/** The engines that these tests run on. */
export type EngineName = 'embedded' | 'ferretdb' | 'secantusdb' | 'mongod';

/** What is known about the server under test. */
export interface ServerFacts {
  readonly name: EngineName;
  /** As `major.minor`. */
  readonly version: number;
  readonly isReplicaSet: boolean;
}

async function ask(uri: string): Promise<ServerFacts> {
  const client = await MongoClient.connect(uri);
  try {
    const admin = client.db('admin');
    const [build, hello] = [await admin.command({ buildInfo: 1 }), await admin.command({ hello: 1 })];
    const name = 'ferretdb' in build ? 'ferretdb' : hello['setName'] === 'secantus' ? 'secantusdb' : 'mongod';
    const version = Number.parseFloat(build['version']);
    return { name, version, isReplicaSet: hello['setName'] !== undefined };
  } finally {
    await client.close();
  }
}

const given = process.env['MONGODB_URI'];

/** The server at MONGODB_URI, otherwise the embedded engine. */
export const server: ServerFacts =
  given === undefined ? { name: 'embedded', version: 7, isReplicaSet: true } : await ask(given);

export const engineName: EngineName = server.name;
