/** Two processes that replace one file at the same moment. */
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import { keysOf } from '../../src/media/keep-blobs.js';
import { replaceFile, storeFile } from '../../src/media/store-file.js';
import { startTestServer } from '../support/test-server.js';

const picture = (name: string) => ({ path: `test/conformance/fixture/seed/media/${name}`, name });

describe('media: replaced twice at once', function () {
  this.timeout(180_000);

  it('has the row and the bytes of one of both', async () => {
    const config = { plugins: { upload: { provider: 'gridfs' } } } as const;
    const first = await startTestServer(config);
    const second = await startTestServer(config, { beside: first });
    try {
      const blobs = first.project.store.db.collection('mangrove.blobs.files');
      for (let round = 0; round < 3; round++) {
        const { id, ...file } = await storeFile(first.project.media, picture('interior.png'));
        const [one, two] = round % 2 ? [first, second] : [second, first];
        await Promise.all([
          replaceFile(one.project.media, { id, ...file }, picture('spare.png')),
          replaceFile(two.project.media, { id, ...file }, picture('logo.png')),
        ]);
        const row = await first.project.media.rows.find(id);
        if (!row) throw new Error('it is gone');
        const keys = keysOf(row);
        expect(await blobs.distinct('filename', { filename: { $regex: row.hash } })).to.have.members(keys);
        const bytes = await buffer(
          (await first.project.media.provider.find(keys[0] ?? ''))?.read() ?? Readable.from([]),
        );
        expect(bytes.readUInt32BE(16), 'the width in the header of the PNG').to.equal(row.width);
      }
    } finally {
      await second.close();
      await first.close();
    }
  });
});
