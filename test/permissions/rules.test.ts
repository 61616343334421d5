/** Rules of `config/roles` for what a role may write. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkPermissions } from '../../src/access/index.js';
import { ConfigError } from '../../src/config/error.js';
import type { RolesConfig } from '../../src/config/types.js';
import { checkRulesKept } from '../../src/serve/rules-kept.js';
import { typeFile } from '../support/schemas.js';
import { type Sent, send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { writeFiles } from '../support/write-files.js';

const POST = 'api::post.post';
const USER = 'plugin::users-permissions.user';
const FILES = [
  typeFile('post', {
    title: { type: 'string' },
    body: { type: 'text' },
    approved: { type: 'boolean', default: false },
    at: { type: 'datetime' },
    by: { type: 'string' },
    opens: { type: 'time' },
    notes: { type: 'json' },
    author: { type: 'relation', relation: 'manyToOne', target: USER },
    cover: { type: 'media', multiple: false },
    team: { type: 'relation', relation: 'manyToOne', target: 'api::front.front' },
  }),
  typeFile('front', { heading: { type: 'string' }, by: { type: 'string' } }, { kind: 'singleType' }),
];
const READ = [`${POST}.find`, `${POST}.findOne`, `${USER}.find`];

const ROLES: RolesConfig = {
  public: [
    ...READ,
    { action: `${POST}.create`, write: ['title'], set: { by: '$caller.role', approved: false } },
  ],
  writer: [
    ...READ,
    { action: `${POST}.create`, write: ['title', 'body'], set: { author: '$caller.id', at: '$now' } },
    { action: `${POST}.update`, write: ['title'] },
    { action: `${POST}.update`, write: ['body', 'approved'] },
    'plugin::upload.content-api.upload',
    { action: 'api::front.front.update', set: { by: '$caller.username' } },
    'api::front.front.find',
  ],
  free: [...READ, `${POST}.create`],
};

describe('rules of what may be written', function () {
  this.timeout(180_000);
  let folder: string;
  const servers: TestServer[] = [];
  const open = async (roles: RolesConfig, options: object = {}, more: object = {}): Promise<TestServer> => {
    const server = await startTestServer({ roles, ...more }, { schemaFolder: folder, ...options });
    servers.push(server);
    return server;
  };
  let server: TestServer;
  const keys: Record<string, string> = {};
  let writerId: number;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-rules-'));
    await writeFiles(
      folder,
      Object.fromEntries(FILES.map(({ file, content }) => [`content-types/${file}`, content])),
    );
    server = await open(ROLES, {}, { server: { mcp: true } });
    const { users, roles, sessions } = server.project.access;
    for (const type of ['writer', 'free']) {
      const user = await users.make({
        username: type,
        email: `${type}@example.org`,
        password: 'secret word',
        role: (await roles.byType(type))?.role.documentId ?? '',
        confirmed: true,
      });
      keys[type] = (await sessions.issue(user)).jwt;
      if (type === 'writer') writerId = user.id;
    }
  });
  after(async () => {
    for (const each of servers.reverse()) await each.close();
    await rm(folder, { recursive: true });
  });
  const as = (role: string | null, path: string, sent: Sent = {}, to = server) =>
    send(to.url, `${to.project.config.rest.compat === 'v3' ? '' : '/api'}${path}`, {
      ...sent,
      ...(role !== null && { token: keys[role] }),
    });
  const create = (role: string | null, data: object) =>
    as(role, '/posts?populate=author', { body: { data } });

  it('set: stores the values of the caller, whatever was sent', async () => {
    const sent = Date.now();
    const made = await create('writer', { title: 'a', author: 999, at: '2001-01-01T00:00:00.000Z' });
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    expect(made.at('data.author.id')).to.equal(writerId);
    expect(Date.parse(String(made.at('data.at')))).to.be.within(sent - 1000, Date.now());
    const anonymous = await create(null, { title: 'b', by: 'me', approved: true });
    expect(anonymous.at('data')).to.include({ by: 'public', approved: false });
  });

  it('write: any other attribute is a 403 that names it, and stores nothing', async () => {
    const before = await server.project.documents(POST).count();
    const refused = await create('writer', { title: 'c', approved: true });
    expect(refused.status).to.equal(403);
    expect(refused.at('error.details')).to.deep.equal({
      key: 'approved',
      path: 'approved',
      source: 'body',
      code: 'rule-refused',
    });
    expect(refused.headers.get('x-error-code')).to.equal('rule-refused');
    expect((await create(null, { title: 'c', body: 'd' })).at('error.details.key')).to.equal('body');
    expect((await create('writer', { nothing: 1 })).status, 'an unknown key').to.equal(400);
    expect(await server.project.documents(POST).count()).to.equal(before);
  });

  it('of several rules one must allow the whole body', async () => {
    const { documentId } = await server.project.documents(POST).create({ data: { title: 'd' } });
    const update = (data: object) => as('writer', `/posts/${documentId}`, { method: 'PUT', body: { data } });
    expect((await update({ title: 'e' })).at('data.title')).to.equal('e');
    expect((await update({ body: 'f', approved: true })).at('data')).to.include({
      body: 'f',
      approved: true,
    });
    const refused = await update({ title: 'g', body: 'h' });
    expect([refused.status, refused.at('error.details.code')]).to.deep.equal([403, 'rule-refused']);
    expect(
      (await as('writer', `/posts/none`, { method: 'PUT', body: { data: { title: 'x' } } })).status,
    ).to.equal(404);
  });

  it('files are linked only to an attribute that may be written', async () => {
    const { id } = await server.project.documents(POST).create({ data: { title: 'd' } });
    const form = new FormData();
    for (const [name, value] of Object.entries({ ref: POST, refId: String(id), field: 'cover' }))
      form.append(name, value);
    form.append('files', new Blob(['a']), 'a.txt');
    const refused = await fetch(`${server.url}/api/upload`, {
      method: 'POST',
      body: form,
      headers: { authorization: `Bearer ${keys['writer']}` },
    });
    expect(refused.status).to.equal(403);
    expect(await refused.json()).to.have.nested.property('error.details.key', 'cover');
    expect(await server.project.documents(POST).count({ filters: { cover: { $notNull: true } } })).to.equal(
      0,
    );
  });

  it('a single type is created by its update, so the rule of that counts', async () => {
    for (const heading of ['first', 'second']) {
      const put = await as('writer', '/front', { method: 'PUT', body: { data: { heading, by: 'other' } } });
      expect(put.at('data')).to.include({ heading, by: 'writer' });
    }
  });

  it('an action without a rule is free', async () => {
    const made = await create('free', { title: 'i', approved: true, author: writerId });
    expect(made.at('data.approved')).to.equal(true);
    expect(made.at('data.author.id')).to.equal(writerId);
  });

  for (const compat of ['v3', 'v4'] as const)
    it(`hold at the ${compat} door`, async () => {
      const other = await open(ROLES, { beside: server, undescribed: true }, { rest: { compat } });
      const data = { title: 'j', approved: true };
      const refused = await as('writer', '/posts', { body: compat === 'v3' ? data : { data } }, other);
      expect(refused.status).to.equal(403);
      const allowed = await as(
        'writer',
        '/posts',
        { body: compat === 'v3' ? { title: 'k' } : { data: { title: 'k' } } },
        other,
      );
      expect(allowed.status).to.be.within(200, 201);
      const stored = await server.project
        .documents(POST)
        .findFirst({ filters: { title: 'k' }, populate: ['author'] });
      expect(stored?.['author']).to.include({ id: writerId });
    });

  it('hold for the tools of agents, also in a dry run', async () => {
    const call = (args: object) =>
      send(server.url, '/mcp', {
        token: keys['writer'],
        headers: { accept: 'application/json, text/event-stream' },
        body: {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'create', arguments: args },
        },
      });
    const before = await server.project.documents(POST).count();
    for (const dryRun of [true, false]) {
      const refused = await call({ type: POST, data: { title: 'l', approved: true }, dryRun });
      expect(refused.at('result.isError'), JSON.stringify(refused.body)).to.equal(true);
      expect(JSON.stringify(refused.body)).to.include('rule-refused');
    }
    expect(await server.project.documents(POST).count()).to.equal(before);
  });

  it('a permission tree that is sent back, and code that adds a grant, keep the rules', async () => {
    const { roles } = server.project.access;
    const find = async () => {
      const entry = await roles.byType('writer');
      if (!entry) throw new Error('no role writer');
      return entry.role;
    };
    const { rules, grants } = await find();
    await roles.change(await find(), {
      grants: [...grants, `${POST}.create`, `${POST}.update`, `${POST}.delete`],
    });
    const after = await find();
    expect(after.rules?.map(({ action }) => action)).to.deep.equal([
      `${POST}.create`,
      `${POST}.update`,
      `${POST}.update`,
    ]);
    expect(after.grants).to.deep.equal([...grants, `${POST}.delete`].sort());
    expect((await create('writer', { approved: true })).status).to.equal(403);
    await roles.change(await find(), { grants, rules: rules ?? [] });
    expect((await find()).rules).to.deep.equal(rules);
  });

  it('are stored anew at each start, so that a rule taken out of the file is gone', async () => {
    const other = await open({ ...ROLES, writer: [...READ, `${POST}.create`] }, { beside: server });
    expect((await other.project.access.roles.byType('writer'))?.role.rules).to.deep.equal([]);
    const again = await open(ROLES, { beside: server });
    expect((await again.project.access.roles.byType('writer'))?.role.rules).to.have.length(4);
  });

  it('allow nothing to a caller without the value that they name', async () => {
    const rule = { action: `${POST}.create`, set: { by: '$caller.provider' } };
    const other = await open({ ...ROLES, writer: [rule] }, { beside: server });
    const { users, sessions, roles } = other.project.access;
    const role = (await roles.byType('writer'))?.role.documentId ?? '';
    const sent = { body: { data: { title: 'm' } } };
    expect((await as('writer', '/posts', sent, other)).at('data.by')).to.equal('local');
    for (const [at, provider] of [null, ''].entries()) {
      const user = await users.make({
        username: `without${at}`,
        email: `without${at}@example.org`,
        password: 'secret word',
        role,
        confirmed: true,
      });
      await other.project.store.db
        .collection('mangrove.users')
        .updateOne({ id: user.id }, { $set: { provider } });
      const { jwt } = await sessions.issue(user);
      const refused = await send(other.url, '/api/posts', { ...sent, token: jwt });
      expect([refused.status, refused.at('error.details.code')]).to.deep.equal([403, 'rule-refused']);
    }
  });

  it('a start refuses a rule for an action that the code of the project answers', async () => {
    const route = { method: 'POST', path: '/mine', action: `${POST}.create`, handler: () => ({}) } as const;
    const { project } = server;
    await checkRulesKept(project);
    const failed = await checkRulesKept({
      ...project,
      own: { ...project.own, definition: { routes: [route] } },
    }).catch(String);
    expect(failed).to.include(
      `role writer: ${POST}.create has a rule, which the project's own code for POST /mine would not keep`,
    );
  });

  const REFUSED: readonly (readonly [what: string, permissions: RolesConfig[string], says: string])[] = [
    [
      'an unknown attribute',
      [{ action: `${POST}.create`, write: ['titel'] }],
      'odd[0].write[0]: api::post.post has no attribute "titel"',
    ],
    [
      'a system attribute',
      [{ action: `${POST}.create`, set: { createdAt: '$now' } }],
      'odd[0].set.createdAt',
    ],
    [
      'an unknown attribute of accounts',
      [{ action: `${POST}.create`, set: { by: '$caller.nam' } }],
      'odd[0].set.by: accounts have no attribute "nam"',
    ],
    [
      'a secret of accounts',
      [{ action: `${POST}.create`, set: { by: '$caller.password' } }],
      'accounts have no attribute "password"',
    ],
    ['another name', [{ action: `${POST}.create`, set: { by: '$user' } }], '"$user" is neither'],
    [
      'a value that the attribute cannot hold',
      [{ action: `${POST}.create`, set: { approved: 'perhaps' } }],
      'odd[0].set.approved: approved must be a `boolean`',
    ],
    [
      'a misspelt term',
      [{ action: `${POST}.create`, writes: ['title'] }],
      'odd[0].writes: a rule for create has no "writes"',
    ],
    [
      'no term',
      [{ action: `${POST}.create` }],
      'odd[0]: expected "where" or "write" or "set" beside "action"',
    ],
    [
      'an unknown attribute in where',
      [{ action: `${POST}.delete`, where: { titel: 'a' } }],
      'odd[0].where: Invalid key titel',
    ],
    [
      'a value in where that the attribute cannot hold',
      [{ action: `${POST}.delete`, where: { at: 'never' } }],
      'odd[0].where',
    ],
    [
      'a where that says nothing',
      [{ action: `${POST}.delete`, where: {} }],
      'odd[0].where: expected a filter that says which entries',
    ],
    [
      'a where that nothing matches',
      [{ action: `${POST}.delete`, where: { $or: [] } }],
      'odd[0].where: no entry can match this',
    ],
    [
      'a password in where',
      [{ action: `${POST}.delete`, where: { author: { password: 'x' } } }],
      'odd[0].where: Invalid key password',
    ],
    [
      'find and findOne that differ',
      [`${POST}.findOne`, { action: `${POST}.find`, where: { approved: true } }],
      'odd[1].action: api::post.post.find and api::post.post.findOne must have the same rules',
    ],
    [
      'rules of find with different fields',
      [
        { action: `${POST}.find`, fields: ['title'] },
        { action: `${POST}.find`, fields: ['body'] },
      ],
      'odd[0].fields: the rules of api::post.post.find must name the same fields',
    ],
    [
      'unknown fields',
      [{ action: `${POST}.find`, fields: ['titel'] }],
      'odd[0].fields[0]: api::post.post has no attribute "titel"',
    ],
    ['fields', [{ action: `${POST}.update`, fields: ['title'] }], 'odd[0].fields'],
    ['a built-in route', [{ action: `${USER}.create`, write: ['username'] }], 'odd[0].action'],
    [
      'an action that is also free',
      [`${POST}.create`, { action: `${POST}.create`, write: ['title'] }],
      'odd[1].action: api::post.post.create is also listed without a rule',
    ],
    [
      'two rules of which one sets',
      [
        { action: `${POST}.create`, set: { by: 'a' } },
        { action: `${POST}.create`, write: ['title'] },
      ],
      'odd[0].set: an action with "set" has one rule',
    ],
  ];
  for (const [what, permissions, says] of REFUSED)
    it(`a start refuses ${what}`, async () => {
      const failed = await open({ odd: permissions }, { beside: server }).then(
        () => null,
        (error: unknown) => error,
      );
      expect(failed).to.be.instanceOf(ConfigError);
      expect(String(failed))
        .to.include(`config/roles › ${says.startsWith('odd') ? '' : ''}`)
        .and.include(says);
    });

  it('a start refuses a value of the request of another type than its place, and names the place', () => {
    const problems = (permission: object) =>
      checkPermissions(server.project, 'accounts', [{ action: `${POST}.update`, ...permission }]).map(
        ({ place, message }) => `${place}: ${message}`,
      );
    const unfit: Readonly<Record<string, string>> = {
      approved: '$caller.email',
      at: '$caller.id',
      opens: '$caller.createdAt',
      title: '$caller.confirmed',
      author: '$caller.email',
      team: '$caller.id',
      cover: '$now',
    };
    for (const [name, value] of Object.entries(unfit)) {
      expect(problems({ set: { [name]: value } }).join(), name).to.match(
        new RegExp(`^\\.set\\.${name}: ${name} .*\\${value}`),
      );
      if (name === 'title' || name === 'author') continue;
      const where = { $or: [{ title: 'a' }, { [name]: { $in: [value] } }] };
      const isId = name === 'team';
      expect(problems({ where }).join(), name).to.match(isId ? /^$/ : new RegExp(`^\\.where\\.${name}: `));
    }
    expect(problems({ where: { author: '$caller.email' } })).to.deep.equal([
      '.where.author: the id of author cannot be compared with $caller.email (email)',
    ]);
    expect(problems({ where: { approved: { $null: '$caller.email' } } })).to.deep.equal([
      '.where.approved: $null takes a boolean, not $caller.email (email)',
    ]);
    const fit = [
      { set: { approved: '$caller.confirmed', at: '$caller.createdAt', title: '$now', by: '$caller.email' } },
      { set: { notes: { of: ['$caller.email'] }, author: { connect: ['$caller.id'] } } },
      {
        where: {
          author: '$caller.id',
          title: '$caller.id',
          at: { $lt: '$now' },
          by: { $ne: '$caller.role' },
        },
      },
    ];
    for (const terms of fit) expect(problems(terms), JSON.stringify(terms)).to.deep.equal([]);
  });

  it('a start refuses a value of accounts in a rule of the public', async () => {
    const roles = { public: [{ action: `${POST}.create`, set: { by: '$caller.username' } }] };
    const failed = await open(roles, { beside: server }).catch(String);
    expect(failed).to.include('public[0].set.by: the public has no account');
  });
});
