/** `rest.compat: 'v4'` in a project with code, whose routes name the id in the path `id`. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Serving, startServing } from '../../src/serve/index.js';
import { dropWhenDone, testDatabase } from '../strapi-code/support.js';
import { typeFile } from '../support/schemas.js';
import { writeFiles } from '../support/write-files.js';

const UID = 'api::note.note';

describe('Strapi 4 clients of a project with code', function () {
  this.timeout(180_000);
  let root: string;
  let serving: Serving;
  let ids: readonly number[];

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-compat4-code-'));
    await writeFiles(root, {
      'src/api/note/content-types/note/schema.json': typeFile('note', { title: { type: 'string' } }).content,
      'src/api/note/routes/note.js': `module.exports = require('@strapi/strapi').factories.createCoreRouter('${UID}');`,
      'src/api/note/controllers/note.js': `module.exports = require('@strapi/strapi').factories.createCoreController('${UID}', () => ({
        async update(ctx) { ctx.set('x-own', 'update'); return super.update(ctx); },
      }));`,
    });
    const roles = { public: ['find', 'findOne', 'update', 'delete'].map((name) => `${UID}.${name}`) };
    serving = await startServing({ root, overrides: testDatabase({ rest: { compat: 'v4' }, roles }) });
    for (const title of ['one', 'two', 'three'])
      await serving.project.documents(UID).create({ data: { title } });
    ids = (await rows()).map(({ id }) => id);
  });
  after(async () => {
    await dropWhenDone(serving);
    await rm(root, { recursive: true, force: true });
  });

  const send = async (path: string, method = 'GET', data?: object) => {
    const response = await fetch(`http://127.0.0.1:${serving.port}/api/notes${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(data && { body: JSON.stringify({ data }) }),
    });
    const { data: found } = (await response.json()) as { readonly data: unknown };
    return { status: response.status, found, own: response.headers.get('x-own') };
  };
  const rows = async () =>
    (await send('?sort=id')).found as readonly {
      readonly id: number;
      readonly attributes: { title: string };
    }[];

  it('finds an entry by its number', async () => {
    for (const [at, title] of ['one', 'two', 'three'].entries())
      expect((await send(`/${ids[at]}`)).found).to.have.nested.property('attributes.title', title);
    expect((await send('/99999')).status).to.equal(404);
  });

  it('updates it through the code of the project', async () => {
    const { status, found, own } = await send(`/${ids[1]}`, 'PUT', { title: 'changed' });
    expect({ status, own }).to.eql({ status: 200, own: 'update' });
    expect(found).to.have.property('id', ids[1]);
    expect((await rows()).map(({ attributes }) => attributes.title)).to.eql(['one', 'changed', 'three']);
  });

  it('deletes it, and nothing for a number or id that no entry has', async () => {
    for (const id of ['99999', 'nothing']) expect((await send(`/${id}`, 'DELETE')).status, id).to.equal(404);
    const { status, found } = await send(`/${ids[2]}`, 'DELETE');
    expect({ status, found }).to.have.nested.property('found.attributes.title', 'three');
    expect((await rows()).map(({ id }) => id)).to.eql(ids.slice(0, 2));
  });
});
