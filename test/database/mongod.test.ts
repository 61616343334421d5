import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { keptPort } from '../../src/mongod.js';

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

  it('a damaged note of it is replaced', async () => {
    await writeFile(join(folder, 'mongod.port'), 'x');
    expect(await keptPort(folder)).to.be.above(0);
  });
});
