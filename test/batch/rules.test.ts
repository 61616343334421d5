/** The rules of a role hold for each operation of a batch, also on what earlier ones have changed. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { RolesConfig } from '../../src/config/types.js';
import { makeAccount } from '../support/accounts.js';
import { typeFile } from '../support/schemas.js';
import { type Received, send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { writeFiles } from '../support/write-files.js';

const USER = 'plugin::users-permissions.user';
const [POST, TEAM, NOTE] = ['api::post.post', 'api::team.team', 'api::note.note'] as const;
const to = (relation: string, target: string) => ({ type: 'relation', relation, target });

const FILES = [
  typeFile('post', {
    title: { type: 'string' },
    slug: { type: 'string', unique: true },
    approved: { type: 'boolean', default: false },
    author: to('manyToOne', USER),
    next: to('manyToOne', POST),
  }),
  typeFile('team', { name: { type: 'string' }, open: { type: 'boolean' } }),
  typeFile('note', { text: { type: 'string' }, team: to('manyToOne', TEAM) }, { draftAndPublish: true }),
];

const own = { author: { id: '$caller.id' } };
const ROLES: RolesConfig = {
  writer: [
    { action: `${POST}.find`, where: { $or: [{ approved: true }, own] } },
    { action: `${POST}.findOne`, where: { $or: [{ approved: true }, own] } },
    { action: `${POST}.create`, set: { author: '$caller.id' } },
    { action: `${POST}.update`, where: own, write: ['title', 'slug', 'author', 'next'] },
    { action: `${POST}.delete`, where: own },
    `${USER}.find`,
    ...['find', 'findOne', 'create', 'update'].map((name) => `${TEAM}.${name}`),
    ...['find', 'findOne', 'create'].map((name) => `${NOTE}.${name}`),
    { action: `${NOTE}.update`, where: { team: { open: true } } },
    { action: `${NOTE}.publish`, where: { team: { open: true } } },
  ],
  blind: [`${POST}.update`, `${POST}.delete`, `${POST}.create`],
};

describe('batch: rules', function () {
  this.timeout(180_000);
  let folder: string;
  let server: TestServer;
  const keys: Record<string, string> = {};
  const accounts: Record<string, number> = {};
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-batch-'));
    await writeFiles(
      folder,
      Object.fromEntries(FILES.map(({ file, content }) => [`content-types/${file}`, content])),
    );
    server = await startTestServer({ roles: ROLES }, { schemaFolder: folder });
    for (const [name, type] of [
      ['ann', 'writer'],
      ['bob', 'writer'],
      ['eve', 'blind'],
    ] as const) {
      const { user, key } = await makeAccount(server.project, name, type);
      keys[name] = key;
      accounts[name] = user.id;
    }
  });
  after(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  const batch = (name: string, operations: readonly object[], more: object = {}): Promise<Received> =>
    send(server.url, '/api/batch', { token: keys[name], body: { operations, ...more } });
  const make = async (uid: string, data: object, more: object = {}) =>
    String((await server.project.documents(uid).create({ data, ...more })).documentId);
  const titled = (title: string) => server.project.documents(POST).count({ filters: { title } });
  const post = (data: object) => ({ action: 'create', plural: 'posts', data });
  const update = (documentId: string, data: object) => ({
    action: 'update',
    plural: 'posts',
    documentId,
    data,
  });

  const refused = (answer: Received, operation: number) => {
    expect([answer.status, answer.at('error.details')], JSON.stringify(answer.body)).to.deep.equal([
      403,
      { code: 'rule-refused', operation },
    ]);
  };

  it('one that a rule refuses stores nothing of the others', async () => {
    const his = await make(POST, { title: 'his', author: accounts['bob'] });
    for (const documentId of [his, 'missing']) {
      const answer = await batch('ann', [
        post({ title: 'kept out' }),
        update(documentId, { title: 'x' }),
        post({ title: 'kept out' }),
      ]);
      refused(answer, 1);
    }
    expect(await titled('kept out')).to.equal(0);
    const hidden = await batch('ann', [post({ title: 'a' }), update('$0.documentId', { next: his })]);
    expect([hidden.status, hidden.at('error.details.operation')]).to.deep.equal([400, 1]);
  });

  it('what the batch has created or changed is tested as it is then', async () => {
    const answer = await batch('ann', [
      post({ title: 'first' }),
      update('$0.documentId', { title: 'second' }),
      post({ title: 'other', next: '$0.documentId' }),
      { action: 'delete', plural: 'posts', documentId: '$0.documentId' },
    ]);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    const mine = await make(POST, { title: 'mine', author: accounts['ann'] });
    const given = await batch('ann', [update(mine, { author: accounts['bob'] })]);
    refused(given, 0);
  });

  it('a rule that depends on other entries of the batch is refused', async () => {
    const [open, shut] = [
      await make(TEAM, { name: 'open', open: true }),
      await make(TEAM, { name: 'shut', open: false }),
    ];
    const [free, locked] = [
      await make(NOTE, { text: 'n', team: open }),
      await make(NOTE, { text: 'n', team: shut }),
    ];
    const note = (documentId: string) => ({
      action: 'update',
      plural: 'notes',
      documentId,
      data: { text: 'x' },
    });
    const team = (documentId: string, data: object) => ({
      action: 'update',
      plural: 'teams',
      documentId,
      data,
    });
    expect((await batch('ann', [note(free)])).status).to.equal(200);
    refused(await batch('ann', [note(locked)]), 0);
    for (const operations of [
      [team(shut, { open: true }), note(locked)],
      [team(open, { open: false }), note(free)],
    ]) {
      const answer = await batch('ann', operations);
      expect([answer.status, answer.at('error.details')]).to.deep.equal([
        400,
        { code: 'transaction-rule', operation: 1 },
      ]);
    }
    expect((await batch('ann', [note(free), team(shut, { name: 'later' })])).status).to.equal(200);
  });

  it('a dry run shows nothing that the caller may not read', async () => {
    const secret = await make(POST, { title: 'secret title', slug: 'secret-slug', author: accounts['bob'] });
    const dry = async (name: string, operations: readonly object[]) => {
      const answer = await batch(name, operations, { dryRun: true });
      expect(JSON.stringify(answer.body)).to.not.match(/secret/);
      return answer;
    };
    refused(await dry('ann', [update(secret, { title: 'x' })]), 0);
    for (const operation of [
      update(secret, { approved: true }),
      { action: 'delete', plural: 'posts', documentId: secret },
    ])
      expect((await dry('eve', [operation])).at('meta.changes')).to.deep.equal([]);
    const created = await dry('eve', [post({ title: 'new' })]);
    expect(created.at('meta.changes.0.differences')).to.deep.include({
      path: 'title',
      before: null,
      after: 'new',
    });
    expect(await titled('secret title')).to.equal(1);
  });

  it('an upsert does not reach an entry that the caller may not change', async () => {
    await make(POST, { title: 'of bob', slug: 'bobs', author: accounts['bob'] });
    const upsert = {
      action: 'upsert',
      plural: 'posts',
      by: 'slug',
      data: { slug: 'bobs', title: 'taken over' },
    };
    refused(await batch('ann', [upsert]), 0);
    expect(await titled('taken over')).to.equal(0);
    expect((await batch('bob', [upsert])).at('data.0.status')).to.equal(200);
  });
});
