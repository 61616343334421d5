import { readdir, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { ApiError } from '../../src/errors.js';
import { readMultipart } from '../../src/media/read-multipart.js';
import { withScratch } from '../../src/media/scratch.js';

const limits = { sizeLimit: 10, maxFileSize: 20 };

describe('media: readMultipart', () => {
  let server: Server;
  let url: string;
  let using = limits;

  before(async () => {
    server = createServer((request, response) => {
      void withScratch(async (folder) => {
        const answer = await readMultipart(request, using, folder).then(
          async ({ files, fields }) => ({
            fields: Object.fromEntries(fields),
            files: await Promise.all(
              files.map(async ({ path, ...file }) => ({ ...file, body: await readFile(path, 'utf8') })),
            ),
            kept: (await readdir(folder)).length,
          }),
          (error: unknown) =>
            error instanceof ApiError ? { status: error.status, message: error.message } : String(error),
        );
        response.end(JSON.stringify(answer));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    using = limits;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const send = async (parts: readonly (readonly [string, string | File])[]): Promise<unknown> => {
    const body = new FormData();
    for (const [name, value] of parts) body.append(name, value);
    return (await fetch(url, { method: 'POST', body })).json();
  };
  const sendRaw = async (body: string, type = 'multipart/form-data; boundary=x'): Promise<unknown> =>
    (await fetch(url, { method: 'POST', body, headers: { 'Content-Type': type } })).json();
  const file = (size: number, name = 'a.txt'): File =>
    new File(['x'.repeat(size)], name, { type: 'text/plain' });

  it('reads files and fields in order', async () => {
    const parts = [
      ['files', file(10, 'ä ö.txt')],
      ['a', '1'],
      ['files', file(0)],
      ['a', '2'],
      ['__proto__', 'x'],
    ] as const;
    const answer = await send(parts);
    expect(answer).to.deep.include({
      files: [
        { field: 'files', name: 'ä ö.txt', mime: 'text/plain', body: 'xxxxxxxxxx' },
        { field: 'files', name: 'a.txt', mime: 'text/plain', body: '' },
      ],
      kept: 2,
    });
    expect(answer).to.have.nested.property('fields.a').that.deep.equals(['1', '2']);
  });

  it('ends if the client left before it began', async () => {
    const left = await new Promise<unknown>((resolve) => {
      const gone = createServer((request) => {
        request.once('close', () => {
          gone.close();
          const reading = withScratch((folder) => readMultipart(request, limits, folder));
          reading.catch((error: unknown) => resolve(error instanceof ApiError ? error.status : error));
          setTimeout(() => resolve('it waits'), 1000);
        });
        request.destroy();
      });
      gone.listen(0, '127.0.0.1', () => {
        const { port } = gone.address() as AddressInfo;
        const headers = { 'Content-Type': 'multipart/form-data; boundary=x' };
        fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: '--x', headers }).catch(() => undefined);
      });
    });
    expect(left).to.equal(400);
  });

  it('skips empty file fields', async () => {
    expect(await send([['files', new File([], '')]])).to.deep.include({ files: [] });
  });

  it('ignores the path in a file name', async () => {
    const head =
      'Content-Disposition: form-data; name="files"; filename="../../etc/passwd"\r\nContent-Type: text/plain';
    const answer = await sendRaw(`--x\r\n${head}\r\n\r\nhi\r\n--x--\r\n`);
    expect(answer).to.have.nested.property('files[0].name', 'passwd');
  });

  const tooLarge: [string, typeof limits, string][] = [
    ['the service', limits, 'b.txt exceeds size limit of 10'],
    ['the server', { sizeLimit: 100, maxFileSize: 10 }, 'FileTooBig'],
  ];
  for (const [whose, bounds, message] of tooLarge)
    it(`stops at the limit of ${whose}`, async () => {
      using = bounds;
      const answer = await send([
        ['files', file(3)],
        ['files', file(200_000, 'b.txt')],
        ['a', '1'],
      ]);
      expect(answer).to.deep.equal({ status: 413, message });
    });

  it('stops at too many parts or one that is too long', async () => {
    const many = Array.from({ length: 101 }, () => ['files', file(1)] as const);
    expect(await send(many)).to.deep.equal({ status: 413, message: 'More than 100 files' });
    const fields = Array.from({ length: 201 }, () => ['a', 'b'] as const);
    expect(await send(fields)).to.deep.equal({ status: 413, message: 'More than 200 fields' });
    expect(await send([['a', 'x'.repeat(1_000_001)]])).to.deep.equal({
      status: 413,
      message: 'a is too long',
    });
  });

  for (const [name, body, type] of [
    ['no boundary', 'x', 'multipart/form-data'],
    ['no parts', 'x', undefined],
    [
      'a truncated part',
      '--x\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\nhal',
      undefined,
    ],
  ] as const)
    it(`refuses a body with ${name}`, async () => {
      expect(await sendRaw(body, type)).to.deep.equal({
        status: 400,
        message: 'The multipart body is malformed',
      });
    });
});
