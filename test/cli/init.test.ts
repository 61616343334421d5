import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { mangrove } from '../support/run-command.js';
import { linkMangrove } from '../support/write-files.js';

describe('mangrove init', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-init-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  for (const options of [[], ['--typescript']])
    it(`${options[0] ?? 'JavaScript'}: creates a project that check accepts`, async () => {
      const root = join(folder, 'My Content');
      expect((await mangrove('init', root, ...options)).status).to.equal(0);
      const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { name: string };
      expect(manifest.name).to.equal('my-content');
      await linkMangrove(root);
      const checked = await mangrove('check', '--root', root, '--json');
      expect(JSON.parse(checked.stdout)).to.deep.include({ ok: true, problems: [], warnings: [] });
      for (const file of ['README.md', 'compose.yaml', 'Dockerfile'])
        expect(await readFile(join(root, file), 'utf8'), file).not.to.match(/PROJECT_NAME|BUILD_/);
    });

  it('npm create mangrove requires this version', async () => {
    const read = async (file: string) =>
      JSON.parse(await readFile(file, 'utf8')) as { version: string; dependencies: Record<string, string> };
    const { version } = await read('package.json');
    const create = await read('scripts/create-mangrove/package.json');
    expect([create.version, create.dependencies]).to.eql([version, { mangrove: `^${version}` }]);
  });

  it('--dry-run lists the files and writes none', async () => {
    const { stdout } = await mangrove('init', join(folder, 'blog'), '--dry-run');
    expect(stdout.split('\n')).to.include.members(['package.json', 'compose.yaml', 'config/roles.js']);
    expect(await readdir(folder)).to.deep.equal([]);
  });

  it('refuses a folder that is not empty', async () => {
    await mangrove('init', folder);
    const before = await readdir(folder);
    const { status, stderr } = await mangrove('init', folder, '--typescript');
    expect(status).to.equal(1);
    expect(stderr).to.include(`${folder} must be empty; it contains `);
    expect(await readdir(folder)).to.deep.equal(before);
  });
});
