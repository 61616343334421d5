/** Rules of `config/roles` about which entries and attributes a role may read, and which entries it may write. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { until } from '../../packages/engine/test/support/until.js';
import type { RolesConfig } from '../../src/config/types.js';
import { makeAccount } from '../support/accounts.js';
import { typeFile } from '../support/schemas.js';
import { type Received, type Sent, send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { writeFiles } from '../support/write-files.js';

const USER = 'plugin::users-permissions.user';
const uid = (name: string): string => `api::${name}.${name}`;
const [POST, COMMENT, TEAM, PAGE] = ['post', 'comment', 'team', 'page'].map(uid) as [
  string,
  string,
  string,
  string,
];
const to = (relation: string, target: string, more: object = {}) => ({
  type: 'relation',
  relation,
  target,
  ...more,
});

const FILES = [
  typeFile('post', {
    title: { type: 'string' },
    score: { type: 'integer' },
    approved: { type: 'boolean', default: false },
    author: to('manyToOne', USER),
    team: to('manyToOne', TEAM, { inversedBy: 'posts' }),
    comments: to('oneToMany', COMMENT, { mappedBy: 'post' }),
    cover: { type: 'media', multiple: false },
  }),
  typeFile('comment', {
    text: { type: 'string' },
    hidden: { type: 'boolean', default: false },
    post: to('manyToOne', POST, { inversedBy: 'comments' }),
  }),
  typeFile('team', {
    name: { type: 'string' },
    secret: { type: 'string' },
    posts: to('oneToMany', POST, { mappedBy: 'team' }),
    parent: to('manyToOne', TEAM, { inversedBy: 'children' }),
    children: to('oneToMany', TEAM, { mappedBy: 'parent' }),
  }),
  typeFile('page', { title: { type: 'string' }, author: to('manyToOne', USER) }, { draftAndPublish: true }),
];

const own = { author: { id: '$caller.id' } };
const both = (type: string, terms: object) =>
  ['find', 'findOne'].map((name) => ({ action: `${type}.${name}`, ...terms }));
const under = (type: string, names: readonly string[], terms: object) =>
  names.map((name) => ({ action: `${type}.${name}`, ...terms }));

const ROLES: RolesConfig = {
  writer: [
    ...both(POST, { where: { $or: [{ approved: true }, own] } }),
    { action: `${POST}.create`, set: { author: '$caller.id' } },
    { action: `${POST}.update`, where: own, write: ['title', 'score', 'author', 'team'] },
    { action: `${POST}.delete`, where: own },
    ...both(COMMENT, { where: { hidden: false } }),
    `${COMMENT}.create`,
    ...both(TEAM, { fields: ['name', 'posts', 'children'] }),
    `${USER}.find`,
    ...both(PAGE, { where: own }),
    { action: `${PAGE}.create`, set: { author: '$caller.id' } },
    ...under(PAGE, ['update', 'delete', 'publish', 'unpublish', 'discardDraft'], { where: own }),
    'plugin::upload.content-api.upload',
  ],
};

describe('rules of entries', function () {
  this.timeout(180_000);
  let folder: string;
  let server: TestServer;
  const keys: Record<string, string> = {};
  const accounts: Record<string, number> = {};
  const ids: Record<string, string> = {};
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-rules-'));
    await writeFiles(
      folder,
      Object.fromEntries(FILES.map(({ file, content }) => [`content-types/${file}`, content])),
    );
    server = await startTestServer({ roles: ROLES, server: { mcp: true } }, { schemaFolder: folder });
    for (const name of ['ann', 'bob']) {
      const { user, key } = await makeAccount(server.project, name, 'writer');
      keys[name] = key;
      accounts[name] = user.id;
    }
    const { documents } = server.project;
    const make = async (type: string, key: string, data: object, more: object = {}) => {
      ids[key] = String((await documents(type).create({ data, ...more }))['documentId']);
    };
    await make(TEAM, 'red', { name: 'red', secret: 'crimson' });
    await make(TEAM, 'blue', { name: 'blue', secret: 'azure' });
    await make(POST, 'open', {
      title: 'open',
      score: 1,
      approved: true,
      author: accounts['bob'],
      team: ids['red'],
    });
    await make(POST, 'mine', { title: 'mine', score: 3, author: accounts['ann'], team: ids['red'] });
    await make(POST, 'his', { title: 'his', score: 2, author: accounts['bob'], team: ids['blue'] });
    await make(COMMENT, 'shown', { text: 'shown', post: ids['open'] });
    await make(COMMENT, 'covered', { text: 'covered', hidden: true, post: ids['open'] });
    await make(COMMENT, 'lost', { text: 'lost', post: ids['his'] });
    await make(PAGE, 'page', { title: 'page', author: accounts['ann'] }, { status: 'published' });
  });
  after(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });
  const as = (name: string, path: string, sent: Sent = {}) =>
    send(server.url, `/api${path}`, { token: keys[name], ...sent });
  const put = (name: string, path: string, data: object) => as(name, path, { method: 'PUT', body: { data } });
  const titles = (received: Received, member = 'title'): readonly unknown[] =>
    (received.at('data') as readonly Record<string, unknown>[]).map((entry) => entry[member]);

  it('lists, totals and search have only what the rule allows', async () => {
    const list = await as('ann', '/posts?sort=title');
    expect(titles(list)).to.deep.equal(['mine', 'open']);
    expect(list.at('meta.pagination.total')).to.equal(2);
    expect(titles(await as('bob', '/posts?sort=title'))).to.deep.equal(['his', 'open']);
    expect(titles(await as('ann', '/posts?_q=mine&sort=title'))).to.deep.equal(['mine']);
    expect(titles(await as('ann', '/posts?filters[score][$gt]=1'))).to.deep.equal(['mine']);
  });

  it('a single entry that it hides is missing', async () => {
    expect((await as('bob', `/posts/${ids['his']}`)).at('data.title')).to.equal('his');
    const [hidden, missing] = await Promise.all([
      as('ann', `/posts/${ids['his']}`),
      as('ann', '/posts/nosuchdocument'),
    ]);
    expect(hidden.status).to.equal(404);
    expect(hidden.body).to.deep.equal(missing.body);
  });

  it('the same entry is asked for by many callers at once', async () => {
    const names = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? 'ann' : 'bob'));
    const answers = await Promise.all(names.map((name) => as(name, `/posts/${ids['his']}`)));
    expect(answers.map(({ status }) => status)).to.deep.equal(
      names.map((name) => (name === 'ann' ? 404 : 200)),
    );
    const lists = await Promise.all(
      names.map((name) => as(name, '/posts?filters[title][$in][0]=his&filters[title][$in][1]=mine')),
    );
    expect(lists.map((list) => titles(list).join())).to.deep.equal(
      names.map((name) => (name === 'ann' ? 'mine' : 'his')),
    );
  });

  it('populate leaves out what it hides, in both directions and at any depth, and does not count it', async () => {
    const open = await as('ann', `/posts/${ids['open']}?populate=comments`);
    expect((open.at('data.comments') as { text: string }[]).map(({ text }) => text)).to.deep.equal(['shown']);
    const counted = await as('ann', `/posts/${ids['open']}?populate[comments][count]=true`);
    expect(counted.at('data.comments')).to.deep.equal({ count: 1 });
    const comments = await as('ann', '/comments?populate=post&sort=text');
    expect(
      (comments.at('data') as { text: string; post: { title: string } | null }[]).map(({ text, post }) => [
        text,
        post?.title,
      ]),
    ).to.deep.equal([
      ['lost', undefined],
      ['shown', 'open'],
    ]);
    const teams = await as('ann', '/teams?populate[posts][populate]=comments&sort=name');
    const shown = JSON.stringify(teams.body);
    expect(shown)
      .to.include('"mine"')
      .and.include('"shown"')
      .and.not.include('"his"')
      .and.not.include('covered')
      .and.not.include('lost');
  });

  it('filters and sorts through relations do not see what it hides', async () => {
    const through = async (query: string) => titles(await as('ann', `/posts?${query}`));
    expect(await through('filters[comments][text]=covered')).to.deep.equal([]);
    expect(await through('filters[comments][text]=shown')).to.deep.equal(['open']);
    const teams = async (query: string) => titles(await as('ann', `/teams?${query}`), 'name');
    expect(await teams('filters[posts][title]=his')).to.deep.equal([]);
    expect(await teams('filters[posts][id][$null]=true')).to.deep.equal(['blue']);
    expect(await teams('filters[posts][comments][text]=lost')).to.deep.equal([]);
    // Ann sees 1 and 3, both of red; Bob sees 1 of red and 2 of blue.
    expect(await teams('sort=posts.score')).to.deep.equal(['blue', 'red']);
    expect(titles(await as('bob', '/teams?sort=posts.score'), 'name')).to.deep.equal(['red', 'blue']);
  });

  it('fields: other attributes do not exist', async () => {
    const list = await as('ann', '/teams?sort=name');
    expect(Object.keys((list.at('data') as object[])[0] ?? {})).to.deep.equal(['id', 'documentId', 'name']);
    for (const query of [
      'filters[secret]=azure',
      'sort=secret',
      'fields=secret',
      'filters[updatedAt][$notNull]=true',
    ])
      expect((await as('ann', `/teams?${query}`)).status, query).to.equal(400);
    expect((await as('ann', '/posts?filters[team][secret]=azure')).status).to.equal(400);
    expect((await as('ann', '/teams?_q=azure')).at('meta.pagination.total')).to.equal(0);
    expect(JSON.stringify((await as('ann', '/posts?populate=team')).body)).to.not.include('crimson');
    // The other side of `parent`, which is left out.
    expect((await as('ann', '/teams?populate=children')).status).to.equal(400);
    const spec = JSON.stringify((await as('ann', '/openapi.json')).body);
    expect(spec).to.include('"posts"').and.not.include('"secret"');
  });

  it('an update and a deletion need an entry that matches, without telling a hidden one from a missing one', async () => {
    expect((await put('ann', `/posts/${ids['mine']}`, { title: 'mine' })).status).to.equal(200);
    for (const sent of [{ title: 'x' }, { title: 5 }, { score: 'no number' }]) {
      const [hidden, missing] = await Promise.all([
        put('ann', `/posts/${ids['his']}`, sent),
        put('ann', '/posts/nosuchdocument', sent),
      ]);
      expect([hidden.status, hidden.at('error.details.code')]).to.deep.equal([403, 'rule-refused']);
      expect(hidden.body).to.deep.equal(missing.body);
    }
    // It is shown, but not hers.
    expect((await put('ann', `/posts/${ids['open']}`, { title: 'x' })).status).to.equal(403);
    const remove = (id: string | undefined) => as('ann', `/posts/${id}`, { method: 'DELETE' });
    const [hidden, missing] = await Promise.all([remove(ids['his']), remove('nosuchdocument')]);
    expect(hidden.status).to.equal(403);
    expect(hidden.body).to.deep.equal(missing.body);
    expect((await remove(ids['open'])).status).to.equal(403);
    expect(titles(await as('bob', '/posts?sort=title'))).to.deep.equal(['his', 'open']);
  });

  it('an update must leave an entry that matches', async () => {
    const given = await put('ann', `/posts/${ids['mine']}`, { title: 'given away', author: accounts['bob'] });
    expect([given.status, given.at('error.details.code')]).to.deep.equal([403, 'rule-refused']);
    const stored = await server.project
      .documents(POST)
      .findOne({ documentId: ids['mine'] ?? '', populate: ['author'] });
    expect(stored).to.include({ title: 'mine' });
    expect(stored?.['author']).to.include({ id: accounts['ann'] });
  });

  it('of two updates at once, one of which gives the entry away, none is made by a caller who has lost it', async () => {
    const { documents } = server.project;
    for (let round = 0; round < 10; round++) {
      const { documentId } = await documents(POST).create({
        data: { title: 'raced', author: accounts['ann'] },
      });
      const [, hers] = await Promise.all([
        documents(POST).update({
          documentId: String(documentId),
          data: { author: accounts['bob'], title: 'taken' },
        }),
        put('ann', `/posts/${String(documentId)}`, { title: 'hers' }),
      ]);
      const stored = await documents(POST).findOne({ documentId: String(documentId) });
      // Hers came first and was overwritten, or came too late.
      expect(stored?.['title'], `after ${hers.status}`).to.equal('taken');
      await documents(POST).delete({ documentId: String(documentId) });
    }
  });

  it('relations lead only to entries that the caller may read', async () => {
    const comment = (post: unknown) => as('ann', '/comments', { body: { data: { text: 'new', post } } });
    expect((await comment(ids['open'])).status).to.equal(201);
    const [hidden, missing] = [await comment(ids['his']), await comment('nosuchdocument')];
    expect([hidden.status, missing.status]).to.deep.equal([400, 400]);
    expect(JSON.stringify(hidden.body).replaceAll(String(ids['his']), 'nosuchdocument')).to.equal(
      JSON.stringify(missing.body),
    );
    const rows = await server.project.documents(POST).findMany({});
    const his = rows.find(({ title }) => title === 'his')?.['id'];
    const [byId, byNone] = [await comment(his), await comment(987654)];
    expect(byId.status).to.equal(400);
    expect(byId.body).to.deep.equal(byNone.body);
  });

  it('drafts and published versions: each action needs a version that matches', async () => {
    const path = `/pages/${ids['page']}`;
    const post = (name: string, change: string) => as(name, `${path}/${change}`, { method: 'POST' });
    for (const change of ['publish', 'unpublish', 'discard-draft'])
      expect((await post('bob', change)).status, change).to.equal(403);
    expect((await put('bob', path, { title: 'x' })).status).to.equal(403);
    expect((await put('ann', `${path}?status=draft`, { title: 'changed' })).status).to.equal(200);
    expect((await post('ann', 'discard-draft')).at('data.title')).to.equal('page');
    expect((await put('ann', `${path}?status=published`, { title: 'second' })).status).to.equal(200);
    expect((await post('ann', 'publish')).status).to.equal(200);
    // The draft is given away by a script, so an answer with it would show what she may not read.
    await server.project
      .documents(PAGE)
      .update({ documentId: ids['page'] ?? '', data: { author: accounts['bob'] } });
    expect((await post('ann', 'unpublish')).status).to.equal(403);
    expect((await as('ann', path)).at('data.title')).to.equal('second');
    expect((await as('ann', `${path}?status=draft`)).status).to.equal(404);
    expect((await as('ann', '/pages?publicationFilter=modified')).at('meta.pagination.total')).to.equal(0);
  });

  it('an upload does not link to an entry whose update has a rule', async () => {
    const form = new FormData();
    form.set('files', new Blob(['text']), 'a.txt');
    for (const [name, value] of [
      ['ref', POST],
      ['refId', '1'],
      ['field', 'cover'],
    ] as const)
      form.set(name, value);
    const answer = await fetch(`${server.url}/api/upload`, {
      method: 'POST',
      body: form,
      headers: { authorization: `Bearer ${keys['ann']}` },
    });
    expect([answer.status, answer.headers.get('x-error-code')]).to.deep.equal([403, 'rule-refused']);
  });

  it('the tools of agents read and write by the same rules, and a dry run shows no changes', async () => {
    const call = async (name: string, args: object) => {
      const answer = await send(server.url, '/mcp', {
        token: keys['ann'],
        headers: { accept: 'application/json, text/event-stream' },
        body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
      });
      return JSON.stringify(answer.body);
    };
    expect(await call('find', { type: POST }))
      .to.include('mine')
      .and.not.include('"his"');
    expect(
      await call('update', { type: POST, documentId: ids['his'], data: { title: 'x' }, dryRun: true }),
    ).to.include('rule-refused');
    expect(await call('update', { type: POST, documentId: ids['mine'], data: { title: 'x' }, dryRun: true }))
      .to.include('not listed')
      .and.not.include('"after"');
  });

  describe('of API tokens', () => {
    let key: string;
    before(async () => {
      const made = await server.project.access.tokens.create({
        name: 'partner',
        type: 'custom',
        permissions: [
          ...both(POST, { where: { approved: true }, fields: ['title', 'approved'] }),
          { action: `${POST}.create`, write: ['title'], set: { approved: true } },
          { action: `${POST}.update`, where: { title: { $startsWith: 'partner' } }, write: ['title'] },
          `${COMMENT}.find`,
        ],
      });
      key = made.key;
    });
    const ask = (path: string, sent: Sent = {}) => send(server.url, `/api${path}`, { token: key, ...sent });

    it('are kept in reads, through relations too', async () => {
      const list = await ask('/posts');
      expect(titles(list)).to.deep.equal(['open']);
      expect(Object.keys((list.at('data') as object[])[0] ?? {})).to.deep.equal([
        'id',
        'documentId',
        'title',
        'approved',
      ]);
      expect((await ask(`/posts/${ids['mine']}`)).status).to.equal(404);
      expect((await ask('/posts?sort=score')).status).to.equal(400);
      // Its other side is left out.
      expect((await ask('/comments?populate=post')).status).to.equal(400);
    });

    it('are kept in writes', async () => {
      const made = await ask('/posts', { body: { data: { title: 'partner', approved: false } } });
      expect(made.at('data.approved'), JSON.stringify(made.body)).to.equal(true);
      expect((await ask('/posts', { body: { data: { title: 'x', score: 5 } } })).status).to.equal(403);
      const update = (id: unknown) =>
        ask(`/posts/${String(id)}`, { method: 'PUT', body: { data: { title: 'partner 2' } } });
      expect((await update(made.at('data.documentId'))).status).to.equal(200);
      expect((await update(ids['open'])).at('error.details.code')).to.equal('rule-refused');
      await server.project.documents(POST).delete({ documentId: String(made.at('data.documentId')) });
    });

    it('$now is the time of each request, not that at which the token was first read', async () => {
      const { key } = await server.project.access.tokens.create({
        name: 'of now',
        type: 'custom',
        permissions: both(POST, { where: { approved: true, createdAt: { $lte: '$now' } } }),
      });
      const seen = async () => titles(await send(server.url, '/api/posts?sort=title', { token: key }));
      const untilSeen = (title: string) =>
        until(
          async () => (await seen()).includes(title),
          () => `${title} is not seen`,
          { every: 100 },
        );
      // To the second: what was created in this one is still to come.
      await untilSeen('open');
      const { documentId } = await server.project
        .documents(POST)
        .create({ data: { title: 'later', approved: true } });
      await untilSeen('later');
      expect(await seen()).to.deep.equal(['later', 'open']);
      await server.project.documents(POST).delete({ documentId: String(documentId) });
    });
  });

  it('OpenAPI describes the bodies that the rules of the caller allow', async () => {
    const schemas = async (token: string | undefined) =>
      (await send(server.url, '/api/openapi.json', { token })).at('components.schemas') as Record<
        string,
        { properties: Record<string, { deprecated?: boolean }>; additionalProperties?: boolean }
      >;
    const hers = await schemas(keys['ann']);
    expect(Object.keys(hers['PostUpdate']?.properties ?? {})).to.have.members([
      ...['title', 'score', 'author', 'team'],
      ...['locale', 'publishedAt'],
    ]);
    expect(hers['PostUpdate']?.additionalProperties).to.equal(false);
    const { author, title, approved } = hers['PostInput']?.properties ?? {};
    expect([author?.deprecated, title?.deprecated]).to.deep.equal([true, undefined]);
    expect(approved, 'no `write`, so everything').to.not.equal(undefined);
  });
});
