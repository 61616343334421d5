/** An export to a disk that is full ends with the error of the disk, and leaves nothing. */
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openArchiveWriter } from '../../src/transfer/export/writer.js';

const FULL = '/dev/full';
const LINE = { text: 'x'.repeat(20_000) };

describe('writing an archive', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-writer-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  for (const full of ['the archive', 'the working data'])
    for (const gzip of [false, true])
      it(`ends if the disk of ${full} is full, ${gzip ? 'gzipped' : 'as a tar'}`, async () => {
        const [path, scratch] = [join(folder, 'out'), join(folder, 'scratch')];
        if (full === 'the archive') await symlink(FULL, `${path}.partial`);
        const writer = await openArchiveWriter({ path, folder: false, gzip, cipher: null, scratch });
        const [own = ''] = await readdir(scratch);
        if (full !== 'the archive') await symlink(FULL, join(scratch, own, 'lines'));
        const write = async (): Promise<void> => {
          const lines = writer.lines('entities');
          for (let number = 0; number < 500; number += 1) await lines.write(LINE);
          await lines.end();
          await writer.end();
        };
        const error = await write().then(
          () => null,
          (reason: unknown) => reason,
        );
        expect(String(error)).to.match(/ENOSPC/);
        await writer.abandon();
        expect(await readdir(folder, { recursive: true })).to.eql(['scratch']);
      });

  it('continues lines in a second part; a folder appears under its name when it is complete', async () => {
    const [path, scratch] = [join(folder, 'out'), join(folder, 'scratch')];
    const writer = await openArchiveWriter({ path, folder: true, gzip: false, cipher: null, scratch });
    const lines = writer.lines('links');
    for (let number = 0; number < 3; number += 1) await lines.write({ number });
    await lines.end();
    await lines.write({ number: 3 });
    await lines.end();
    await lines.end();
    expect(await readdir(folder)).not.to.include('out');
    await writer.end();
    const names = ['links_00001.jsonl', 'links_00002.jsonl'];
    expect((await readdir(join(path, 'links'))).sort()).to.eql(names);
    const texts = await Promise.all(names.map((name) => readFile(join(path, 'links', name), 'utf8')));
    expect(texts).to.eql(['{"number":0}\n{"number":1}\n{"number":2}\n', '{"number":3}\n']);
  });

  it('removes the working files of exports that were killed, and of no other', async () => {
    const scratch = join(folder, 'scratch');
    const ended = spawnSync(process.execPath, ['-e', '']).pid;
    const options = { path: join(folder, 'out'), folder: true, gzip: false, cipher: null, scratch };
    const writer = await openArchiveWriter(options);
    const [own = ''] = await readdir(scratch);
    await mkdir(join(scratch, own.replace(String(process.pid), String(ended)), 'inside'), {
      recursive: true,
    });
    const other = await openArchiveWriter({ ...options, path: join(folder, 'other') });
    expect(await readdir(scratch))
      .to.include(own)
      .and.have.length(2);
    await writer.abandon();
    await other.abandon();
    expect(await readdir(scratch)).to.eql([]);
  });
});
