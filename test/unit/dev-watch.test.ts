import fs, { mkdirSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { until } from '../../packages/engine/test/support/until.js';
import { watchProject } from '../../src/dev/watch.js';

describe('the files that `mangrove dev` watches', () => {
  const { watch } = fs;
  let root: string;

  before(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'mangrove-watch-')));
  });
  after(async () => {
    fs.watch = watch;
    syncBuiltinESMExports();
    await rm(root, { recursive: true });
  });

  it('include those written between the reading of a new folder and its watching', async () => {
    const folder = join(root, 'migrations');
    let written = false;
    fs.watch = ((path: string, ...rest: never[]) => {
      if (path === folder && !written) {
        written = true;
        writeFileSync(join(folder, '0001.js'), '');
        mkdirSync(join(folder, 'steps'));
        writeFileSync(join(folder, 'steps', 'one.js'), '');
        writeFileSync(join(folder, 'types.d.ts'), '');
      }
      return watch(path, ...rest);
    }) as typeof watch;
    syncBuiltinESMExports();
    const seen: string[] = [];
    const watching = await watchProject(root, [], (files) => seen.push(...files));
    await mkdir(folder);
    await until(
      () => seen.length > 1,
      () => `${written}: ${seen}`,
    );
    expect(seen.sort()).to.eql(['migrations/0001.js', 'migrations/steps/one.js']);
    writeFileSync(join(folder, 'steps', 'two.js'), '');
    await until(
      () => seen.length > 2,
      () => String(seen),
    );
    expect(seen[2]).to.equal('migrations/steps/two.js');
    await watching.close();
  });

  it('are not watched any more once it is closed, though a new folder was to be read again', async () => {
    const calls: string[] = [];
    fs.watch = ((path: string, ...rest: never[]) => {
      calls.push(path);
      return watch(path, ...rest);
    }) as typeof watch;
    syncBuiltinESMExports();
    const watching = await watchProject(root, [], () => undefined);
    await mkdir(join(root, 'src', 'api'), { recursive: true });
    await until(
      () => calls.includes(join(root, 'src', 'api')),
      () => String(calls),
    );
    await watching.close();
    const before = calls.length;
    await sleep(800);
    expect(calls.slice(before)).to.eql([]);
  });
});
