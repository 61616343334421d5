/** Names from outside are printed, not executed by the terminal. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type TestStore, testStore } from '../support/engine.js';
import { mangrove } from '../support/run-command.js';

/** Clears the screen, sets the title of the window, goes to the start of the line, and two C1 forms. */
const HOSTILE = 'a\u001b[2J\u001b]0;x\u0007\rb\u007f\u009b2K';

describe('output of commands', function () {
  this.timeout(180_000);
  let test: TestStore;
  let root: string;
  before(async () => {
    test = await testStore();
    root = await mkdtemp(join(tmpdir(), 'mangrove-output-'));
    await writeFile(join(root, '.env'), `MONGODB_URI=${test.uri}\n`);
    await test.store.db.collection(HOSTILE).insertOne({ name: HOSTILE, [HOSTILE]: 1 });
  });
  after(async () => {
    await test.close();
    await rm(root, { recursive: true, force: true });
  });
  const controls = (text: string): readonly string[] => text.match(/[^\P{Cc}\t\n]/gu) ?? [];

  it('escapes control characters of collections and fields, on both streams', async () => {
    for (const more of [['--dry-run'], ['--json', '--dry-run'], []]) {
      const { stdout, stderr } = await mangrove('--root', root, 'adopt', '--database', test.name, ...more);
      expect(`${stdout}${stderr}`, more.join(' ')).to.include('\\u001b[2J');
      expect(controls(stdout), more.join(' ')).to.deep.equal([]);
      expect(controls(stderr), more.join(' ')).to.deep.equal([]);
    }
  });

  it('JSON means the same as without escapes', async () => {
    const { stdout } = await mangrove(
      '--root',
      root,
      'adopt',
      '--database',
      test.name,
      '--json',
      '--dry-run',
    );
    const { types, refused } = JSON.parse(stdout) as Record<'types' | 'refused', { collection: string }[]>;
    expect([...types, ...refused].map(({ collection }) => collection)).to.include(HOSTILE);
  });

  it('escapes them in errors', async () => {
    const { status, stderr } = await mangrove('--root', root, HOSTILE);
    expect(status).to.not.equal(0);
    expect(stderr).to.include('\\u001b[2J').and.include('\\u009b2K');
    expect(controls(stderr)).to.deep.equal([]);
  });
});
