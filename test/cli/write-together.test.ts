import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { writeTogether } from '../../src/cli/write-together.js';

describe('files that refer to each other', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-files-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const FILES = ['a.json', 'inside/b.json', 'c.json'].map((path) => ({ path, content: { path } }));
  const present = async () => (await readdir(folder, { recursive: true })).sort();

  it('are all written', async () => {
    await writeTogether(folder, FILES);
    expect(await present()).to.deep.equal(['a.json', 'c.json', 'inside', 'inside/b.json']);
  });

  it('or none of them, if one cannot be made', async () => {
    const files = [...FILES, { path: 'd.json', content: { big: 1n } }];
    const error = await writeTogether(folder, files).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(TypeError);
    expect(await present()).to.deep.equal([]);
  });

  it('or none of them, if one has no place', async () => {
    await writeFile(join(folder, 'inside'), 'not a folder');
    const error = await writeTogether(folder, FILES).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(Error);
    expect(await present()).to.deep.equal(['inside']);
  });
});
