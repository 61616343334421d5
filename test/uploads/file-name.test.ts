import { expect } from 'chai';
import { ApiError } from '../../src/errors.js';
import { parseFileInfo, parseFileInfos } from '../../src/media/file-info.js';
import { checkFileName, extensionOf, hashOf } from '../../src/media/file-name.js';
import { boxesFor } from '../../src/media/images.js';
import { matchesType, mimeOfExtension } from '../../src/media/mime.js';
import { mediaKind } from '../../src/schema/media-kind.js';

describe('media: names', () => {
  const hashes: [string, string][] = [
    ['chef portrait.png', 'chef_portrait'],
    ['notes-ü.txt', 'notes_ue'],
    ['Žluťoučký kůň.JPG', 'Zlutoucky_kun'],
    ['..hidden', 'file'],
    ['日本.png', 'file'],
    ['archive.tar.gz', 'archive_tar'],
  ];
  for (const [name, slug] of hashes)
    it(`${name} becomes ${slug}_…`, () => {
      expect(hashOf(name)).to.match(new RegExp(`^${slug}_[0-9a-f]{10}$`));
    });

  it('file extensions are plain', () => {
    expect(
      ['a.PNG', 'a', 'a.', 'a.p n', '.env', 'a.ü', `a.${'x'.repeat(20)}`].map(extensionOf),
    ).to.deep.equal(['.PNG', '', '', '', '', '', '']);
  });

  for (const name of ['', '.', '..', 'a/b', 'a\\b', 'a\0', 'a\n', 'a<b', 'x'.repeat(256)])
    it(`refuses ${JSON.stringify(name).slice(0, 20)}`, () => {
      expect(() => checkFileName(name)).to.throw(ApiError, 'File name contains invalid characters');
    });
});

describe('media: fileInfo', () => {
  it('is JSON text, an object or a list with one item for each file', () => {
    expect(parseFileInfos(['{"name":"a","nope":1}', '{"caption":5}'], 2)).to.deep.equal([
      { name: 'a' },
      { caption: '5' },
    ]);
    expect(
      parseFileInfos(['[{"alternativeText":""},{"focalPoint":{"x":0,"y":100,"z":1}}]'], 2),
    ).to.deep.equal([{ alternativeText: '' }, { focalPoint: { x: 0, y: 100 } }]);
    expect(parseFileInfos(['[{"caption":"c"}]'], 1)).to.deep.equal([{ caption: 'c' }]);
    expect(parseFileInfos([], 2)).to.deep.equal([]);
    expect(parseFileInfo('{"caption":"c"}')).to.deep.equal({ caption: 'c' });
  });

  it('leaves out nulls and an empty name, so what is stored stays', () => {
    const nulls = { name: null, alternativeText: null, caption: null, focalPoint: null };
    expect(parseFileInfos([nulls, { name: '' }], 2)).to.deep.equal([{}, {}]);
  });

  const faultsOf = (read: () => unknown) => {
    try {
      return read();
    } catch (error) {
      return error instanceof ApiError
        ? error.faults?.map(({ path, message }) => [path.join('.'), message])
        : error;
    }
  };

  it('names each coordinate that is wrong', () => {
    const ofPoint = (focalPoint: unknown) => faultsOf(() => parseFileInfos([{ focalPoint }], 1));
    expect(ofPoint({ x: -1, y: 'b' })).to.deep.equal([
      ['fileInfo.focalPoint.x', 'fileInfo.focalPoint.x must be greater than or equal to 0'],
      [
        'fileInfo.focalPoint.y',
        'fileInfo.focalPoint.y must be a `number` type, but the final value was: `NaN` (cast from the value `"b"`).',
      ],
    ]);
    expect(ofPoint({ x: 1 })).to.deep.equal([
      ['fileInfo.focalPoint.y', 'fileInfo.focalPoint.y is a required field'],
    ]);
  });

  it('names the file whose information is wrong', () => {
    expect(faultsOf(() => parseFileInfos([{}, { caption: [] }], 2))).to.deep.equal([
      ['fileInfo.1.caption', 'fileInfo[1].caption must be a `string` type, but the final value was: `[]`.'],
    ]);
  });

  const cast = (type: string, value: string) =>
    `fileInfo must be a \`${type}\` type, but the final value was: \`null\`${value && ` (cast from the value \`${value}\`)`}.`;
  const wrong: [field: unknown, files: number, message: string][] = [
    ['{', 1, 'fileInfo is not valid JSON'],
    ['5', 1, cast('object', '5')],
    ['', 1, cast('object', '""')],
    ['null', 1, cast('object', '')],
    ['[]', 1, cast('object', '[]')],
    [[{}, {}], 1, cast('object', '[\n  {},\n  {}\n]')],
    [{}, 2, cast('array', '{}')],
    ['[{}]', 2, cast('array', '{}')],
    ['{', 0, cast('object', '"{"')],
    ['[{}]', 0, cast('object', '"[{}]"')],
    [{ caption: {} }, 1, 'fileInfo.caption must be a `string` type, but the final value was: `{}`.'],
    [{ name: 'a/b' }, 1, 'File name contains invalid characters'],
    [{ focalPoint: 5 }, 1, 'fileInfo.focalPoint must be null or { x, y } with numbers from 0 to 100'],
    [{ focalPoint: { x: 101, y: 1 } }, 1, 'fileInfo.focalPoint.x must be less than or equal to 100'],
  ];
  for (const [field, files, message] of wrong)
    it(`refuses ${JSON.stringify(field)} for ${files} files`, () => {
      const read = () => (files === 0 ? parseFileInfo(field) : parseFileInfos([field], files));
      expect(read).to.throw(ApiError).with.property('message', message);
    });
});

describe('media: types and sizes', () => {
  it('patterns', () => {
    expect(matchesType('image/png', ['image/*'])).to.equal(true);
    expect(matchesType('image/png', ['IMAGE/PNG'])).to.equal(true);
    expect(matchesType('imagex/png', ['image/*', 'text/plain'])).to.equal(false);
    expect(matchesType('a/b', ['*'])).to.equal(true);
    expect(mimeOfExtension('.PNG')).to.equal('image/png');
    expect(mimeOfExtension('.nope')).to.equal('application/octet-stream');
    expect(['image/png', 'video/mp4', 'audio/ogg', 'text/plain'].map(mediaKind)).to.deep.equal([
      'images',
      'videos',
      'audios',
      'files',
    ]);
  });

  const sides = { large: 1000, medium: 750, small: 500 };
  const boxes: [number, number, string[]][] = [
    [245, 156, []],
    [246, 10, ['thumbnail']],
    [10, 157, ['thumbnail']],
    [500, 500, ['thumbnail']],
    [300, 800, ['thumbnail', 'medium', 'small']],
    [2000, 1, ['thumbnail', 'large', 'medium', 'small']],
  ];
  for (const [width, height, names] of boxes)
    it(`${width}×${height} has ${names.join(', ') || 'none'}`, () => {
      expect(boxesFor({ width, height }, sides).map(([name]) => name)).to.deep.equal(names);
    });
});
