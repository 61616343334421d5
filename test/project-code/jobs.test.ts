import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type RunningEngine, startEngine } from '@mangrove/engine';
import { expect } from 'chai';
import { until as waitUntil } from '../../packages/engine/test/support/until.js';
import { startJobs } from '../../src/project-code/schedule.js';
import type { Job, Mangrove } from '../../src/project-code/types.js';
import { openStore, type Store } from '../../src/store/client.js';
import { compiled } from '../support/compiled.js';

const FAST = { lease: 400, every: 20 };
/** Longer than a beat takes on a slow machine. */
const STEADY = { lease: 2000, every: 20 };
/** Milliseconds that a stop may take. */
const DRAIN = 30_000;
const record = (): void => undefined;

/** Several schedules on one database stand in for several processes: each has its own owner token. */
describe('jobs', function () {
  this.timeout(180_000);
  let engine: RunningEngine | null = null;
  let store: Store;
  let folder: string;
  let uri: string;
  const name = `jobs_${process.pid}_${Date.now().toString(36)}`;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-jobs-'));
    if (!process.env['MONGODB_URI']) engine = await startEngine({ dataDir: folder });
    uri = process.env['MONGODB_URI'] || (engine?.uri ?? '');
    store = await openStore({ uri, name });
  });
  after(async () => {
    await store.db.dropDatabase();
    await store.close();
    await engine?.close();
    await rm(folder, { recursive: true });
  });
  const start = (jobs: Record<string, Job>, options = FAST) =>
    startJobs({ jobs }, {} as unknown as Mangrove, { db: store.db, record }, options);
  const stored = (job: string) =>
    store.db
      .collection<{ _id: string; next: Date; owner: string | null; error?: string }>('mangrove.jobs')
      .findOne({ _id: job });
  /** As if a job had become due while no process was running. */
  const makeDue = (job: string, more: object = {}) =>
    store.db
      .collection<{ _id: string }>('mangrove.jobs')
      .updateOne({ _id: job }, { $set: { next: new Date(Date.now() - 60_000), ...more } });
  const until = (holds: () => boolean | Promise<boolean>): Promise<void> =>
    waitUntil(holds, () => `not ${holds}`, { every: 10 });

  it('only one of several processes runs a due job, and never next to another run', async () => {
    let runs = 0;
    let atOnce = 0;
    let most = 0;
    const run = async () => {
      runs += 1;
      most = Math.max(most, ++atOnce);
      await wait(STEADY.lease * 1.5);
      atOnce -= 1;
    };
    const jobs = { shared: { cron: '0 0 1 1 *', run } };
    const schedules = await Promise.all([1, 2, 3].map(() => start(jobs, STEADY)));
    await wait(100);
    expect(runs).to.equal(0);
    await makeDue('shared');
    await until(() => runs > 0);
    await until(() => atOnce === 0);
    await until(async () => (await stored('shared'))?.owner === null);
    await wait(200);
    expect([runs, most]).to.eql([1, 1]);
    expect((await stored('shared'))?.next.getTime()).to.be.above(Date.now());
    await Promise.all(schedules.map((schedule) => schedule.stop(DRAIN)));
  });

  it('a job interrupted by kill -9 is restarted by another process', async () => {
    const module = (path: string) => JSON.stringify(compiled(path));
    const file = join(folder, 'worker.mjs');
    await writeFile(
      file,
      `import { startJobs } from ${module('src/project-code/schedule.ts')};
       import { openStore } from ${module('src/store/client.ts')};
       const { db } = await openStore({ uri: ${JSON.stringify(uri)}, name: ${JSON.stringify(name)} });
       const run = () => { console.log('begun'); return new Promise(() => {}); };
       await startJobs({ jobs: { broken: { cron: '* * * * * *', run } } }, {}, { db, record: () => undefined }, ${JSON.stringify(FAST)});`,
    );
    const child = spawn(process.execPath, [file]);
    let output = '';
    child.stderr.on('data', (text) => {
      output += String(text);
    });
    const [line] = (await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])) as unknown[];
    expect(String(line), output).to.equal('begun\n');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect((await stored('broken'))?.owner).to.be.a('string');
    let runs = 0;
    const run = () => {
      runs += 1;
    };
    const schedule = await start({ broken: { cron: '* * * * * *', run } });
    await until(() => runs > 0);
    await schedule.stop(DRAIN);
    expect((await stored('broken'))?.owner).to.equal(null);
  });

  it('a failed run is recorded and rescheduled; a run interrupted by a stop remains due', async () => {
    let runs = 0;
    const fail = async () => {
      runs += 1;
      throw new Error('no paper');
    };
    const first = await start({ failing: { cron: '0 0 1 1 *', run: fail } });
    await makeDue('failing');
    await until(async () => (await stored('failing'))?.error === 'no paper');
    await first.stop(DRAIN);
    expect(runs).to.equal(1);

    const untilStopped = ({ signal }: { readonly signal: AbortSignal }) =>
      new Promise((_, reject) => {
        runs += 1;
        signal.addEventListener('abort', () => reject(new Error('stopped')));
      });
    const second = await start({ failing: { cron: '0 0 1 1 *', run: untilStopped } });
    await makeDue('failing');
    await until(() => runs === 2);
    await second.stop(DRAIN);
    const left = await stored('failing');
    expect(left?.owner).to.equal(null);
    expect(left?.next.getTime()).to.be.below(Date.now());
  });

  it('an invalid cron expression prevents the start', async () => {
    const failed = await start({ odd: { cron: 'every day', run: () => undefined } }).catch(String);
    expect(failed).to.include('jobs.odd');
  });
});
