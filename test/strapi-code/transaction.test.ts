/** `strapi.db.transaction` in the code of a project. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Serving, startServing } from '../../src/serve/index.js';
import { send } from '../support/send.js';
import { writeFiles } from '../support/write-files.js';
import { dropWhenDone, testDatabase } from './support.js';

const schema = (name: string) => ({
  kind: 'collectionType',
  collectionName: `${name}s`,
  info: { singularName: name, pluralName: `${name}s`, displayName: name },
  options: { draftAndPublish: false },
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
  hooked: () => strapi.db.transaction(() => strapi.documents('api::hooked.hooked').create({ data: {} })),
  open: () => strapi.db.transaction(),
};`;

const ACTIONS = ['both', 'fails', 'rolledBack', 'trx', 'hooked', 'open'];

describe('strapi.db.transaction', function () {
  this.timeout(60_000);
  let root: string;
  let serving: Serving;
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
      'src/api/hooked/content-types/hooked/schema.json': schema('hooked'),
      'src/api/hooked/content-types/hooked/lifecycles.js': 'module.exports = { beforeCreate() {} };',
      'src/api/note/controllers/note.js': CONTROLLER,
      'src/api/note/routes/own.js': `module.exports = { routes: ${JSON.stringify(routes)} };`,
    });
    serving = await startServing({ root, overrides: testDatabase() });
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
    const hooked = await run('hooked');
    expect([hooked.status, hooked.headers.get('x-error-code')]).to.deep.equal([400, 'transaction-hooked']);
  });
});
