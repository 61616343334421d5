import { readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { expect } from 'chai';
import { ApiError } from '../../src/errors.js';
import type { FileInput } from '../../src/media/prepare-file.js';
import { deleteFile, replaceFile, storeFile, updateFileInfo } from '../../src/media/store-file.js';
import type { FileRows } from '../../src/media/types.js';
import { OutcomeUnknown } from '../../src/store/connection/unavailable.js';
import { type TestMedia, testMedia } from './memory.js';

const fixture = (name: string): string => join('test/conformance/fixture/seed/media', name);
const text = (body: string): { buffer: Uint8Array } => ({ buffer: Buffer.from(body) });

const refusal = async (work: Promise<unknown>): Promise<ApiError> => {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof ApiError) return error;
  throw new Error(`not refused: ${String(error)}`);
};

describe('media: storeFile', () => {
  let own: TestMedia;
  beforeEach(async () => {
    own = await testMedia();
  });
  afterEach(() => own.close());

  it('stores an image with the formats that are smaller than the original', async () => {
    const input = { path: fixture('interior.png'), name: 'interior.png', mime: 'image/png' };
    const row = await storeFile(own.media, input);
    expect(row).to.include({ name: 'interior.png', ext: '.png', mime: 'image/png', width: 640, height: 400 });
    expect(row).to.include({ size: 4.2, provider: 'local', caption: null, url: `/uploads/${row.hash}.png` });
    expect(row).to.include({ folderPath: '/' });
    expect(row.hash).to.match(/^interior_[0-9a-f]{10}$/);
    expect(Object.keys(row.formats ?? {})).to.deep.equal(['thumbnail', 'small']);
    expect(row.formats?.['thumbnail']).to.include({
      name: 'thumbnail_interior.png',
      hash: `thumbnail_${row.hash}`,
      width: 245,
      height: 153,
      path: null,
      url: `/uploads/thumbnail_${row.hash}.png`,
    });
    expect(row.formats?.['small']).to.include({ width: 500, height: 313 });
    const names = await readdir(own.folder);
    expect(names.sort()).to.deep.equal(
      [`${row.hash}.png`, `small_${row.hash}.png`, `thumbnail_${row.hash}.png`].sort(),
    );
    expect(await readFile(join(own.folder, `${row.hash}.png`))).to.deep.equal(await readFile(input.path));
  });

  it('creates no formats for a small image, and no size for other files', async () => {
    const small = await storeFile(own.media, { path: fixture('spare.png'), name: 'spare.png' });
    expect(small).to.include({ width: 4, height: 4, formats: null });
    const data = await storeFile(own.media, { path: fixture('data.json'), name: 'data.json' });
    expect(data).to.include({ width: null, formats: null, mime: 'application/json', size: 0.01 });
  });

  it('applies fileInfo', async () => {
    const fileInfo = { name: 'Grüße.txt', alternativeText: '', caption: 'c', focalPoint: { x: 1, y: 2 } };
    const row = await storeFile(own.media, { ...text('x'), name: 'a.txt', fileInfo });
    expect(row).to.deep.include({ ...fileInfo, ext: '.txt', mime: 'text/plain' });
    expect(row.hash).to.match(/^Gruesse_/);
  });

  it('reads a stream', async () => {
    const row = await storeFile(own.media, { stream: Readable.from(['ab', 'cd']), name: 'a.txt' });
    expect(await readFile(join(own.folder, `${row.hash}.txt`), 'utf8')).to.equal('abcd');
  });

  const types: [string, FileInput, string][] = [
    ['an image by its bytes', { path: fixture('spare.png'), name: 'x.jpg', mime: 'image/jpeg' }, 'image/png'],
    [
      'markup with a misleading name',
      { ...text('<!-- x --> <html>'), name: 'x.txt', mime: 'text/plain' },
      'text/html',
    ],
    ['an SVG drawing', { ...text('<?xml version="1.0"?><svg xmlns="x"/>'), name: 'x.svg' }, 'image/svg+xml'],
    ['XML', { ...text('<?xml version="1.0"?><a/>'), name: 'x.xml' }, 'application/xml'],
    ['text that mentions markup', { ...text('about <script>'), name: 'x.md' }, 'text/markdown'],
    ['a malformed declared type', { ...text('x'), name: 'x.csv', mime: 'a"b' }, 'text/csv'],
    [
      'an unknown file extension',
      { buffer: Buffer.from([0, 1, 2]), name: 'x.foo' },
      'application/octet-stream',
    ],
  ];
  for (const [name, input, mime] of types)
    it(`detects the type of ${name}`, async () => {
      expect((await storeFile(own.media, input)).mime).to.equal(mime);
    });

  const security = (allowedTypes: string[], deniedTypes: string[]) => ({
    security: { allowedTypes, deniedTypes },
  });
  const refused: [string, FileInput, Parameters<typeof testMedia>[0], number, string][] = [
    [
      'a file that is too large',
      { ...text('12345'), name: 'a.txt' },
      { sizeLimit: 4 },
      413,
      'a.txt exceeds size limit of 4',
    ],
    [
      'not an image',
      { ...text('x'), name: 'a.png', mime: 'image/png' },
      {},
      400,
      'File is not a valid image',
    ],
    [
      'a broken image',
      { buffer: Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), name: 'a.png' },
      {},
      400,
      'File is not a valid image',
    ],
    [
      'markup declared as an image',
      { ...text('<html>'), name: 'a.png' },
      {},
      400,
      'File is not a valid image',
    ],
    ['an invalid name', { ...text('x'), name: 'a/b.txt' }, {}, 400, 'File name contains invalid characters'],
    [
      'a denied declared type',
      { ...text('x'), name: 'a.html' },
      security([], ['text/html']),
      400,
      'MIME type is not allowed',
    ],
    [
      'denied bytes',
      { ...text('<html>'), name: 'a.txt' },
      security([], ['text/html']),
      400,
      "File type 'text/html' is not allowed",
    ],
    [
      'a type that is not allowed',
      { ...text('x'), name: 'a.txt' },
      security(['image/*'], []),
      400,
      "File type 'text/plain' is not allowed",
    ],
    [
      'bytes of an unknown type',
      { buffer: Buffer.from([0, 7]), name: 'a.foo' },
      security(['*'], []),
      400,
      'Cannot verify file type for security reasons',
    ],
  ];
  for (const [name, input, changed, status, message] of refused)
    it(`refuses ${name}`, async () => {
      const media = { ...own.media, settings: { ...own.media.settings, ...changed } };
      expect(await refusal(storeFile(media, input))).to.include({ status, message });
      expect(own.rows.all.size).to.equal(0);
      expect(await readdir(own.folder)).to.deep.equal([]);
    });

  it('leaves no bytes behind if storing the row fails', async () => {
    const rows = { ...own.rows, create: () => Promise.reject(new Error('no')) };
    const stored = storeFile({ ...own.media, rows }, { path: fixture('interior.png'), name: 'i.png' });
    await stored.catch((error: Error) => expect(error.message).to.equal('no'));
    expect(await readdir(own.folder)).to.deep.equal([]);
  });

  it('keeps the bytes if the row may have been stored', async () => {
    const create: FileRows['create'] = async (data) => {
      await own.rows.create(data);
      throw new OutcomeUnknown('no answer');
    };
    const media = { ...own.media, rows: { ...own.rows, create } };
    const error = await storeFile(media, { ...text('x'), name: 'a.txt' }).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(OutcomeUnknown);
    const [row] = own.rows.all.values();
    expect(await readdir(own.folder)).to.deep.equal([`${row?.hash}.txt`]);
  });

  it('leaves no bytes of a file that is deleted while it is replaced, whichever is first', async () => {
    const small = { path: fixture('spare.png'), name: 's.png' };
    const large = { path: fixture('interior.png'), name: 'i.png' };
    const first = await storeFile(own.media, small);
    const update: FileRows['update'] = async (documentId, data) => {
      await deleteFile(own.media, first);
      return own.rows.update(documentId, data);
    };
    const replaced = replaceFile({ ...own.media, rows: { ...own.rows, update } }, first, large);
    expect(await refusal(replaced)).to.include({ status: 404 });
    expect(await readdir(own.folder)).to.deep.equal([]);

    const second = await storeFile(own.media, small);
    await replaceFile(own.media, second, large);
    await deleteFile(own.media, second);
    expect(await readdir(own.folder)).to.deep.equal([]);
  });

  it('does not read more than it found of a file that is replaced by a larger one', async () => {
    const saved = async (body: string): Promise<void> => {
      const { hash } = await storeFile(own.media, { ...text(body), name: 'a.txt' });
      await rename(join(own.folder, `${hash}.txt`), join(own.folder, 'a.txt'));
    };
    await saved('short');
    const found = await own.media.provider.find('a.txt');
    await saved('much longer');
    expect(await readText(found?.read() ?? Readable.from([]))).to.have.length(5);
  });

  it('replaces the bytes under the same URL', async () => {
    const row = await storeFile(own.media, {
      path: fixture('interior.png'),
      name: 'i.png',
      fileInfo: { caption: 'c' },
    });
    const next = await replaceFile(own.media, row, { path: fixture('logo.png'), name: 'logo.png' });
    expect(next).to.include({
      id: row.id,
      hash: row.hash,
      url: row.url,
      name: 'logo.png',
      caption: 'c',
      width: 300,
    });
    expect(Object.keys(next.formats ?? {})).to.deep.equal(['thumbnail']);
    expect(await readdir(own.folder)).to.have.length(2);
    const plain = await replaceFile(own.media, next, { path: fixture('menu.txt'), name: 'menu.txt' });
    expect(plain.formats).to.deep.equal({});
    expect(await readdir(own.folder)).to.deep.equal([`${row.hash}.png`]);
  });

  it('keeps the old bytes if a replacement fails halfway', async () => {
    const row = await storeFile(own.media, { path: fixture('interior.png'), name: 'i.png' });
    const key = `${row.hash}.png`;
    const all = async (): Promise<Buffer[]> =>
      Promise.all((await readdir(own.folder)).sort().map((name) => readFile(join(own.folder, name))));
    const [before, old] = [await all(), await readFile(join(own.folder, key))];
    for (const failing of [1, 2, 3]) {
      let saves = 0;
      const provider = {
        ...own.media.provider,
        save: async (name: string, path: string) => {
          saves += 1;
          if (saves === failing) throw new Error('disk full');
          await own.media.provider.save(name, path);
        },
      };
      const input = { path: fixture('interior.png'), name: 'i.png' };
      const error = await replaceFile({ ...own.media, provider }, row, input).catch(
        (reason: unknown) => reason,
      );
      expect(error).to.be.instanceOf(Error);
      expect(await readFile(join(own.folder, key))).to.deep.equal(old);
      expect(await all()).to.have.length(before.length);
    }
  });

  it('updates fileInfo, and deletes everything', async () => {
    const row = await storeFile(own.media, { path: fixture('interior.png'), name: 'i.png' });
    const next = await updateFileInfo(own.media, row, { alternativeText: 'a' });
    expect(next).to.include({ alternativeText: 'a', name: 'i.png' });
    await deleteFile(own.media, next);
    expect(own.rows.all.size).to.equal(0);
    expect(await readdir(own.folder)).to.deep.equal([]);
  });
});
