import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import sharp from 'sharp';
import { readImageSize } from '../../src/media/image-size.js';
import { probeImage } from '../../src/media/images.js';

describe('media: image size from the header', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-test-'));
  });
  after(() => rm(folder, { recursive: true }));

  const picture = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#c33' } });
  const kept = async (name: string, bytes: Buffer): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, bytes);
    return path;
  };
  const made: readonly (readonly [string, string, () => Promise<Buffer>])[] = [
    ['png', 'image/png', () => picture(321, 123).png().toBuffer()],
    ['gif', 'image/gif', () => picture(321, 123).gif().toBuffer()],
    ['lossy webp', 'image/webp', () => picture(321, 123).webp().toBuffer()],
    ['lossless webp', 'image/webp', () => picture(321, 123).webp({ lossless: true }).toBuffer()],
    ['extended webp', 'image/webp', () => picture(321, 123).withMetadata({ density: 90 }).webp().toBuffer()],
    ['jpeg', 'image/jpeg', () => picture(321, 123).jpeg().toBuffer()],
    ['progressive jpeg', 'image/jpeg', () => picture(321, 123).jpeg({ progressive: true }).toBuffer()],
    [
      'rotated jpeg',
      'image/jpeg',
      () => picture(123, 321).withMetadata({ orientation: 6 }).jpeg().toBuffer(),
    ],
    [
      'upside-down jpeg',
      'image/jpeg',
      () => picture(321, 123).withMetadata({ orientation: 3 }).jpeg().toBuffer(),
    ],
    [
      'bmp',
      'image/bmp',
      async () => {
        const bytes = Buffer.alloc(54);
        bytes.write('BM');
        bytes.writeInt32LE(321, 18);
        bytes.writeInt32LE(-123, 22);
        return bytes;
      },
    ],
  ];
  for (const [name, mime, make] of made)
    it(`${name}`, async () => {
      const path = await kept('picture', await make());
      expect(await readImageSize(path, mime)).to.deep.equal({ width: 321, height: 123 });
    });

  it('of nothing else, and not from a truncated header', async () => {
    expect(await readImageSize(await kept('text', Buffer.from('x')), 'text/plain')).to.equal(null);
    for (const [, mime, make] of made) {
      const bytes = await make();
      for (let length = 0; length < Math.min(60, bytes.length); length += 1) {
        const size = await readImageSize(await kept('part', bytes.subarray(0, length)), mime);
        expect([null, 321], `${mime} ${length}`).to.include(size?.width ?? null);
      }
    }
  });

  it('replaces sharp, with a warning that it is missing', async () => {
    const path = await kept('photo', await picture(640, 400).png().toBuffer());
    const source = { path, mime: 'image/png', name: 'photo.png', hash: 'photo_1', ext: '.png' };
    const events: string[] = [];
    const probed = await probeImage(
      source,
      { breakpoints: { small: 500 }, folder, record: ({ name }) => events.push(name) },
      async () => null,
    );
    expect(probed).to.deep.equal({ width: 640, height: 400, formats: [] });
    expect(events).to.deep.equal(['images-not-resized']);
  });
});
