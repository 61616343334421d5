import { expect } from 'chai';
import { type ByteRange, parseRange } from '../../src/media/range.js';
import { servedAs } from '../../src/media/served-as.js';

describe('media: parseRange', () => {
  const rows: [string, number, ByteRange | 'unsatisfiable' | null][] = [
    ['', 10, null],
    ['bytes=0-3', 10, { start: 0, end: 3 }],
    ['bytes=4-', 10, { start: 4, end: 9 }],
    ['bytes=-3', 10, { start: 7, end: 9 }],
    ['bytes=-30', 10, { start: 0, end: 9 }],
    ['bytes=5-100', 10, { start: 5, end: 9 }],
    ['bytes=9-9', 10, { start: 9, end: 9 }],
    ['bytes=10-', 10, 'unsatisfiable'],
    ['bytes=-0', 10, 'unsatisfiable'],
    ['bytes=0-', 0, 'unsatisfiable'],
    ['bytes=5-4', 10, null],
    ['bytes=0-1,3-4', 10, null],
    ['bytes=-', 10, null],
    ['items=0-1', 10, null],
    ['bytes=1e3-', 10, null],
  ];
  for (const [header, size, expected] of rows)
    it(`${header || 'none'} of ${size}`, () => {
      expect(parseRange(header, size)).to.deep.equal(expected);
    });
});

describe('media: servedAs', () => {
  const rows: [string, string, boolean][] = [
    ['a.png', 'image/png', false],
    ['a.PDF', 'application/pdf', false],
    ['a.txt', 'text/plain; charset=utf-8', false],
    ['a.mp4', 'video/mp4', false],
    ['a.svg', 'image/svg+xml', true],
    ['a.html', 'text/html; charset=utf-8', true],
    ['a.xml', 'application/xml', true],
    ['a.js', 'text/javascript; charset=utf-8', true],
    ['a.css', 'text/css; charset=utf-8', true],
    ['a.foo', 'application/octet-stream', true],
    ['a', 'application/octet-stream', true],
  ];
  for (const [key, contentType, download] of rows)
    it(key, () => {
      expect(servedAs(key)).to.deep.equal({ contentType, download });
    });
});
