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
            strapi.documents.use(async ({ uid, action }, next) => {
              if (uid === '${USER}' && action !== 'findMany') note(action);
              return next();
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
                if (result.nick === 'friend')
                  await strapi.plugin('users-permissions').service('user').add({
                    username: 'other', email: 'other@mail.example', password: 'Secret-123', role: result.role.id,
                  });
              },
              beforeUpdate({ action, params: { data, where } }) {
                note([action, Object.keys(data).sort().join(), typeof where.id]);
                data.stamp = 'updated';
              },
              afterUpdate({ action, result }) { note([action, result.stamp]); },
              beforeDelete({ action, params: { where } }) { note([action, typeof where.id]); },
              afterDelete({ action, result }) { note([action, result.username]); },
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
