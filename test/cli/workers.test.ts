import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, get as ask } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { until as waitUntil } from '../../packages/engine/test/support/until.js';
import { ConfigError } from '../../src/config/error.js';
import { createEventLog } from '../../src/events/event-log.js';
import { metricsOfAll } from '../../src/events/metrics.js';
import { workersOf } from '../../src/serve/run.js';
import { openStore } from '../../src/store/client.js';
import { compiled } from '../support/compiled.js';
import { freePort } from '../support/free-port.js';
import { mangrove } from '../support/run-command.js';
import { typeFile } from '../support/schemas.js';
import { writeFiles } from '../support/write-files.js';

interface Line {
  readonly event?: string;
  readonly pid: number;
  readonly worker?: number;
  readonly url?: string;
}

/** `mangrove serve --workers 2`: processes that share a port and, with the embedded engine, one engine. */
describe('serve --workers', function () {
  this.timeout(180_000);
  const name = `workers_${process.pid}_${Date.now().toString(36)}`;
  let root: string;
  let primary: ChildProcess;
  let port = 0;
  let errors = '';
  const lines: Line[] = [];

  /** The status of a request, over a new connection if no agent is given; 0 if there was no response. */
  const status = (path: string, agent: Agent | false = false): Promise<number> =>
    new Promise((resolve) => {
      const sent = ask({ host: '127.0.0.1', port, path, agent }, (answer) => {
        answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
      });
      sent.once('error', () => resolve(0));
    });
  const linesOf = (event: string): Line[] => lines.filter((line) => line.event === event);
  const until = (is: () => boolean | Promise<boolean>, what: string): Promise<void> =>
    waitUntil(is, () => `not ${what}: ${errors}`, { over: () => primary.exitCode !== null });
  const pids = (): number[] => [...new Set(linesOf('server-listening').map(({ pid }) => pid))];
  const alive = (): number[] => pids().filter(isAlive);
  const isAlive = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-workers-'));
    await writeFiles(root, {
      'src/api/note/content-types/note/schema.json': typeFile('note', { title: { type: 'string' } }).content,
      'src/api/note/routes/note.js': `export default { routes: [
        { method: 'GET', path: '/notes', handler: 'note.find' },
        { method: 'GET', path: '/notes/raw', handler: () => strapi.db.connection.raw('select 1'), config: { auth: false } },
      ] };`,
      'config/database.json': { name },
      'config/server.json': { metrics: true },
      'config/roles.json': { public: ['api::note.note.find'] },
      'package.json': { type: 'module' },
    });
    port = await freePort();
    const args = [
      compiled('src/cli/main.ts'),
      '--root',
      root,
      'serve',
      '--workers',
      '2',
      '--port',
      String(port),
    ];
    // A separate process group, as a terminal creates one.
    primary = spawn(process.execPath, args, {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, HOST: '127.0.0.1', LOG_LEVEL: 'info', NODE_ENV: 'production' },
    });
    let rest = '';
    primary.stdout?.on('data', (part: Buffer) => {
      const parts = (rest + String(part)).split('\n');
      rest = parts.pop() ?? '';
      for (const line of parts) if (line.startsWith('{')) lines.push(JSON.parse(line));
    });
    primary.stderr?.on('data', (part: Buffer) => {
      errors += String(part);
    });
    await until(() => linesOf('server-listening').length >= 2, 'listening');
  });
  after(async () => {
    if (primary.exitCode === null && primary.pid) process.kill(-primary.pid, 'SIGKILL');
    if (process.env['MONGODB_URI']) {
      const store = await openStore({ uri: process.env['MONGODB_URI'], name });
      await store.db.dropDatabase();
      await store.close();
    }
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  });

  it('two processes serve one port, and the log tells them apart', async () => {
    const statuses = await Promise.all(Array.from({ length: 20 }, () => status('/api/notes')));
    expect(new Set(statuses)).to.deep.equal(new Set([200]));
    await until(
      () => new Set(linesOf('request-answered').map(({ worker }) => worker)).size === 2,
      'both answering',
    );
    expect(pids()).to.have.length(2).and.not.include(primary.pid);
    expect(linesOf('server-listening').map(({ worker }) => worker)).to.have.members([1, 2]);
  });

  it('metrics cover all workers, each labelled with its number', async () => {
    let text = '';
    // A worker that is slow to tell its metrics is left out.
    const hasBoth = async (): Promise<boolean> => {
      text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      return [1, 2].every((worker) => text.includes(`worker="${worker}"`));
    };
    await until(hasBoth, 'metrics of both');
    for (const worker of [1, 2]) {
      expect(text).to.match(
        new RegExp(`mangrove_events_total\\{event="request-answered",worker="${worker}"\\} \\d`),
      );
      expect(text).to.include(`mangrove_resident_memory_bytes{worker="${worker}"} `);
    }
    expect(text.match(/^# HELP mangrove_events_total/gm)).to.have.length(1);
  });

  it('a route whose code asks for what is not supported is a 501 in both, and doctor tells of it once', async () => {
    const both = async (): Promise<boolean> => {
      expect(await status('/api/notes/raw')).to.equal(501);
      return new Set(linesOf('route-unsupported').map(({ worker }) => worker)).size === 2;
    };
    await until(both, 'noticed by both');
    expect(linesOf('route-unsupported')).to.have.length(2);
    const { stdout, stderr } = await mangrove('--root', root, 'doctor');
    const told = `${stdout}${stderr}`.split(
      'GET /notes/raw answers 501: strapi.db.connection is not supported',
    );
    expect(told, stderr).to.have.length(2);
  });

  it('a killed worker is restarted, and the other one serves meanwhile', async () => {
    const [victim = 0] = pids();
    process.kill(victim, 'SIGKILL');
    await until(() => linesOf('worker-ended').length === 1, 'worker-ended reported');
    expect(await status('/api/notes')).to.equal(200);
    await until(() => pids().length === 3, 'started again');
    expect(isAlive(victim)).to.equal(false);
  });

  it('SIGHUP replaces all workers without a failed request', async () => {
    const former = alive();
    expect(former).to.have.length(2);
    const statuses: number[] = [];
    let asking = true;
    const kept = new Agent({ keepAlive: true });
    const clients = Array.from({ length: 6 }, async (_, at) => {
      while (asking) {
        statuses.push(await status('/api/notes', at < 2 ? false : kept));
        // Without a pause these requests would take the time that the new workers need.
        await wait(25);
      }
    });
    primary.kill('SIGHUP');
    await until(() => linesOf('workers-restarted').length === 1, 'restarted');
    asking = false;
    await Promise.all(clients);
    kept.destroy();
    expect(new Set(statuses)).to.deep.equal(new Set([200]));
    expect(statuses.length).to.be.at.least(20);
    expect(former.filter(isAlive)).to.deep.equal([]);
    await until(() => alive().length >= 2, 'listening');
    expect(alive()).to.have.length(2);
  });

  it('SIGHUP while a worker is being restarted leaves one worker in each place', async () => {
    const former = alive();
    process.kill(former[0] ?? 0, 'SIGKILL');
    await until(() => linesOf('worker-ended').length === 2, 'second worker-ended reported');
    primary.kill('SIGHUP');
    await until(() => linesOf('workers-restarted').length === 2, 'restarted');
    expect(former.filter(isAlive)).to.deep.equal([]);
    await until(() => alive().length >= 2, 'listening');
    expect(alive()).to.have.length(2);
  });

  it('Ctrl-C in the terminal stops all workers cleanly', async () => {
    const all = pids();
    const ended = once(primary, 'close');
    process.kill(-(primary.pid ?? 0), 'SIGINT');
    expect(await ended).to.deep.equal([0, null]);
    expect(all.filter(isAlive)).to.deep.equal([]);
    expect(linesOf('server-stopped').map(({ worker }) => worker)).to.include.members([1, 2]);
    expect(await status('/api/notes')).to.equal(0);
  });
});

describe('the number of workers', () => {
  it('comes from the command line, otherwise from WEB_CONCURRENCY, otherwise is 1', () => {
    expect(workersOf('3', { WEB_CONCURRENCY: '2' })).to.equal(3);
    expect(workersOf(undefined, { WEB_CONCURRENCY: '2' })).to.equal(2);
    expect([workersOf(undefined, {}), workersOf(undefined, { WEB_CONCURRENCY: '' })]).to.deep.equal([1, 1]);
  });
  for (const wrong of ['0', '-1', '1.5', 'all', '65'])
    it(`cannot be ${wrong}`, () => {
      expect(() => workersOf(wrong, {})).to.throw(ConfigError);
    });
});

describe('metrics of workers', () => {
  it('are one family each, with a sample per worker', async () => {
    const all = await Promise.all(
      [1, 2].map((worker) => {
        const { record, metricValues } = createEventLog({
          level: 'silent',
          production: true,
          metrics: true,
          worker,
        });
        for (let at = 0; at < worker; at += 1) record({ name: 'images-not-resized' });
        return metricValues();
      }),
    );
    // As they arrive from another process.
    const text = await metricsOfAll(JSON.parse(JSON.stringify(all)));
    const samples = [1, 2].map(
      (worker) => `mangrove_events_total{event="images-not-resized",worker="${worker}"} ${worker}\n`,
    );
    expect(text).to.include(`# TYPE mangrove_events_total counter\n${samples.join('')}`);
  });
});
