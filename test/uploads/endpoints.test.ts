/** Uploads over HTTP: forms, links to entries, errors, and how the files are returned (rules I). */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { leaveServer, useServer } from '../clients/server.js';
import type { ConformanceServer } from '../support/conformance-server.js';

type Json = Record<string, unknown>;
type Part = readonly [field: string, value: string | File];

const text = (name: string, body = 'x', type = 'text/plain'): File => new File([body], name, { type });

describe('uploads', function () {
  this.timeout(180_000);
  let server: ConformanceServer;
  const token = (name: string): Record<string, string> => ({
    Authorization: `Bearer ${server.map.tokens[name]}`,
  });

  const post = async (
    parts: readonly Part[],
    query = '',
    headers: Record<string, string> = token('full'),
  ) => {
    const body = new FormData();
    for (const [field, value] of parts) body.append(field, value);
    const answer = await fetch(`${server.url}/api/upload${query}`, { method: 'POST', headers, body });
    return { status: answer.status, body: (await answer.json()) as Json & Json[] };
  };
  const send = async (method: string, path: string, data?: Json) => {
    const headers = { ...token('full'), 'Content-Type': 'application/json' };
    const body = data === undefined ? null : JSON.stringify({ data });
    const answer = await fetch(`${server.url}/api${path}`, { method, headers, body });
    return {
      status: answer.status,
      body: (answer.status === 204 ? {} : await answer.json()) as { data: Json },
    };
  };
  const names = async (field: string, documentId: unknown, status: string): Promise<unknown> => {
    const { body } = await send('GET', `/restaurants/${documentId}?populate=${field}&status=${status}`);
    return [body.data[field]].flat().map((file) => (file as Json | null)?.['name']);
  };

  before(async function () {
    // Loading the fixture is slow on some engines.
    this.timeout(300_000);
    server = await useServer();
  });
  after(leaveServer);

  it('accepts several files, each with its fileInfo', async () => {
    const { status, body } = await post([
      ['files', text('one.txt')],
      ['files', text('two.txt')],
      ['fileInfo', '{"caption":"1"}'],
      ['fileInfo', '{"name":"zwei.txt","nope":1}'],
    ]);
    expect(status).to.equal(201);
    expect(body.map(({ name, caption }) => [name, caption])).to.deep.equal([
      ['one.txt', '1'],
      ['zwei.txt', null],
    ]);
  });

  it('checks the query of a single file even if there is none, and applies only populate', async () => {
    const file = `/upload/files/${server.map.media['img.pizza']?.id}`;
    const statusOf = async (path: string) => (await send('GET', path)).status;
    for (const query of ['populate=nope', 'fields=nope', 'filters[nope]=1', 'sort=nope']) {
      expect(await statusOf(`${file}?${query}`), query).to.equal(400);
      expect(await statusOf(`/upload/files/999999?${query}`), query).to.equal(400);
    }
    expect(await statusOf('/upload/files/999999')).to.equal(404);
    const { body } = await send('GET', `${file}?fields=name&filters[name]=other&sort=name`);
    expect(body).to.include.keys('caption', 'url');
  });

  it('attaches files to an entry: with a draft’s id, the draft changes', async () => {
    const { body } = await send('POST', '/restaurants?status=draft', { name: 'Upload target' });
    const { id, documentId } = body.data;
    const link = (field: string): Part[] => [
      ['ref', 'api::restaurant.restaurant'],
      ['refId', String(id)],
      ['field', field],
    ];
    expect((await post([['files', text('a.txt')], ...link('gallery')])).status).to.equal(201);
    expect((await post([['files', text('b.txt')], ...link('gallery')])).status).to.equal(201);
    expect(await names('gallery', documentId, 'draft')).to.deep.equal(['a.txt', 'b.txt']);

    const refused = await post([['files', text('c.txt')], ...link('cover')]);
    expect(refused.status).to.equal(400);
    expect(refused.body).to.have.nested.property(
      'error.message',
      'cover does not allow files such as c.txt, only images',
    );
  });

  it('attaches files to an entry: with a published entry’s id, the published version changes', async () => {
    const { body } = await send('POST', '/restaurants', { name: 'Upload target' });
    const { id, documentId } = body.data;
    await post([
      ['files', text('p.txt')],
      ['ref', 'api::restaurant.restaurant'],
      ['refId', String(id)],
      ['field', 'gallery'],
    ]);
    expect(await names('gallery', documentId, 'published')).to.deep.equal(['p.txt']);
    expect(await names('gallery', documentId, 'draft')).to.deep.equal(['p.txt']);
  });

  const wrong: [string, readonly Part[], string, string][] = [
    [
      'an unknown type',
      [
        ['ref', 'api::x.x'],
        ['refId', '1'],
        ['field', 'cover'],
      ],
      '',
      'ref must be the uid of a content type',
    ],
    [
      'an attribute that is not media',
      [
        ['ref', 'api::restaurant.restaurant'],
        ['refId', '1'],
        ['field', 'name'],
      ],
      '',
      'field must be the name of a media attribute of api::restaurant.restaurant',
    ],
    [
      'an id that is not a number',
      [
        ['ref', 'api::restaurant.restaurant'],
        ['refId', 'x'],
        ['field', 'cover'],
      ],
      '',
      'refId must be the numeric id of an entry',
    ],
    [
      'a missing entry',
      [
        ['ref', 'api::restaurant.restaurant'],
        ['refId', '999999'],
        ['field', 'gallery'],
      ],
      '',
      'api::restaurant.restaurant has no entry with the id 999999',
    ],
    ['invalid fileInfo', [['fileInfo', '{']], '', 'fileInfo is not valid JSON'],
    [
      'an invalid file after a valid one',
      [['files', text('a.png', 'x', 'image/png')]],
      '',
      'File is not a valid image',
    ],
    [
      'two files to replace one',
      [['files', text('b.txt')]],
      '?id=1',
      'Cannot replace a file with multiple ones',
    ],
  ];
  for (const [name, parts, query, message] of wrong)
    it(`refuses ${name}, and stores nothing`, async () => {
      const folder = join(server.project.config.server.publicDir, 'uploads');
      const [kept, count] = [
        await readdir(folder),
        await server.project.documents('plugin::upload.file').count(),
      ];
      const { status, body } = await post([['files', text('good.txt')], ...parts], query);
      expect(body).to.have.nested.property('error.message', message);
      expect(status).to.equal(400);
      expect(await readdir(folder)).to.deep.equal(kept);
      expect(await server.project.documents('plugin::upload.file').count()).to.equal(count);
    });

  it('linking requires the grant to update the entry', async () => {
    const upload = 'plugin::upload.content-api.upload';
    const allowed = { name: 'uploader', type: 'custom', permissions: [upload] } as const;
    const { key } = await server.project.access.tokens.create(allowed);
    const headers = { Authorization: `Bearer ${key}` };
    const { body } = await send('POST', '/restaurants', { name: 'Not yours' });
    const link: Part[] = [
      ['ref', 'api::restaurant.restaurant'],
      ['refId', String(body.data['id'])],
      ['field', 'gallery'],
    ];
    const count = await server.project.documents('plugin::upload.file').count();
    expect((await post([['files', text('a.txt')], ...link], '', headers)).status).to.equal(403);
    expect(await server.project.documents('plugin::upload.file').count()).to.equal(count);
    expect(await names('gallery', body.data['documentId'], 'published')).to.deep.equal([]);
    expect((await post([['files', text('a.txt')]], '', headers)).status).to.equal(201);
  });

  it('an attribute accepts only files of its allowed kinds', async () => {
    const { id } = server.map.media['txt.menu'] ?? {};
    const data = {
      name: 'No pictures',
      cover: id,
      gallery: [id],
      menu: [{ name: 'Soup', photo: { connect: [id] } }],
    };
    const { status, body } = await send('POST', '/restaurants', data);
    const { error } = body as unknown as {
      error: { details: { errors: { path: string[]; message: string }[] } };
    };
    expect(status).to.equal(400);
    expect(error.details.errors.map(({ path, message }) => [path.join('/'), message])).to.deep.equal([
      ['menu/0/photo', 'menu[0].photo must be one of the following types: images'],
      ['cover', 'cover must be one of the following types: images'],
    ]);
  });

  it('answers a body that is not a form, or a broken one', async () => {
    const headers = { ...token('full'), 'Content-Type': 'multipart/form-data; boundary=x' };
    for (const body of [
      '',
      'garbage',
      '--x\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\nhalf',
    ]) {
      const answer = await fetch(`${server.url}/api/upload`, { method: 'POST', headers, body });
      expect(answer.status, body).to.equal(400);
    }
  });

  it('an empty id does not name a file to replace', async () => {
    const body = new FormData();
    body.append('files', new Blob(['new']), 'new.txt');
    const answer = await fetch(`${server.url}/api/upload?id=`, {
      method: 'POST',
      headers: token('full'),
      body,
    });
    expect(answer.status).to.equal(201);
  });

  it('lists without a limit, and by page', async () => {
    const read = async (path: string) =>
      (await fetch(`${server.url}/api/upload${path}`, { headers: token('full') })).json();
    expect(await read('/files?pagination%5BpageSize%5D=1&page=3')).to.have.length.greaterThan(9);
    const three = (await read('/files?sort=id&fields=name&start=1&limit=3')) as Json[];
    expect(three.map(({ id }) => id)).to.deep.equal([2, 3, 4]);
    const page = (await read('/files/page?pagination[pageSize]=2&sort=id')) as { data: Json[]; meta: Json };
    expect(page.data).to.have.length(2);
    expect(page.meta['pagination']).to.include({ page: 1, pageSize: 2 });
  });
});
