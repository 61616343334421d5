/** Archives are recognized by their bytes, not their names; damage is reported. */
import { createCipheriv, scryptSync } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { encipher } from '../../src/transfer/archive/cipher.js';
import { ImportError } from '../../src/transfer/source/error.js';
import { openArchiveSource } from '../../src/transfer/strapi/source.js';
import { ARCHIVE } from '../support/imported-server.js';

const KEY = 'a key of some length';

async function countOf(path: string, key: string | null): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for await (const { kind } of (await openArchiveSource(path, key)).records())
    counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

const refusal = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => {
      throw new Error('nothing was refused');
    },
    (error: Error) => error,
  );

describe('archives', () => {
  let folder: string;
  let whole: Record<string, number>;
  const put = async (name: string, bytes: Buffer): Promise<string> => {
    await writeFile(join(folder, name), bytes);
    return join(folder, name);
  };
  const sealed = async (): Promise<Buffer> => {
    const parts: Buffer[] = [];
    const seal = await encipher('aes-256-gcm', KEY);
    seal.on('data', (part: Buffer) => parts.push(part));
    seal.end(await readFile(ARCHIVE));
    await new Promise((resolve) => seal.on('end', resolve));
    return Buffer.concat(parts);
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-archive-'));
    whole = await countOf(ARCHIVE, null);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('are read gzipped, plain, encrypted by Strapi and sealed, whatever their names', async () => {
    const bytes = await readFile(ARCHIVE);
    const cipher = createCipheriv('aes-128-ecb', scryptSync(KEY, '', 16), null);
    expect(whole).to.include({ entry: 262, link: 1001, locale: 3, grant: 103 });
    expect(await countOf(await put('plain.bin', gunzipSync(bytes)), null)).to.deep.equal(whole);
    const strapi = Buffer.concat([cipher.update(bytes), cipher.final()]);
    expect(await countOf(await put('strapi.bin', strapi), KEY)).to.deep.equal(whole);
    expect(await countOf(await put('sealed.bin', await sealed()), KEY)).to.deep.equal(whole);
  });

  it('are refused without their key, with another key, and if they are not archives', async () => {
    const path = await put('sealed.bin', await sealed());
    expect((await refusal(openArchiveSource(path, null))).message).to.match(/--key/);
    expect((await refusal(openArchiveSource(path, 'another'))).message).to.match(/key is wrong/);
    expect(
      (await refusal(openArchiveSource(await put('text', Buffer.from('hello')), null))).message,
    ).to.match(/not an archive/);
    expect((await refusal(openArchiveSource(join(folder, 'nothing'), null))).message).to.match(/nothing at/);
  });

  it('are never read as if complete if they were modified or truncated', async () => {
    const bytes = await sealed();
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(70_000) ^ 1, 70_000);
    expect(await refusal(countOf(await put('changed', changed), KEY))).to.be.instanceOf(ImportError);
    const cut = bytes.subarray(0, 60_000);
    expect(await refusal(countOf(await put('cut', cut), KEY))).to.be.instanceOf(ImportError);
    const plain = (await readFile(ARCHIVE)).subarray(0, 40_000);
    expect(await refusal(countOf(await put('cut.tar.gz', plain), null))).to.be.instanceOf(ImportError);
  });
});
