/** The commands that manage permissions, on an engine in its own folder (rules H.2 to H.4). */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { mangrove as command } from '../support/run-command.js';
import { typeFile } from '../support/schemas.js';
import { writeFiles } from '../support/write-files.js';

describe('cli: roles, tokens and accounts', function () {
  this.timeout(180_000);
  let root: string;
  const given: Record<string, string | undefined> = {};
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-cli-'));
    const files: Readonly<Record<string, unknown>> = {
      'content-types/note/schema.json': typeFile('note', { title: { type: 'string' } }).content,
      'config/roles.json': {
        public: ['api::note.note.find'],
        reader: ['api::note.note.find'],
        limited: [{ action: 'api::note.note.find', where: { title: '$caller.username' } }],
      },
    };
    await writeFiles(root, files);
    for (const name of ['MONGODB_URI', 'MANGROVE_PASSWORD']) {
      given[name] = process.env[name];
      delete process.env[name];
    }
  });
  after(async () => {
    for (const [name, value] of Object.entries(given)) if (value !== undefined) process.env[name] = value;
    await rm(root, { recursive: true });
  });
  const mangrove = (...args: readonly string[]) => command('--root', root, ...args);
  const json = async <T>(...args: readonly string[]): Promise<T> => {
    const { status, stdout, stderr } = await mangrove('--json', ...args);
    expect(status, stderr).to.equal(0);
    return JSON.parse(stdout) as T;
  };
  const grantsOf = async (type: string): Promise<readonly string[] | undefined> =>
    (await json<{ type: string; grants: string[] }[]>('role', 'list')).find((role) => role.type === type)
      ?.grants;

  it('role list: prints the default roles and those of config/roles', async () => {
    expect(await grantsOf('reader')).to.deep.equal(['api::note.note.find']);
    expect(await grantsOf('public')).to.include.members([
      'api::note.note.find',
      'plugin::users-permissions.auth.callback',
    ]);
    expect((await mangrove('role', 'list')).stdout).to.match(/^type\s+name\s+set by\s+action\n/);
  });

  it('explain --as: shows the rule of a caller in the read, with its values', async () => {
    await json('user', 'create', 'limited-one', '--email', 'limited@example.test', '--role', 'limited');
    const commandsOf = async (...args: readonly string[]) =>
      (await json<{ commands: string[] }>('explain', ...args, '/api/notes')).commands.join();
    expect(await commandsOf('--as', 'limited-one')).to.include('limited-one');
    expect(await commandsOf()).to.not.include('limited-one');
    const unknown = await mangrove('explain', '--as', 'nobody', '/api/notes');
    expect(unknown.status).to.equal(1);
    expect(unknown.stderr).to.include('no account and no token named nobody');
    await json('user', 'delete', 'limited-one');
  });

  it('indexes drift: names the index that the condition of a rule wants', async () => {
    const wanted = async () =>
      (await json<{ wanted: { collection: string; name: string; by: string[] }[] }>('indexes', 'drift'))
        .wanted;
    await json('indexes', 'sync');
    const [one, ...others] = await wanted();
    expect(one).to.include({ collection: 'notes', name: 'title_1_id_1' });
    expect(one?.by).to.deep.equal(['role limited']);
    expect(others).to.deep.equal([]);
    expect((await mangrove('indexes', 'drift')).stdout).to.match(
      /wanted\s+notes\s+title_1_id_1\s+role limited/,
    );
  });

  it('role create: creates a role without permissions', async () => {
    expect((await mangrove('role', 'create', 'editor', '--dry-run')).stderr).to.include('would be created');
    expect(await grantsOf('editor')).to.equal(undefined);
    await json('role', 'create', 'editor', '--name', 'Editor');
    expect(await grantsOf('editor')).to.deep.equal([]);
  });

  it('role grant and revoke: accept short names; a dry run changes nothing', async () => {
    const dry = await json<{ grants: string[] }>('role', 'grant', 'editor', 'note.*', '--dry-run');
    expect(dry.grants).to.include('api::note.note.delete').and.have.length(5);
    expect(await grantsOf('editor')).to.deep.equal([]);
    await json('role', 'grant', 'editor', 'note.*');
    expect(await grantsOf('editor')).to.have.length(5);
    await json('role', 'revoke', 'editor', 'note.delete', '--dry-run');
    expect(await grantsOf('editor')).to.have.length(5);
    await json('role', 'revoke', 'editor', 'note.delete');
    const actions = ['create', 'find', 'findOne', 'update'].map((name) => `api::note.note.${name}`);
    expect(await grantsOf('editor')).to.deep.equal(actions);
  });

  it('role grant, revoke, delete: refuse to change a role that config/roles defines, with exit code 1', async () => {
    for (const [verb, change] of [
      ['grant', 'add api::note.note.findOne'],
      ['revoke', 'remove api::note.note.find'],
    ] as const) {
      const action = verb === 'grant' ? 'note.findOne' : 'note.find';
      const { status, stderr } = await mangrove('role', verb, 'reader', action);
      expect(status).to.equal(1);
      expect(stderr).to.include(`config/roles defines reader`).and.include(change);
    }
    expect((await mangrove('role', 'delete', 'reader')).status).to.equal(1);
    expect(await grantsOf('reader')).to.deep.equal(['api::note.note.find']);
    // Granting what the file already lists is not a change.
    expect((await mangrove('role', 'grant', 'reader', 'note.find')).status).to.equal(0);
  });

  it('role grant: takes a rule, checked against the schema, and role list shows it', async () => {
    const all = ['create', 'find', 'findOne', 'update'].map((name) => `note.${name}`);
    await json('role', 'revoke', 'editor', ...all);
    const own = '{"title":"$caller.username"}';
    const dry = await mangrove('role', 'grant', 'editor', 'note.update', '--where', own, '--dry-run');
    expect(dry.stderr).to.include(`api::note.note.update where ${own}`);
    expect(await grantsOf('editor')).to.deep.equal([]);
    await json('role', 'grant', 'editor', 'note.find', 'note.findOne', '--where', own, '--fields', 'title');
    await json('role', 'grant', 'editor', 'note.update', '--where', own, '--write', 'title');
    await json('role', 'grant', 'editor', 'note.create', '--set', '{"title":"$caller.username"}');
    // Given twice, it is one; another is an alternative.
    await json('role', 'grant', 'editor', 'note.update', '--where', own, '--write', 'title');
    await json('role', 'grant', 'editor', 'note.update', '--where', '{"title":"open"}');
    const rules = async () =>
      (await json<{ type: string; rules: object[] }[]>('role', 'list')).find(({ type }) => type === 'editor')
        ?.rules;
    const where = { title: '$caller.username' };
    expect(await rules()).to.have.deep.members([
      { action: 'api::note.note.create', set: where },
      { action: 'api::note.note.find', where, fields: ['title'] },
      { action: 'api::note.note.findOne', where, fields: ['title'] },
      { action: 'api::note.note.update', where, write: ['title'] },
      { action: 'api::note.note.update', where: { title: 'open' } },
    ]);
    expect((await mangrove('role', 'list')).stdout).to.include(
      'api::note.note.find where {"title":"$caller.username"} fields ["title"]',
    );
    // Granted without a rule, it keeps its own.
    await json('role', 'grant', 'editor', 'note.*');
    expect(await rules()).to.have.length(5);
    expect(await grantsOf('editor')).to.have.length(5);
    await json('role', 'revoke', 'editor', 'note.update', 'note.delete');
    expect(await rules()).to.have.length(3);
  });

  const REFUSED: readonly (readonly [args: readonly string[], says: string])[] = [
    [['note.update', '--where', '{"titel":"a"}'], 'api::note.note.update.where: Invalid key titel'],
    [['note.update', '--where', 'title=a'], '--where expects JSON'],
    [['note.update', '--fields', 'title'], 'a rule for update has no "fields"'],
    [['note.update', '--set', '{"title":"$caller.nam"}'], 'accounts have no attribute "nam"'],
    [['note.update', '--write', 'titel'], 'has no attribute "titel"'],
    [['note.find', '--where', '{"title":"x"}'], 'must have the same rules'],
    [['upload.content-api.find', '--where', '{"title":"x"}'], 'No route requires'],
    [
      ['plugin::upload.content-api.find', '--where', '{"name":"x"}'],
      "only the actions of the project's content types can have rules",
    ],
  ];
  for (const [args, says] of REFUSED)
    it(`role grant: refuses ${args.join(' ')}`, async () => {
      const before = await json<{ type: string }[]>('role', 'list');
      const { status, stderr } = await mangrove('role', 'grant', 'editor', ...args);
      expect(status).to.equal(1);
      expect(stderr).to.include(says);
      expect(await json('role', 'list')).to.deep.equal(before);
    });

  it('role grant: refuses a rule for an action that is granted without one', async () => {
    await json('role', 'grant', 'editor', 'note.delete');
    const { status, stderr } = await mangrove(
      'role',
      'grant',
      'editor',
      'note.delete',
      '--where',
      '{"title":"a"}',
    );
    expect([status, stderr.includes('also listed without a rule')]).to.deep.equal([1, true]);
  });

  it('role grant: refuses a rule for a role that config/roles defines, and says what to write', async () => {
    const { status, stderr } = await mangrove(
      'role',
      'grant',
      'limited',
      'note.find',
      '--where',
      '{"title":"a"}',
    );
    expect(status).to.equal(1);
    expect(stderr).to.include('config/roles defines limited').and.include('add api::note.note.find where');
  });

  it("role delete: moves the role's accounts to public", async () => {
    await json('role', 'create', 'guest');
    await json('user', 'create', 'gus', '--email', 'gus@example.test', '--role', 'guest');
    expect((await mangrove('role', 'delete', 'guest')).stderr).to.include('1 accounts have the role public');
    expect(await grantsOf('guest')).to.equal(undefined);
    const users = await json<{ username: string; role: string }[]>('user', 'list');
    expect(users.find(({ username }) => username === 'gus')?.role).to.equal('public');
    await json('user', 'delete', 'gus');
  });

  it('token create: prints the key once, on stdout only; a dry run creates nothing', async () => {
    const dry = await mangrove('token', 'create', 'site', '--dry-run');
    expect([dry.status, dry.stdout, dry.stderr]).to.deep.equal([
      0,
      '',
      'Token site (read-only) would be created.\n',
    ]);
    const { stdout, stderr } = await mangrove('token', 'create', 'site', '--lifespan', '30d');
    expect(stdout).to.match(/^[0-9a-f]{256}\n$/);
    expect(stderr).to.match(/read-only.*valid until 2\d{3}-/);
    const listed = await mangrove('token', 'list');
    expect(listed.stdout)
      .to.match(/\nsite\s+read-only\s+2\d{3}-\S+\s+never/)
      .and.not.include(stdout.trim());
    expect(JSON.stringify(await json('token', 'list'))).to.not.match(/accessKey|[0-9a-f]{100}/);
  });

  it('token create: takes rules, which cannot name an account; token list shows them', async () => {
    const create = (name: string, ...args: readonly string[]) =>
      mangrove('token', 'create', name, '--type', 'custom', ...args);
    const refused = await create('mine', '--allow', 'note.find', '--where', '{"title":"$caller.username"}');
    expect(refused.status).to.equal(1);
    expect(refused.stderr).to.include(
      'token mine: api::note.note.find.where.title: an API token has no account and no role, so no $caller.username',
    );
    const unlike = await mangrove('token', 'create', 'site2', '--where', '{"title":"a"}');
    expect(unlike.stderr).to.include('A rule requires --type custom');
    const find = ['note.find', 'note.findOne'];
    const dry = await create('preview', '--allow', ...find, '--where', '{"title":"open"}', '--dry-run');
    expect(dry.stderr).to.include('api::note.note.find where {"title":"open"}');
    const write = '{"action":"note.create","set":{"title":"from outside"}}';
    expect(
      (await create('preview', '--allow', ...find, write, '--where', '{"title":"open"}')).status,
    ).to.equal(0);
    const tokens = await json<{ name: string; permissions: string[]; rules: object[] }[]>('token', 'list');
    expect(tokens.map(({ name }) => name)).to.not.include('mine');
    const { permissions, rules } = tokens.find(({ name }) => name === 'preview') ?? {};
    expect(permissions).to.have.length(3);
    const where = { title: 'open' };
    expect(rules).to.deep.equal([
      { action: 'api::note.note.find', where },
      { action: 'api::note.note.findOne', where },
      { action: 'api::note.note.create', where, set: { title: 'from outside' } },
    ]);
    expect((await mangrove('token', 'list')).stdout).to.include('api::note.note.find where {"title":"open"}');
    await json('token', 'revoke', 'preview');
  });

  it('token create: a custom token has the actions listed by --allow', async () => {
    await json('token', 'create', 'form', '--type', 'custom', '--allow', 'note.create');
    const tokens = await json<{ name: string; permissions: string[] }[]>('token', 'list');
    expect(tokens.find(({ name }) => name === 'form')?.permissions).to.deep.equal(['api::note.note.create']);
  });

  it('token revoke: succeeds once', async () => {
    expect((await mangrove('token', 'revoke', 'form', '--dry-run')).stderr).to.include('would be revoked');
    expect((await mangrove('token', 'revoke', 'form')).status).to.equal(0);
    expect((await mangrove('token', 'revoke', 'form')).status).to.equal(1);
  });

  it('user create: creates an account with a password that is shown once; a dry run creates nothing', async () => {
    const create = ['user', 'create', 'ann', '--email', 'ann@example.test', '--role', 'editor'] as const;
    expect((await mangrove(...create, '--dry-run')).stderr).to.equal(
      'User ann with role editor would be created.\n',
    );
    const { stdout, stderr } = await mangrove(...create);
    expect(stderr).to.match(/^User ann with role editor has id \d+\./);
    expect(stdout).to.match(/^[\w-]{16}\n$/);
    const again = await mangrove(...create, '--dry-run');
    expect([again.status, again.stderr]).to.deep.equal([1, 'Email already taken\n']);
    const named = await mangrove('user', 'create', 'ann', '--email', 'other@example.test');
    expect([named.status, named.stderr]).to.deep.equal([1, 'username: This attribute must be unique\n']);
  });

  it('user list, password, block, unblock, role, delete: accept a username, an email or an id', async () => {
    const ann = async () =>
      (await json<{ id: number; username: string; role: string; blocked: boolean }[]>('user', 'list')).find(
        ({ username }) => username === 'ann',
      );
    const id = String((await ann())?.id);
    const { stdout, stderr } = await mangrove('user', 'password', 'ann@example.test');
    expect(stdout, stderr).to.match(/^[\w-]{16}\n$/);
    expect(await json('user', 'password', 'ann')).to.have.property('password');
    await json('user', 'block', id, '--dry-run');
    expect((await ann())?.blocked).to.equal(false);
    await json('user', 'block', id);
    expect((await ann())?.blocked).to.equal(true);
    await json('user', 'unblock', 'ann');
    await json('user', 'role', 'ann', 'reader');
    expect(await ann()).to.include({ blocked: false, role: 'reader' });
    expect(await json('user', 'list', '--role', 'editor')).to.deep.equal([]);
    await json('user', 'delete', 'ann');
    expect(await ann()).to.equal(undefined);
  });

  const failures: readonly (readonly [args: string, status: number, words: string])[] = [
    ['role grant public nope.find', 1, 'No route requires the action nope.find'],
    ['role revoke nobody note.find', 1, 'There is no role nobody'],
    ['role grant publc note.find', 1, 'did you mean "public"?'],
    ['role create public', 1, 'Role public already exists'],
    ['role create Öde', 1, 'lowercase letters'],
    ['role delete authenticated', 1, 'cannot be deleted'],
    ['user block nobody', 1, 'There is no user nobody'],
    ['user role nobody reader', 1, 'There is no user nobody'],
    ['token revoke nobody', 1, 'There is no token nobody'],
    ['token create site', 1, 'Token site already exists'],
    ['token create site --dry-run', 1, 'Token site already exists'],
    ['token create x --allow note.find', 1, '--allow requires --type custom'],
    ['token create x --type custom --allow nope.find', 1, 'No route requires'],
    ['user create bob --email bob@example.test --role nobody', 1, 'There is no role nobody'],
    ['user create bob --email bob', 1, 'email must be a valid email'],
    ['user create bob', 2, '--help'],
    ['token create x --type admin', 2, '--help'],
    ['token create x --lifespan soon', 2, '--help'],
    ['role grant public', 2, '--help'],
    ['token', 2, 'token'],
  ];
  for (const [args, expected, words] of failures)
    it(`${args}: exits with ${expected}`, async () => {
      const { status, stderr, stdout } = await mangrove(...args.split(' '));
      expect([status, stdout]).to.deep.equal([expected, '']);
      expect(stderr).to.include(words);
    });

  for (const args of ['role grant', 'role revoke', 'token create', 'token revoke', 'user create'])
    it(`${args} --help: prints help and exits with 0`, async () => {
      const { status, stdout } = await mangrove(...args.split(' '), '--help');
      expect(status).to.equal(0);
      expect(stdout).to.include('--dry-run').and.include('Usage:');
    });
});
