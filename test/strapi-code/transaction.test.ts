/** `strapi.db.transaction` in the code of a project. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Serving, startServing } from '../../src/serve/index.js';
import { send } from '../support/send.js';
import { writeFiles } from '../support/write-files.js';
import { dropWhenDone, testDatabase } from './support.js';

const schema = (name: string, draftAndPublish = false) => ({
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  options: { draftAndPublish },
  attributes: { title: { type: 'string' } },
});

/** Each action of the controller writes two notes in a transaction. */
const CONTROLLER = `
const write = async (title) => {
  await strapi.documents('api::note.note').create({ data: { title } });
  await strapi.db.query('api::note.note').create({ data: { title } });
};
const log = [];
module.exports = {
  both: () => strapi.db.transaction(async ({ onCommit }) => {
    onCommit(() => log.push('committed'));
    await write('both');
    await strapi.db.transaction(() => write('both'));
    return { log: [...log] };
  }),
  fails: () => strapi.db.transaction(async ({ onRollback }) => {
    onRollback(() => log.push('rolled back'));
    await write('fails');
    throw new Error('no');
  }),
  rolledBack: async () => {
    const result = await strapi.db.transaction(async ({ rollback }) => {
      await write('rolledBack');
      await rollback();
      return 'done';
    });
    return { result, log };
  },
  trx: () => strapi.db.transaction(({ trx }) => trx.raw('SELECT 1')),
  hooked: () => strapi.db.transaction(async () => {
    await strapi.documents('api::hooked.hooked').create({ data: { title: 'hooked' } });
    throw new Error('no');
  }),
  told: () => ({ told: globalThis.toldOfHooked }),
  open: () => strapi.db.transaction(),
};`;

/** Each event of a type with lifecycles writes a note. */
const LIFECYCLES = `
const note = (title) => strapi.documents('api::note.note').create({ data: { title } });
const onCommits = [];
const hook = (action) => async ({ params, result }) => {
  const title = String(result?.title ?? params.data?.title ?? '');
  await note(action + ' ' + title);
  await strapi.db.query('api::note.note').create({ data: { title: action + ' again ' + title } });
  if (action === 'beforeCreate' && title.startsWith('rolled back'))
    await strapi.db.transaction(({ rollback }) => rollback());
  if (action === 'beforeCreate' && title.startsWith('nested'))
    await strapi.db.transaction(({ onCommit }) => {
      onCommit(() => globalThis.toldOfHooked.push('committed ' + title));
      return note('nested in ' + title);
    });
  if (action === 'beforeCreate' && title.startsWith('reads')) await strapi.documents('api::hooked.hooked').count({});
  if (action === 'afterCreate' && title.startsWith('bad')) throw new Error('no');
  if (action === 'beforeUpdate' || (action === 'beforeCreate' && !params.data.documentId)) params.data.title += '!';
};
const actions = ['Create', 'Update', 'Delete'].flatMap((name) => ['before' + name, 'after' + name]);
module.exports = Object.fromEntries(actions.map((action) => [action, hook(action)]));`;

const LISTENER = `
globalThis.toldOfHooked = [];
module.exports = {
  bootstrap: ({ strapi }) => strapi.eventHub.on('entry.create', ({ uid, entry }) => {
    if (uid === 'api::hooked.hooked') globalThis.toldOfHooked.push(entry.title);
  }),
};`;

const ACTIONS = ['both', 'fails', 'rolledBack', 'trx', 'hooked', 'told', 'open'];

describe('strapi.db.transaction', function () {
  this.timeout(180_000);
  let root: string;
  let serving: Serving;
  let token: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-strapi-transaction-'));
    const routes = ACTIONS.map((name) => ({
      method: 'POST',
      path: `/do/${name}`,
      handler: `note.${name}`,
      config: { auth: false },
    }));
    await writeFiles(root, {
      'src/api/note/content-types/note/schema.json': schema('note'),
      'src/api/hooked/content-types/hooked/schema.json': schema('hooked', true),
      'src/api/hooked/content-types/hooked/lifecycles.js': LIFECYCLES,
      'src/index.js': LISTENER,
      'src/api/note/controllers/note.js': CONTROLLER,
      'src/api/note/routes/own.js': `module.exports = { routes: ${JSON.stringify(routes)} };`,
    });
    serving = await startServing({ root, overrides: testDatabase() });
    token = (await serving.project.access.tokens.create({ name: 'all', type: 'full-access' })).key;
  });
  after(async () => {
    await dropWhenDone(serving);
    await rm(root, { recursive: true, force: true });
  });
  const run = (name: string) => send(`http://127.0.0.1:${serving.port}`, `/api/do/${name}`, { body: {} });
  const notes = (title: string) => serving.project.documents('api::note.note').count({ filters: { title } });

  it('what the function writes is stored when it has returned, also by nested ones', async () => {
    const answer = await run('both');
    expect([answer.status, answer.body]).to.deep.equal([200, { log: [] }]);
    expect(await notes('both')).to.equal(4);
  });

  it('nothing is stored if it throws or rolls back', async () => {
    expect((await run('fails')).status).to.equal(500);
    const answer = await run('rolledBack');
    expect(answer.body).to.deep.equal({ result: 'done', log: ['committed', 'rolled back'] });
    expect([await notes('fails'), await notes('rolledBack')]).to.deep.equal([0, 0]);
  });

  it('what cannot be part of one is refused by name', async () => {
    expect((await run('trx')).at('error.message')).to.include('strapi.db.transaction.trx.raw');
    expect((await run('open')).at('error.message')).to.include('strapi.db.transaction without a function');
  });

  describe('with lifecycles', () => {
    const url = () => `http://127.0.0.1:${serving.port}`;
    const batch = (...operations: readonly object[]) =>
      send(url(), '/api/batch', {
        token,
        body: { operations: operations.map((one) => ({ plural: 'hookeds', ...one })) },
      });
    const create = (title: string, more: object = {}) => ({ action: 'create', data: { title }, ...more });
    /** The notes that contain a text, without it. */
    const written = async (text: string): Promise<string[]> => {
      const found = await serving.project.documents('api::note.note').findMany({
        filters: { title: { $contains: text } },
        sort: 'id',
      });
      return found.map(({ title }) => String(title).replaceAll(text, ''));
    };
    const told = async (text: string): Promise<string[]> =>
      ((await run('told')).at('told') as string[]).filter((title) => title.includes(text));

    it('a batch does what its operations do alone', async () => {
      const made = await batch(create('batch'), create('batch', { status: 'draft' }));
      expect(made.status, JSON.stringify(made.body)).to.equal(200);
      const ids = [0, 1].map((at) => String(made.at(`data.${at}.data.documentId`)));
      const changed = await batch(
        { action: 'update', documentId: ids[0], data: { title: 'batch changed' } },
        { action: 'publish', documentId: ids[1] },
      );
      expect(changed.status, JSON.stringify(changed.body)).to.equal(200);
      const gone = await batch(...ids.map((documentId) => ({ action: 'delete', documentId })));
      expect(gone.status, JSON.stringify(gone.body)).to.equal(200);

      const ask = (method: string, path: string, data?: object) =>
        send(url(), `/api/hookeds${path}`, { token, method, ...(data && { body: { data } }) });
      const first = await ask('POST', '', { title: 'alone' });
      const second = await ask('POST', '?status=draft', { title: 'alone' });
      const [one, two] = [first, second].map((answer) => String(answer.at('data.documentId')));
      const updated = await ask('PUT', `/${one}`, { title: 'alone changed' });
      const published = await send(url(), `/api/hookeds/${two}/publish`, { token, body: {} });
      for (const id of [one, two]) await ask('DELETE', `/${id}`);

      const titles = [made.at('data.0'), made.at('data.1'), changed.at('data.0'), changed.at('data.1')].map(
        (answer) => (answer as { data: { title: string } }).data.title.replaceAll('batch', ''),
      );
      expect(titles).to.deep.equal(
        [first, second, updated, published].map((answer) =>
          String(answer.at('data.title')).replaceAll('alone', ''),
        ),
      );
      const notes = await written('alone');
      expect(notes).to.have.length.greaterThan(20);
      expect(await written('batch')).to.deep.equal(notes);
      expect((await told('batch')).map((title) => title.replaceAll('batch', ''))).to.deep.equal(
        (await told('alone')).map((title) => title.replaceAll('alone', '')),
      );
    });

    it('what they write and tell belongs to the batch', async () => {
      const failed = await batch(create('lost'), create('bad'));
      expect([failed.status, failed.at('error.details.operation')]).to.deep.equal([500, 1]);
      expect((await run('hooked')).status).to.equal(500);
      for (const text of ['lost', 'bad', 'hooked']) {
        expect(await written(text), text).to.deep.equal([]);
        expect(await told(text), text).to.deep.equal([]);
      }
    });

    it('a transaction in a lifecycle is part of the batch', async () => {
      const nested = await batch(create('nested'));
      expect(nested.status, JSON.stringify(nested.body)).to.equal(200);
      expect(await written('nested in nested')).to.have.length(2);
      expect((await told('nested')).filter((line) => line.startsWith('committed'))).to.have.length(2);
      expect((await batch(create('nested lost'), create('bad'))).status).to.equal(500);
      expect(await told('nested lost')).to.deep.equal([]);
      const rolledBack = await batch(create('rolled back'));
      expect([rolledBack.status, rolledBack.headers.get('x-error-code')]).to.deep.equal([
        400,
        'transaction-rolled-back',
      ]);
      expect(await written('rolled back')).to.deep.equal([]);
    });

    it('a read that would miss a change is refused', async () => {
      expect((await batch(create('reads one', { status: 'draft' }))).status).to.equal(200);
      const refused = await batch(create('first'), create('reads two', { status: 'draft' }));
      expect([refused.status, refused.headers.get('x-error-code')]).to.deep.equal([400, 'transaction-read']);
      expect(refused.at('error.details.operation')).to.equal(1);
    });
  });
});
