import { expect } from 'chai';
import sharp from 'sharp';
import { svgSize } from '../../src/media/svg-size.js';
import { cpuTime } from '../support/cpu-time.js';

const XMLNS = 'xmlns="http://www.w3.org/2000/svg"';

const sizeOf = (svg: string): string | null => {
  const size = svgSize(Buffer.from(svg));
  return size && `${size.width}x${size.height}`;
};

const SIZES: Readonly<Record<string, string | null>> = {
  [`<svg ${XMLNS} width="30" height="20"/>`]: '30x20',
  [`<svg ${XMLNS} width='30px' height='20.4'></svg>`]: '30x20',
  [`<svg ${XMLNS} viewBox="0 0 120 60"/>`]: '120x60',
  [`<svg ${XMLNS} viewBox="-5,-5,120,60"/>`]: '120x60',
  [`<svg ${XMLNS} width="240" viewBox="0 0 120 60"/>`]: '240x120',
  [`<svg ${XMLNS} height="30" viewBox="0 0 120 60"/>`]: '60x30',
  [`<svg ${XMLNS} width="100%" height="100%" viewBox="0 0 120 60"/>`]: '120x60',
  [`<?xml version="1.0"?>\n<!-- <svg width="1" height="1"> -->\n<svg ${XMLNS} width="30" height="20"/>`]:
    '30x20',
  [`\ufeff<!DOCTYPE svg PUBLIC "a" "b" [<!ENTITY c "d">]>\n<svg ${XMLNS} width="30" height="20"/>`]: '30x20',
  [`<svg ${XMLNS} data-a="&gt; >" width="30" height="20"/>`]: '30x20',
  '<svg:svg xmlns:svg="http://www.w3.org/2000/svg" width="30" height="20"/>': '30x20',
  [`<svg ${XMLNS} width="1in" height="72pt"/>`]: '96x96',
  [`<svg ${XMLNS}/>`]: null,
  [`<svg ${XMLNS} width="a" height="-3"/>`]: null,
  [`<svg ${XMLNS} width="30"`]: null,
  '<svgs width="30" height="20"/>': null,
  '<html><svg width="30" height="20"/></html>': null,
  '': null,
};

/** Those that librsvg measures by other rules, or not at all. */
const APART = /1in|data-a|ENTITY|svg:svg|%/;

describe('media: svgSize', () => {
  for (const [svg, size] of Object.entries(SIZES))
    it(`reads ${size ?? 'nothing'} from ${JSON.stringify(svg.slice(0, 70))}`, () =>
      expect(sizeOf(svg)).to.equal(size));

  it('measures as sharp does', async () => {
    for (const [svg, size] of Object.entries(SIZES)) {
      if (size === null || APART.test(svg)) continue;
      const { width, height } = await sharp(Buffer.from(svg)).metadata();
      expect(`${width}x${height}`, svg).to.equal(size);
    }
  });

  it('takes no time for texts made to take long', () => {
    const n = 400_000;
    const texts = [
      '<!--'.repeat(n),
      '<?'.repeat(n),
      `<!DOCTYPE ${'['.repeat(n)}`,
      `<!DOCTYPE a [${']'.repeat(n)}`,
      ' '.repeat(n),
      `<svg${' a'.repeat(n)}`,
      `<svg${' '.repeat(n)}`,
      `<svg${' a="b"'.repeat(n)}`,
      `<svg a${'='.repeat(n)}`,
      `<svg width="${'1'.repeat(n)}" height="1"/>`,
      `<svg viewBox="${' 1'.repeat(n)}"/>`,
    ];
    for (const text of texts) {
      const before = cpuTime();
      svgSize(Buffer.from(text));
      expect(cpuTime() - before, text.slice(0, 20)).to.be.below(300);
    }
  });
});
