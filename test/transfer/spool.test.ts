/** An archive from a pipe. */
import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { spool } from '../../src/transfer/archive/spool.js';
import { openArchiveSource } from '../../src/transfer/strapi/source.js';
import { ARCHIVE } from '../support/imported-server.js';

describe('an archive from standard input', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-spool-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('is read as often as an import needs, is recognized as the same source when repeated, and leaves nothing behind', async () => {
    const opened = [];
    for (let turn = 0; turn < 2; turn += 1) {
      const spooled = await spool(createReadStream(ARCHIVE), folder);
      opened.push(await openArchiveSource(spooled.path, null, spooled));
    }
    const [first, second] = opened;
    expect(first?.fingerprint).to.equal(second?.fingerprint);
    for (const source of opened) {
      const uids = new Set<string>();
      for (let turn = 0; turn < 2; turn += 1) for await (const { uid } of source.entries()) uids.add(uid);
      expect([...uids]).to.include('api::restaurant.restaurant');
      await source.close();
    }
    expect(await readdir(folder)).to.eql([]);
  });

  it('leaves nothing behind if the stream breaks off', async () => {
    const broken = Readable.from(
      (function* () {
        yield Buffer.from('half');
        throw new Error('gone');
      })(),
    );
    const failed = await spool(broken, folder).then(
      () => '',
      (error: unknown) => String(error),
    );
    expect(failed).to.equal('Error: gone');
    expect(await readdir(folder)).to.eql([]);
  });
});
