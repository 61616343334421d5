import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { gridfsProvider } from '../../src/media/index.js';
import { withScratch } from '../../src/media/scratch.js';
import type { Provider } from '../../src/media/types.js';
import { openBlobs } from '../../src/store/gridfs.js';
import { type TestStore, testStore } from '../support/engine.js';

describe('media: GridFS', function () {
  this.timeout(180_000);
  let own: TestStore;
  let provider: Provider;
  const save = (key: string, body: string): Promise<void> =>
    withScratch(async (folder) => {
      await writeFile(join(folder, 'file'), body);
      await provider.save(key, join(folder, 'file'));
    });
  const read = async (key: string, start?: number, end?: number): Promise<string | undefined> => {
    const stream: Readable | undefined = (await provider.find(key))?.read(start, end);
    return stream && text(stream);
  };

  before(async () => {
    own = await testStore();
    provider = gridfsProvider(openBlobs(own.store.db));
  });
  after(() => own.close());

  it('stores, replaces, reads ranges of and removes bytes', async () => {
    await save('a.txt', 'hello world');
    expect(await provider.find('a.txt')).to.include({ size: 11 });
    expect(await read('a.txt')).to.equal('hello world');
    expect(await read('a.txt', 6, 8)).to.equal('wor');
    expect(await read('a.txt', 6)).to.equal('world');
    await save('a.txt', 'new');
    expect(await read('a.txt')).to.equal('new');
    expect(await own.store.db.collection('mangrove.blobs.files').countDocuments()).to.equal(1);
    await provider.remove('a.txt');
    await provider.remove('a.txt');
    expect(await provider.find('a.txt')).to.equal(null);
    expect(await own.store.db.collection('mangrove.blobs.chunks').countDocuments()).to.equal(0);
  });

  it('removes bytes that others remove at the same moment', async () => {
    await save('b.txt', 'b');
    await Promise.all([1, 2, 3, 4].map(() => provider.remove('b.txt')));
    expect(await provider.find('b.txt')).to.equal(null);
  });

  it('stores an empty file', async () => {
    await save('empty.txt', '');
    expect(await read('empty.txt')).to.equal('');
  });
});
