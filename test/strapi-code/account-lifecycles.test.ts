/** Lifecycles and document middlewares of accounts run where accounts are written: by routes, services and documents. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Serving, startServing } from '../../src/serve/index.js';
import { objectAt } from '../../src/values/plain-object.js';
import { typeFile } from '../support/schemas.js';
import { type Received, type Sent, send } from '../support/send.js';
import { writeFiles } from '../support/write-files.js';
import { dropWhenDone, testDatabase } from './support.js';

const ACCOUNTS = 'plugin::users-permissions';
const USER = `${ACCOUNTS}.user`;
const NOTE = 'api::note.note';
const ACTIONS = [
  'auth.register',
  'auth.changePassword',
  'user.create',
  'user.update',
  'user.destroy',
  'user.find',
];

describe("lifecycles of accounts in a Strapi project's code", function () {
  this.timeout(180_000);
  let root: string;
  let serving: Serving;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-account-lifecycles-'));
    await writeFiles(root, {
      'src/api/note/content-types/note/schema.json': typeFile('note', { title: { type: 'string' } }).content,
      'src/extensions/users-permissions/content-types/user/schema.json': {
        kind: 'collectionType',
        collectionName: 'up_users',
        info: { singularName: 'user', pluralName: 'users', displayName: 'User' },
        attributes: { nick: { type: 'string' }, stamp: { type: 'string' } },
      },
      'src/index.js': `
        const { ApplicationError } = require('@strapi/utils').errors;
        const note = (event) => globalThis.accountEvents.push(event);
        module.exports = {
          register({ strapi }) {
            strapi.documents.use(async ({ uid, action, params }, next) => {
              if (uid === '${USER}' && action !== 'findMany') note(action);
              const result = await next();
              if (params?.data?.nick === 'too late') throw new ApplicationError('after the call');
              return result;
            });
          },
          bootstrap({ strapi }) {
            strapi.db.lifecycles.subscribe({
              models: ['${USER}'],
              beforeCreate({ action, params: { data }, state }) {
                note([action, data.username]);
                if (data.nick === 'refused') throw new ApplicationError('no such nicks');
                state.begun = true;
                data.stamp = data.password.startsWith('$2') ? 'created' : 'plain';
              },
              async afterCreate({ action, result, state }) {
                note([action, result.username, result.stamp, result.role.type, state.begun]);
                await strapi.documents('${NOTE}').create({ data: { title: result.username } });
                if (result.nick === 'late') throw new ApplicationError('no late nicks');
                if (result.nick === 'shown') Object.assign(result, { email: 'hidden', more: { a: 1 }, password: 'p' });
                if (result.nick === 'friend')
                  await strapi.plugin('users-permissions').service('user').add({
                    username: 'other', email: 'other@mail.example', password: 'Secret-123', role: result.role.id,
                  });
              },
              beforeUpdate({ action, params: { data, where } }) {
                note([action, Object.keys(data).sort().join(), typeof where.id]);
                data.stamp = 'updated';
              },
              async afterUpdate({ action, result, params }) {
                note([action, result.stamp]);
                if (globalThis.refuseUpdates) {
                  await strapi.documents('${NOTE}').create({ data: { title: 'update' } });
                  throw new ApplicationError('no updates');
                }
                if (result.nick === 'shown') result.username = 'changed';
              },
              beforeDelete({ action, params: { where } }) { note([action, typeof where.id]); },
              afterDelete({ action, result }) {
                note([action, result.username]);
                if (result.nick === 'shown') result.username = 'gone';
              },
            });
          },
        };`,
    });
    const all = ACTIONS.map((name) => `${ACCOUNTS}.${name}`);
    const plugins = { usersPermissions: { register: { allowedFields: ['nick'] } } };
    serving = await startServing({
      root,
      overrides: testDatabase({ plugins, roles: { public: all, authenticated: all } }),
    });
  });
  beforeEach(() => Object.assign(globalThis, { accountEvents: [] }));
  after(async () => {
    await dropWhenDone(serving);
    await rm(root, { recursive: true, force: true });
  });
  const ask = (path: string, sent: Sent = {}): Promise<Received> =>
    send(`http://127.0.0.1:${serving.port}`, `/api${path}`, sent);
  const register = (name: string, more: object = {}): Promise<Received> =>
    ask('/auth/local/register', {
      body: { username: name, email: `${name}@mail.example`, password: 'Secret-123', ...more },
    });
  const events = (): readonly unknown[] => Object(globalThis).accountEvents;
  const stored = async (username: string) => {
    const [user] = await serving.project.documents(USER).findMany({ filters: { username } });
    return user ?? null;
  };
  const notes = (title: string) =>
    serving.project.documents(NOTE).count({ filters: { title }, status: 'draft' });

  it('run when somebody registers, and may change the account', async () => {
    expect((await register('ann')).status).to.equal(200);
    expect(events()).to.eql([
      'create',
      ['beforeCreate', 'ann'],
      ['afterCreate', 'ann', 'created', 'authenticated', true],
    ]);
    expect(objectAt(await stored('ann'))['stamp']).to.equal('created');
    expect(await notes('ann')).to.equal(1);
  });

  it('one that throws leaves no account, and its error is the answer', async () => {
    const answer = await register('bad', { nick: 'refused' });
    expect([answer.status, answer.at('error.message')]).to.eql([400, 'no such nicks']);
    expect([await stored('bad'), await notes('bad')]).to.eql([null, 0]);
  });

  it('one that throws afterwards leaves no account, and nothing of what they have written', async () => {
    const answer = await register('late', { nick: 'late' });
    expect([answer.status, answer.at('error.message')]).to.eql([400, 'no late nicks']);
    expect([await stored('late'), await notes('late')]).to.eql([null, 0]);
    expect((await register('late')).status).to.equal(200);
  });

  it('one that throws after a change leaves the account as it was, with its password', async () => {
    const first = await register('dan', { nick: 'd' });
    const headers = { authorization: `Bearer ${String(first.at('jwt'))}` };
    const before = await stored('dan');
    Object.assign(globalThis, { refuseUpdates: true });
    try {
      const body = { nick: 'e', username: 'dan2', password: 'Secret-124' };
      const answer = await ask(`/users/${String(first.at('user.id'))}`, { method: 'PUT', headers, body });
      expect([answer.status, answer.at('error.message')]).to.eql([400, 'no updates']);
      const change = {
        currentPassword: 'Secret-123',
        password: 'Secret-125',
        passwordConfirmation: 'Secret-125',
      };
      expect((await ask('/auth/change-password', { headers, body: change })).status).to.be.oneOf([400, 401]);
    } finally {
      Object.assign(globalThis, { refuseUpdates: false });
    }
    expect(await stored('dan')).to.eql(before);
    expect([await stored('dan2'), await notes('update')]).to.eql([null, 0]);
    const login = (password: string) => ask('/auth/local', { body: { identifier: 'dan', password } });
    expect((await login('Secret-123')).status).to.equal(200);
    expect((await login('Secret-124')).status).to.equal(400);
  });

  it('what a document middleware throws when the call is done takes nothing back, as in Strapi', async () => {
    expect((await register('eve', { nick: 'too late' })).status).to.equal(400);
    expect(await stored('eve')).to.include({ nick: 'too late' });
  });

  it('what they change in the result is the answer, without what nobody may see', async () => {
    const made = await register('fay', { nick: 'shown' });
    expect(made.at('user')).to.deep.include({ username: 'fay', email: 'hidden', more: { a: 1 } });
    expect(made.at('user')).to.not.have.any.keys('password', 'role');
    const path = `/users/${String(made.at('user.id'))}`;
    const edited = await ask(path, { method: 'PUT', body: { email: 'fay2@mail.example' } });
    expect([edited.at('username'), edited.at('email')]).to.eql(['changed', 'fay2@mail.example']);
    expect(await stored('fay')).to.include({ email: 'fay2@mail.example' });
    const removed = await ask(path, { method: 'DELETE' });
    expect([removed.status, removed.at('username')]).to.eql([200, 'gone']);
  });

  it('a name that is taken is refused before they run', async () => {
    expect((await register('ann')).at('error.message')).to.equal('Email or Username are already taken');
    expect(events()).to.eql([]);
  });

  it('of twenty who register one name at once, one gets it', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => register('many')));
    expect(answers.filter(({ status }) => status === 200)).to.have.length(1);
    expect(await notes('many')).to.equal(1);
  });

  it('may create further accounts', async () => {
    expect((await register('host', { nick: 'friend' })).status).to.equal(200);
    expect(await stored('other')).to.include({ stamp: 'created' });
  });

  it('run when accounts are created, changed and removed by their routes', async () => {
    const role = objectAt(await serving.project.access.roles.byType('authenticated'), 'role')['id'];
    const body = { username: 'bob', email: 'bob@mail.example', password: 'Secret-123', role };
    const made = await ask('/users', { body });
    expect(made.status).to.equal(201);
    const path = `/users/${String(made.at('id'))}`;
    const edited = await ask(path, { method: 'PUT', body: { nick: 'b', email: 'BOB2@mail.example' } });
    expect([edited.status, edited.at('nick'), edited.at('email')]).to.eql([200, 'b', 'bob2@mail.example']);
    expect((await ask(path, { method: 'DELETE' })).status).to.equal(200);
    expect(events()).to.include('update').and.not.to.include('delete');
    const lifecycles = events().filter((event) => Array.isArray(event) && event.length > 0);
    expect(lifecycles).to.eql([
      ['beforeCreate', 'bob'],
      ['afterCreate', 'bob', 'created', 'authenticated', true],
      ['beforeUpdate', 'email,nick,updatedAt', 'number'],
      ['afterUpdate', 'updated'],
      ['beforeDelete', 'number'],
      ['afterDelete', 'bob'],
    ]);
    expect(await stored('bob')).to.equal(null);
  });

  it('run when a password is changed, which then holds', async () => {
    const first = await register('cid');
    const headers = { authorization: `Bearer ${String(first.at('jwt'))}` };
    const body = {
      currentPassword: 'Secret-123',
      password: 'Secret-124',
      passwordConfirmation: 'Secret-124',
    };
    expect((await ask('/auth/change-password', { headers, body })).status).to.equal(200);
    expect(events().slice(-3)).to.eql([
      'update',
      ['beforeUpdate', 'password,updatedAt', 'number'],
      ['afterUpdate', 'updated'],
    ]);
    const login = (password: string) => ask('/auth/local', { body: { identifier: 'cid', password } });
    expect(objectAt(await stored('cid'))['stamp']).to.equal('updated');
    expect((await login('Secret-123')).status).to.equal(400);
  });
});
