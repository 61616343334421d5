/** Who can connect to the embedded engine. */
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startEngine } from '@mangrove/engine';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';

const ping = async (uri: string): Promise<string> => {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 5000 });
  try {
    await client.db('test').collection('things').findOne({});
    return 'answered';
  } catch (error) {
    return (error as { codeName?: string }).codeName ?? String(error);
  } finally {
    await client.close();
  }
};

describe('security: the engine', function () {
  this.timeout(180_000);
  const folder = mkdtempSync(join(tmpdir(), 'mangrove-test-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('MANGROVE-04: however long the data path, it listens on a socket that only its owner can access', async () => {
    const dataDir = join(folder, 'x'.repeat(100), 'y'.repeat(100));
    mkdirSync(dataDir, { recursive: true });
    const engine = await startEngine({ dataDir, durable: false });
    try {
      const path = decodeURIComponent(/^mongodb:\/\/([^/?]+\.sock)/.exec(engine.uri)?.[1] ?? '');
      expect(statSync(path).isSocket()).to.equal(true);
      expect(statSync(dirname(path)).mode & 0o777).to.equal(0o700);
      expect(await ping(engine.uri)).to.equal('answered');
    } finally {
      await engine.close();
    }
  });

  it('MANGROVE-04: on a requested port, nobody is served without the password', async () => {
    const engine = await startEngine({ dataDir: join(folder, 'port'), durable: false, port: 0 });
    try {
      expect(await ping(engine.uri)).to.equal('answered');
      const { host } = new URL(engine.uri.replace(/^mongodb/, 'http'));
      expect(await ping(`mongodb://${host}/?directConnection=true`)).to.equal('Unauthorized');
      const guessed = engine.uri.replace(/:[^:@]+@/, ':guessed@');
      expect(await ping(guessed)).to.equal('AuthenticationFailed');
    } finally {
      await engine.close();
    }
  });
});
