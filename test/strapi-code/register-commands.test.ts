/** Commands use the schema with which a server starts: as in Strapi, they run `register`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { compiled } from '../support/compiled.js';
import { mangrove } from '../support/run-command.js';
import { typeFile } from '../support/schemas.js';
import { writeFiles } from '../support/write-files.js';

describe('commands in a project whose register changes the schema', function () {
  this.timeout(180_000);
  const given = process.env['MONGODB_URI'];
  const names: string[] = [];
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-register-commands-'));
  });
  after(async () => {
    await rm(folder, { recursive: true, force: true });
    if (!given) return;
    const client = await MongoClient.connect(given);
    for (const name of names) await client.db(name).dropDatabase();
    await client.close();
  });
  /** A project of its own; `register` is the body of that function. */
  const project = async (register: string): Promise<string> => {
    const name = `register_commands_${process.pid}_${names.push('')}`;
    names[names.length - 1] = name;
    const root = join(folder, name);
    await writeFiles(root, {
      'config/database.json': { name },
      'src/api/note/content-types/note/schema.json': typeFile('note', { title: { type: 'string' } }).content,
      'src/extensions/users-permissions/strapi-server.js': `module.exports = (plugin) => {
        plugin.contentTypes.user.schema.attributes.nick = { type: 'string' };
        return plugin;
      };`,
      'src/index.js': `module.exports = { register({ strapi }) { ${register} } };`,
    });
    return root;
  };
  const EXTRA = "strapi.contentType('api::note.note').attributes.extra = { type: 'string', unique: true };";
  const run = async (...args: string[]) => {
    const { status, stdout, stderr } = await mangrove(...args);
    expect(status, stderr + stdout).to.equal(0);
    return stdout;
  };

  it('describe what it added: types, openapi, content-types', async () => {
    const root = await project(EXTRA);
    expect(await run('--root', root, 'types'))
      .to.match(/\bextra\??: string/)
      .and.match(/\bnick\??: string/);
    expect(await run('--root', root, 'openapi')).to.include('"extra"');
    const listed = await run('--root', root, '--json', 'content-types', 'list');
    expect(listed).to.include('api::note.note');
  });

  it('import its values, and need no migration for it', async () => {
    const source = await project(EXTRA);
    await writeFiles(source, { 'seeds/note.json': [{ title: 't', extra: 'kept' }] });
    await run('--root', source, 'seed', join(source, 'seeds'));
    await run('--root', source, 'export', '-f', join(folder, 'notes'));
    const target = await project(EXTRA);
    const report = JSON.parse(
      await run('--root', target, '--json', 'import', join(folder, 'notes.tar.gz'), '--verify'),
    );
    expect(report.verified.differences).to.eql([]);
    expect(JSON.stringify(report)).to.not.include('no such attribute');
    await run('--root', target, 'export', '--format', 'dir', '-f', join(folder, 'back'));
    const [file = ''] = await readdir(join(folder, 'back/entities'));
    const lines = (await readFile(join(folder, 'back/entities', file), 'utf8')).split('\n');
    const note = lines.find((line) => line.includes('api::note.note'));
    expect(JSON.parse(note ?? '{}').data).to.include({ title: 't', extra: 'kept' });
    const drift = JSON.parse(await run('--root', target, '--json', 'migrate', 'status'));
    expect(drift.needed).to.eql([]);
  });

  it('fail as the start does where it fails', async () => {
    const root = await project("throw new Error('not today');");
    for (const command of ['types', 'openapi']) {
      const { status, stderr } = await mangrove('--root', root, command);
      expect([status, stderr]).to.satisfy(
        ([code, text]: [number, string]) => code === 1 && text.includes('not today'),
      );
    }
  });

  it('end though it has left a timer', async () => {
    const root = await project('setInterval(() => undefined, 1000);');
    const child = spawn(process.execPath, [compiled('src/cli/main.ts'), '--root', root, 'types'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
    });
    const [code] = await once(child, 'exit');
    expect(code).to.equal(0);
    expect(text).to.include('nick');
  });
});
