import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { keepVersion, keptPort, keptVersion } from '../../src/mongod.js';

describe('mongod', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-mongod-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('the port of a data folder is free at first, and stays', async () => {
    const port = await keptPort(folder);
    await new Promise<void>((done, failed) => {
      const server = createServer().once('error', failed);
      server.listen(port, '127.0.0.1', () => server.close(() => done()));
    });
    expect(await keptPort(folder)).to.equal(port);
  });

  it('the version of a data folder is the one that made it, whichever is newest', async () => {
    expect(await keptVersion(folder)).to.equal(null);
    await keepVersion(folder, '6.0.14');
    await keepVersion(folder, '8.0.1');
    expect(await keptVersion(folder)).to.equal('6.0.14');
    await writeFile(join(folder, 'mongod.version'), 'latest');
    expect(await keptVersion(folder)).to.equal(null);
  });

  it('a damaged note of it is replaced', async () => {
    await writeFile(join(folder, 'mongod.port'), 'x');
    expect(await keptPort(folder)).to.be.above(0);
  });
});
