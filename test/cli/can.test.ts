/** `mangrove can`: what it says is what a server does. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Decision } from '../../src/cli/decide.js';
import { openProject } from '../../src/project.js';
import { makeAccount } from '../support/accounts.js';
import { mangrove as command } from '../support/run-command.js';
import { typeFile } from '../support/schemas.js';
import { writeFiles } from '../support/write-files.js';

const USER = 'plugin::users-permissions.user';
const own = { author: { id: '$caller.id' } };
const shown = { $or: [{ approved: true }, own] };
const post = (name: string): string => `api::post.post.${name}`;

const ROLES = {
  public: [{ action: post('find'), where: { approved: true }, fields: ['title', 'approved'] }],
  writer: [
    ...['find', 'findOne'].map((name) => ({ action: post(name), where: shown })),
    { action: post('create'), write: ['title'], set: { author: '$caller.id' } },
    { action: post('update'), where: own, write: ['title'] },
    { action: post('update'), where: { approved: true, ...own }, write: ['approved'] },
    post('delete'),
    'api::front.front.find',
    'api::front.front.update',
  ],
};

describe('cli: can', function () {
  this.timeout(180_000);
  let root: string;
  const given = process.env['MONGODB_URI'];
  const ids: Record<string, string> = {};
  const numbers: Record<string, number> = {};
  before(async () => {
    delete process.env['MONGODB_URI'];
    root = await mkdtemp(join(tmpdir(), 'mangrove-can-'));
    const attributes = {
      title: { type: 'string' },
      approved: { type: 'boolean', default: false },
      author: { type: 'relation', relation: 'manyToOne', target: USER },
    };
    await writeFiles(root, {
      'content-types/post/schema.json': typeFile('post', attributes, { draftAndPublish: true }).content,
      'content-types/front/schema.json': typeFile(
        'front',
        { heading: { type: 'string' } },
        { kind: 'singleType' },
      ).content,
      'config/roles.json': ROLES,
      'config/server.json': { mcp: { enabled: true } },
    });
    const project = await openProject({ root, env: {} });
    const { users, tokens } = project.access;
    const account = async (username: string, more: object = {}) => {
      const { user } = await makeAccount(project, username, 'writer');
      await users.edit(user.id, more);
      return user.id;
    };
    const author = await account('ann');
    const other = await account('bob');
    await account('eve', { blocked: true });
    await tokens.create({ name: 'reader', type: 'read-only' });
    await tokens.create({ name: 'old', type: 'full-access', expiresAt: new Date(0) });
    const make = async (title: string, data: object, status = 'published') => {
      const made = await project.documents('api::post.post').create({ data: { title, ...data }, status });
      ids[title] = String(made['documentId']);
      numbers[title] = Number(made['id']);
    };
    await make('mine', { author });
    await make('his', { author: other });
    await make('open', { author: other, approved: true });
    await make('draft', { author }, 'draft');
    await project.close();
  });
  after(async () => {
    if (given !== undefined) process.env['MONGODB_URI'] = given;
    await rm(root, { recursive: true });
  });
  const can = async (...args: readonly string[]): Promise<Decision> => {
    const { status, stdout, stderr } = await command('--root', root, '--json', 'can', ...args);
    const decision = JSON.parse(stdout) as Decision;
    expect(status, stderr).to.equal(decision.allowed ? 0 : 1);
    return decision;
  };

  /** Caller, request, whether it is allowed, what is said. `:title` stands for the post with this title. */
  const ROWS: readonly (readonly [caller: string, request: string, allowed: boolean, because: string])[] = [
    ['public', 'GET /api/posts', true, 'role public has the action by rule'],
    ['public', 'GET /api/posts/:open', false, 'role public does not have the action'],
    ['public', 'GET /api/posts?filters[author][id]=1', false, 'Invalid key author'],
    ['public', 'GET /api/posts?status=draft', false, 'Forbidden'],
    ['public', 'POST /api/posts', false, 'role public does not have the action'],
    ['public', 'GET /_health', true, 'the route is open to everyone'],
    ['public', 'POST /mcp', true, 'each tool asks for the actions that it uses'],
    ['public', 'PATCH /api/posts', false, 'no route answers PATCH /api/posts'],
    ['ann', 'GET /api/posts/:mine', true, 'rule 1 of role writer matches the entry'],
    ['ann', 'get http://localhost:1337/api/posts/:open', true, 'rule 1 of role writer matches the entry'],
    ['ann', 'GET /api/posts/:his', false, 'no rule of role writer matches the entry'],
    ['ann', 'GET /api/posts/:draft', false, 'there is no such entry'],
    ['ann', 'GET /api/posts/:draft?status=draft', true, 'rule 1 of role writer matches the entry'],
    ['ann', 'GET /api/posts/none', false, 'there is no such entry'],
    ['ann', 'PUT /api/posts/:mine', true, 'rule 1 of role writer matches the entry'],
    ['ann', 'PUT /api/posts/:open', false, 'no rule of role writer matches the entry'],
    ['bob', 'PUT /api/posts/:open', true, 'rule 1 of role writer matches the entry'],
    ['ann', 'PUT /api/posts/none', false, 'there is no such entry'],
    ['ann', 'DELETE /api/posts/:his', false, 'the rules of role writer for reading hide the entry'],
    ['ann', 'DELETE /api/posts/:open', true, 'role writer has the action without a rule'],
    ['ann', 'POST /api/posts/:mine/publish', false, 'role writer does not have the action'],
    ['ann', 'PUT /api/front', true, 'role writer has the action without a rule'],
    ['ann@example.org', 'POST /api/posts', true, 'role writer has the action by rule'],
    ['eve', 'GET /api/posts', false, 'the account is blocked'],
    ['writer', 'GET /api/posts', true, 'role writer has the action by rule'],
    ['writer', 'PUT /api/posts/:mine', false, 'a rule names a value of the account'],
    ['reader', 'GET /api/posts/:his', true, 'token reader has the action without a rule'],
    ['reader', 'DELETE /api/posts/:his', false, 'token reader does not have the action'],
    ['old', 'GET /api/posts', false, 'the token has expired'],
  ];
  for (const [caller, request, allowed, because] of ROWS)
    it(`${caller} ${request}: ${allowed ? 'yes' : 'no'}`, async () => {
      const [method = '', url = ''] = request.split(' ');
      const named = url.replace(/:([a-z]+)/, (whole, title: string) => ids[title] ?? whole);
      const decision = await can(caller, method, named);
      expect(decision.because).to.include(because);
      expect(decision.allowed).to.equal(allowed);
    });

  it('shows each rule, and whether the stored entry matches it', async () => {
    const { rules, route, action } = await can('bob', 'PUT', `/api/posts/${ids['his']}`);
    expect([route, action]).to.deep.equal(['PUT /api/posts/:documentId', post('update')]);
    expect(rules).to.deep.equal([
      { where: own, write: ['title'], matches: true },
      { where: { approved: true, ...own }, write: ['approved'], matches: false },
    ]);
    const { stdout, status } = await command('--root', root, 'can', 'ann', 'POST', '/api/posts');
    expect(status).to.equal(0);
    expect(stdout).to.equal(
      [
        'yes: role writer has the action by rule',
        'route   POST /api/posts',
        `action  ${post('create')}`,
        'rule 1  write ["title"] set {"author":"$caller.id"}',
        '',
      ].join('\n'),
    );
  });

  for (const compat of ['v3', 'v4'])
    it(`asks for the entries that clients of Strapi ${compat.slice(1)} name`, async () => {
      await writeFiles(root, { 'config/api.json': { rest: { compat } } });
      try {
        const path = (title: string) =>
          compat === 'v3' ? `/posts/${ids[title]}` : `/api/posts/${numbers[title]}`;
        expect((await can('ann', 'GET', path('mine'))).allowed).to.equal(true);
        expect(await can('ann', 'GET', path('his'))).to.include({
          allowed: false,
          because: 'no rule of role writer matches the entry',
        });
        expect(await can('ann', 'PUT', path('open'))).to.include({ allowed: false });
        expect(await can('ann', 'GET', compat === 'v3' ? '/posts' : '/api/posts')).to.include({
          allowed: true,
          because: 'role writer has the action by rule',
        });
      } finally {
        await rm(join(root, 'config/api.json'));
      }
    });

  it('fails for a caller that does not exist', async () => {
    const { status, stderr } = await command('--root', root, 'can', 'nobody', 'GET', '/api/posts');
    expect(status).to.equal(1);
    expect(stderr).to.include('There is no account, token or role named nobody');
  });
});
