/** `mangrove scheduled`, on an engine in its own folder. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openProject } from '../../src/project.js';
import { mangrove as command } from '../support/run-command.js';
import { writeFiles } from '../support/write-files.js';
import { ARTICLE, FILES, HOME } from './library.js';

const [EIGHT, NINE] = ['2100-01-31T08:00:00.000Z', '2100-01-31T09:00:00.000Z'];

describe('cli: scheduled', function () {
  this.timeout(180_000);
  let root: string;
  let given: string | undefined;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-cli-'));
    await writeFiles(
      root,
      Object.fromEntries(FILES.map((file) => [`content-types/${file.file}`, file.content])),
    );
    given = process.env['MONGODB_URI'];
    delete process.env['MONGODB_URI'];
  });
  after(async () => {
    if (given !== undefined) process.env['MONGODB_URI'] = given;
    await rm(root, { recursive: true });
  });
  const mangrove = (...args: readonly string[]) => command('--root', root, 'scheduled', ...args);
  const json = async (...args: readonly string[]) => {
    const { status, stdout, stderr } = await mangrove(...args, '--json');
    expect(status, stderr).to.equal(0);
    return JSON.parse(stdout);
  };

  it('lists what is scheduled in all types or one, the next one first, and cancels it', async () => {
    const project = await openProject({ root });
    const article = String((await project.documents(ARTICLE).create({ data: { title: 'a' } })).documentId);
    const home = String((await project.documents(HOME).create({ data: { title: 'h' } })).documentId);
    await project.documents(ARTICLE).publish?.({ documentId: article, publishAt: NINE });
    await project.documents(HOME).publish?.({ documentId: home, publishAt: EIGHT });
    await project.close();

    const all = await json('list');
    const names = ['uid', 'documentId', 'locale', 'action', 'at', 'by', 'state', 'error'];
    expect(all.map((one: Record<string, unknown>) => names.map((name) => one[name]))).to.deep.equal([
      [HOME, home, null, 'publish', EIGHT, { kind: 'script' }, 'waiting', null],
      [ARTICLE, article, null, 'publish', NINE, { kind: 'script' }, 'waiting', null],
    ]);
    expect(await json('list', 'article')).to.deep.equal([all[1]]);
    const { stdout } = await mangrove('list', 'article');
    expect(stdout).to.match(new RegExp(`${NINE} +publish +${ARTICLE} +${article} .*script +waiting`));

    const { id } = all[0];
    expect(await json('cancel', id, '--dry-run')).to.deep.equal({ ...all[0], dryRun: true });
    expect(await json('list')).to.deep.equal(all);
    expect(await json('cancel', id)).to.deep.equal(all[0]);
    expect(await json('list')).to.deep.equal([all[1]]);
    for (const args of [
      ['cancel', id],
      ['cancel', id, '--dry-run'],
      ['list', 'none'],
    ]) {
      const refused = await mangrove(...args);
      expect([args.join(' '), refused.status, refused.stdout]).to.deep.equal([args.join(' '), 1, '']);
    }
  });
});
