/** Files that are not what they claim to be, or expand to far more than their size. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { blackSquare } from '../../scripts/bench/hostile/picture.js';
import type { ApiError } from '../../src/errors.js';
import { checkPixels } from '../../src/media/images.js';
import { storeFile } from '../../src/media/store-file.js';
import type { MediaSettings } from '../../src/media/types.js';
import { cpuTime } from '../support/cpu-time.js';
import { blackFrames } from '../support/pictures.js';
import { startTestServer } from '../support/test-server.js';
import { testMedia } from '../uploads/memory.js';

/** The result of storing these bytes: the MIME type of the file, or the code of the error. */
const outcome = async (
  buffer: Buffer | string,
  name: string,
  { mime, ...settings }: Partial<MediaSettings> & { readonly mime?: string },
): Promise<string> => {
  const { media, rows, close } = await testMedia({ sizeLimit: 10_000_000, ...settings });
  try {
    const file = await storeFile(media, { buffer: Buffer.from(buffer), name, mime });
    return file.mime;
  } catch (error) {
    expect(rows.all.size).to.equal(0);
    return (error as ApiError).code;
  } finally {
    await close();
  }
};

describe('security: uploads', function () {
  this.timeout(180_000);

  it('MANGROVE-10: an image with more pixels than may be decoded is refused by its header', async () => {
    expect(await outcome(blackSquare(16_000), 'bomb.png', {})).to.equal('image-too-large');
    expect(await outcome(blackSquare(400), 'small.png', {})).to.equal('image/png');
  });

  it('MANGROVE-10: the frames of an animation are added up', async () => {
    const maxPixels = 100_000;
    expect(await outcome(blackFrames(20, 100), 'bomb.gif', { maxPixels })).to.equal('image-too-large');
    expect(await outcome(blackFrames(5, 100), 'small.gif', { maxPixels })).to.equal('image/gif');
  });

  it('hardening: drawings are measured by their text and never drawn', async () => {
    const uses = (id: number): string => `<use href="#a${id}"/>`.repeat(40);
    const nested = Array.from({ length: 12 }, (_, i) => `<g id="a${i + 1}">${uses(i)}</g>`).join('');
    const inner = `<defs><path id="a0" d="M0 0 ${'l1 1 '.repeat(50)}"/>${nested}</defs><use href="#a12"/>`;
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20">${inner}</svg>`;
    const before = cpuTime();
    for (let i = 0; i < 5; i += 1) expect(await outcome(svg, 'drawing.svg', {})).to.equal('image/svg+xml');
    expect(cpuTime() - before).to.be.below(3000);
    const large = '<svg xmlns="http://www.w3.org/2000/svg" width="30000" height="20000"/>';
    expect(await outcome(large, 'large.svg', {})).to.equal('image-too-large');
  });

  it('hardening: headers of images are read one at a time, until their time is over', async () => {
    let running = 0;
    let most = 0;
    const size = { width: 10, height: 10 };
    const measured = (ms: number) => async () => {
      running += 1;
      most = Math.max(most, running);
      await sleep(ms);
      running -= 1;
      return size;
    };
    const check = (ms: number, limit: number) => {
      const sharp = (() => ({ metadata: measured(ms) })) as unknown as typeof import('sharp').default;
      return checkPixels('a.png', 'image/png', { maxPixels: 99, limit }, async () => sharp).then(
        () => 'measured',
        (error: ApiError) => error.code,
      );
    };
    const all = [check(100, 10), check(5, 90_000), check(5, 90_000)];
    expect(await Promise.all(all)).to.deep.equal(['image-invalid', 'image-too-large', 'image-too-large']);
    expect([running, most]).to.deep.equal([0, 1]);
  });

  it('images of several clients are measured in turns', async () => {
    const order: string[] = [];
    const measure = (client: string) => {
      const metadata = async () => {
        order.push(client);
        return { width: 1, height: 1 };
      };
      const sharp = (() => ({ metadata })) as unknown as typeof import('sharp').default;
      return checkPixels('a.png', 'image/png', { maxPixels: 99, who: { client } }, async () => sharp);
    };
    await Promise.all(['greedy', 'greedy', 'greedy', 'greedy', 'other'].map(measure));
    expect(order.indexOf('other')).to.be.below(3);
  });

  it('MANGROVE-10: an upload that runs out of time stores nothing', async () => {
    const { media, rows, close } = await testMedia();
    const controller = new AbortController();
    const waiting = storeFile(media, {
      buffer: blackSquare(2000),
      name: 'late.png',
      who: { signal: controller.signal },
    });
    controller.abort(new Error('over'));
    expect(await waiting.then(String, (error: Error) => error.message)).to.equal('over');
    expect(rows.all.size).to.equal(0);
    await close();
  });

  it('MANGROVE-13: a denied type is refused by file name, declared type and content', async () => {
    const security = { allowedTypes: [], deniedTypes: ['image/svg+xml', 'text/html'] };
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
    const comment = `<!--${'x'.repeat(2_000_000)}-->`;
    const refused: readonly (readonly [string, string, string])[] = [
      ['by its claim', 'x.bin', 'image/svg+xml'],
      ['by its name', 'x.svg', 'text/plain'],
      ['by its name in upper case', 'x.HTML', 'text/plain'],
    ];
    for (const [how, name, mime] of refused)
      expect(await outcome('Hello', name, { mime, security }), how).to.equal('mime-type-not-allowed');
    for (const text of [
      svg,
      `text first ${svg}`,
      comment + svg,
      `${comment}<!DOCTYPE html>`,
      `\uFEFF \n${svg}`,
    ])
      expect(await outcome(text, 'x.txt', { mime: 'text/plain', security }), text.slice(0, 30)).to.equal(
        'file-type-not-allowed',
      );
    expect(await outcome('if a < b, then', 'x.txt', { mime: 'text/plain', security })).to.equal('text/plain');
    expect(await outcome(`a ${svg}`, 'x.txt', { mime: 'text/plain' })).to.equal('text/plain');
  });

  it('MANGROVE-13: over HTTP a denied type is a 400', async () => {
    const security = { allowedTypes: [], deniedTypes: ['text/html'] };
    const server = await startTestServer({
      roles: { public: ['plugin::upload.content-api.upload'] },
      plugins: { upload: { security } },
    });
    try {
      const form = new FormData();
      form.append('files', new Blob(['Hello <script>'], { type: 'text/plain' }), 'x.html');
      const answer = await fetch(`${server.url}/api/upload`, { method: 'POST', body: form });
      expect(answer.status).to.equal(400);
    } finally {
      await server.close();
    }
  });
});
