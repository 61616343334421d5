import { mkdir, mkdtemp, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { finishWriting, writeTogether } from '../../src/cli/write-together.js';

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

  it('are all there in the end, if moving them was interrupted', async () => {
    await mkdir(join(folder, 'c.json'));
    const error = await writeTogether(folder, FILES).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(Error);
    await rmdir(join(folder, 'c.json'));
    await finishWriting(folder);
    expect(await present()).to.deep.equal(['a.json', 'c.json', 'inside', 'inside/b.json']);
    expect(JSON.parse(await readFile(join(folder, 'c.json'), 'utf8'))).to.deep.equal({ path: 'c.json' });
  });
});
