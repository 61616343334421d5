import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { keepVersion, savedPort, savedVersion } from '../../src/mongod.js';

describe('mongod', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-mongod-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("a data folder's port is free when chosen, and never changes", async () => {
    const port = await savedPort(folder);
    await new Promise<void>((done, failed) => {
      const server = createServer().once('error', failed);
      server.listen(port, '127.0.0.1', () => server.close(() => done()));
    });
    expect(await savedPort(folder)).to.equal(port);
  });

  it("a data folder's version is the one that created it, even if a newer one is available", async () => {
    expect(await savedVersion(folder)).to.equal(null);
    await keepVersion(folder, '6.0.14');
    await keepVersion(folder, '8.0.1');
    expect(await savedVersion(folder)).to.equal('6.0.14');
    await writeFile(join(folder, 'mongod.version'), 'latest');
    expect(await savedVersion(folder)).to.equal(null);
  });

  it('a damaged version file is replaced', async () => {
    await writeFile(join(folder, 'mongod.port'), 'x');
    expect(await savedPort(folder)).to.be.above(0);
  });
});
