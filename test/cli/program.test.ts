import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createProgram } from '../../src/cli/program.js';
import { mangrove } from '../support/run-command.js';
import { typeFile } from '../support/schemas.js';
import { writeFiles } from '../support/write-files.js';

describe('cli', () => {
  let root: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-cli-'));
    const files: Readonly<Record<string, unknown>> = {
      'right/content-types/note/schema.json': typeFile('note', { title: { type: 'string', requierd: true } })
        .content,
      'right/config/api.json': { rest: { prefix: '/v1', defaultLimits: 3 } },
      'wrong/content-types/note/schema.json': typeFile('note', { title: { type: 'strng' } }).content,
      'wrong/config/server.json': { port: 'http' },
    };
    await writeFiles(root, files);
  });
  after(() => rm(root, { recursive: true }));

  it('each command is loaded by itself', async () => {
    const { commands } = await createProgram();
    expect(commands.length).to.be.above(25);
    for (const name of commands.map((one) => one.name()))
      expect(
        (await createProgram(['--root', 'serve', name, '--help'])).commands.map((one) => one.name()),
      ).to.eql([name]);
  });

  it('check: succeeds, with suspicious details on stderr', async () => {
    const { status, stdout, stderr } = await mangrove('--root', join(root, 'right'), 'check');
    expect(status).to.equal(0);
    expect(stdout).to.match(/^OK: 1 content type, 0 components/);
    expect(stderr)
      .to.include('unknown key rest.defaultLimits')
      .and.include('"requierd" is not an option of type string');
  });

  it('check --live: asks the database what it supports, and changes nothing', async () => {
    const sharded = join(root, 'sharded');
    const note = typeFile('note', { title: { type: 'string' } }, { options: { shard: true } }).content;
    await mkdir(join(sharded, 'content-types/note'), { recursive: true });
    await writeFile(join(sharded, 'content-types/note/schema.json'), JSON.stringify(note));
    const { status, stdout, stderr } = await mangrove('--root', sharded, 'check', '--live');
    expect(stderr).to.include(
      'database sharding: api::note.note: options.shard, but this is not a sharded cluster',
    );
    expect(stdout).to.match(/^OK/);
    expect(status).to.equal(0);
  });

  it('check --json: reports every problem of schemas and config at once, and exits with 1', async () => {
    const { status, stdout } = await mangrove('check', '--json', '--root', join(root, 'wrong'));
    expect(status).to.equal(1);
    const { ok, problems } = JSON.parse(stdout) as { ok: boolean; problems: unknown[] };
    expect(ok).to.equal(false);
    expect(problems).to.have.length(2);
  });

  it('check: reports misspelt files, options, actions and plugins along with errors; --strict treats them as errors', async () => {
    const odd = join(root, 'odd');
    const note = typeFile('note', { title: { type: 'string' } }).content as object;
    const files: Readonly<Record<string, unknown>> = {
      'content-types/note/schema.json': { ...note, options: { draftAndPublsh: true }, attributs: {} },
      'config/databse.json': {},
      'config/cron-tasks.json': {},
      'config/plugins.json': { foo: { enabled: true } },
      'config/roles.json': { public: ['api::note.note.fnd'] },
    };
    await writeFiles(odd, files);
    const check = (...args: readonly string[]) => mangrove('--root', odd, 'check', ...args);
    const { status, stderr } = await check();
    const problems = [
      'config/databse.json: nothing reads this file; did you mean "database"?',
      '"draftAndPublsh" is not a key of options; did you mean "draftAndPublish"?',
      '"attributs" is not a key of a schema; did you mean "attributes"?',
      'no route requires the action api::note.note.fnd; did you mean "api::note.note.find"?',
      'does not have the plugin "foo"',
    ];
    expect(status).to.equal(0);
    for (const line of problems) expect(stderr).to.include(line);
    expect(stderr).not.to.include('config/cron-tasks.json: nothing');
    expect((await check('--strict')).status).to.equal(1);
    await writeFile(join(odd, 'config/server.json'), JSON.stringify({ port: 'http' }));
    const wrong = await check();
    expect(wrong.status).to.equal(1);
    for (const line of [...problems.slice(0, 3), problems.at(-1), 'not "http"'])
      expect(wrong.stderr).to.include(line);
  });

  it('--version prints the version', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
    expect(await mangrove('--version')).to.eql({ status: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('check: refuses the secrets that a start refuses, and creates none', async () => {
    const at = join(root, 'secrets');
    await mkdir(at, { recursive: true });
    await writeFile(join(at, '.env'), 'JWT_SECRET=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n');
    await cp(join(root, 'right'), at, { recursive: true });
    const weak = await mangrove('--root', at, 'check');
    expect(weak.status).to.equal(1);
    expect(weak.stderr).to.include('JWT_SECRET can be guessed');
    await rm(join(at, '.env'));
    expect((await mangrove('--root', at, 'check')).status).to.equal(0);
    expect(await readdir(at)).to.not.include('.data');
    await mkdir(join(at, '.data'));
    await writeFile(join(at, '.data', 'secrets.json'), 'not JSON');
    const broken = await mangrove('--root', at, 'check');
    expect(broken.status).to.equal(1);
    expect(broken.stderr).to.include('secrets.json');
  });

  it('config dump: prints every setting and no secret, and writes nothing', async () => {
    const { status, stdout } = await mangrove('config', 'dump', '--root', join(root, 'right'));
    expect(status).to.equal(0);
    expect(stdout).to.include('rest.prefix = "/v1"').and.include('secrets.jwtSecret = "***"');
    expect(await readdir(join(root, 'right'))).to.have.members(['config', 'content-types']);
  });

  it('content-types list and routes list: print tables or JSON', async () => {
    const list = await mangrove('content-types', 'list', '--json', '--root', join(root, 'right'));
    const types = JSON.parse(list.stdout) as { uid: string; path: string | null }[];
    expect(types.find(({ uid }) => uid === 'api::note.note')?.path).to.equal('/v1/notes');
    const { stdout } = await mangrove('routes', 'list', '--content', '--root', join(root, 'right'));
    expect(stdout.split('\n').map((line) => line.split(/\s+/).slice(0, 3).join(' '))).to.include.members([
      'method path action',
      'GET /v1/notes api::note.note.find',
      'PUT /v1/notes/:documentId api::note.note.update',
    ]);
  });

  it('types --out writes a file', async () => {
    const { status } = await mangrove('types', '--out', 'content.d.ts', '--root', join(root, 'right'));
    expect(status).to.equal(0);
    expect(await readFile(join(root, 'right', 'content.d.ts'), 'utf8')).to.include('export interface Note {');
  });

  it('exits with 2 for incorrect usage, and mentions the help', async () => {
    const { status, stderr, stdout } = await mangrove('check', '--nope');
    expect([status, stdout]).to.eql([2, '']);
    expect(stderr).to.include('--help');
  });

  it('--help explains the command and exits with 0', async () => {
    const { status, stdout } = await mangrove('--help');
    expect(status).to.equal(0);
    expect(stdout).to.include('Exit codes: 0').and.include('mangrove serve');
  });
});
