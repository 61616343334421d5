/** `mangrove changes` as another program reads it: lines from a separate process. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { until as waitUntil } from '../../packages/engine/test/support/until.js';
import { compiled } from '../support/compiled.js';
import { typeFile } from '../support/schemas.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const MAIN = compiled('src/cli/main.ts');
const NOTE = 'api::note.note';

interface Line {
  readonly event: string;
  readonly uid: string;
  readonly documentId: string;
  readonly position: string;
}

describe('mangrove changes', function () {
  this.timeout(180_000);
  let root: string;
  let server: TestServer;
  let started: ChildProcess | undefined;
  /** Of the first line that was printed. */
  let position: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-changes-'));
    await mkdir(join(root, 'content-types', 'note'), { recursive: true });
    const { content } = typeFile('note', { name: { type: 'string' } });
    await writeFile(join(root, 'content-types', 'note', 'schema.json'), JSON.stringify(content));
    server = await startTestServer({}, { schemaFolder: root });
  });
  afterEach(() => started?.kill('SIGKILL'));
  after(async () => {
    await server.close();
    await rm(root, { recursive: true, force: true });
  });

  const start = (...args: readonly string[]) => {
    const child = spawn(process.execPath, [MAIN, '--root', root, 'changes', ...args], {
      env: { ...process.env, MONGODB_URI: server.database },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    started = child;
    const lines: Line[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line)));
    let output = '';
    child.stderr.on('data', (text: Buffer) => {
      output += String(text);
    });
    const ended = once(child, 'close');
    /** Waits until the condition holds; `meanwhile` runs before each check. */
    const until = (holds: () => boolean, meanwhile = async (): Promise<unknown> => null): Promise<void> =>
      waitUntil(
        async () => {
          if (!holds()) await meanwhile();
          return holds();
        },
        () => `${JSON.stringify(lines)} ${output}`,
        { over: () => child.exitCode !== null || child.signalCode !== null },
      );
    const end = async (signal: NodeJS.Signals): Promise<unknown> => {
      child.kill(signal);
      const [code] = await ended;
      return code;
    };
    return { lines, until, end, ended, output: () => output };
  };
  const make = async (name: string): Promise<string> =>
    String((await server.project.documents(NOTE).create({ data: { name } }))['documentId']);

  it('prints changes as they happen, ends on a signal, and resumes from any line', async () => {
    const first = start();
    let made = 0;
    await first.until(
      () => first.lines.length > 0,
      async () => {
        made += 1;
        await make(`${made}`);
        await wait(100);
      },
    );
    const last = await make('the last one');
    await first.until(() => first.lines.at(-1)?.documentId === last);
    const [line] = first.lines;
    expect(line).to.include({ event: 'entry.create', uid: NOTE });
    expect(await first.end('SIGTERM')).to.equal(0);

    const later = await make('while nobody reads');
    const second = start('--after', line?.position ?? '');
    await second.until(() => second.lines.length >= first.lines.length);
    const shown = (from: readonly Line[]) => from.map(({ documentId, event }) => `${documentId} ${event}`);
    expect(shown(second.lines.slice(0, -1))).to.deep.equal(shown(first.lines.slice(1)));
    expect(second.lines.at(-1)?.documentId).to.equal(later);
    expect(await second.end('SIGINT')).to.equal(0);
    position = line?.position ?? '';
  });

  it('ends when its reader does', async () => {
    for (const name of ['one', 'two', 'three']) await make(name);
    const command = `"${process.execPath}" "${MAIN}" --root "${root}" changes --after "${position}" | head -1; echo "$PIPESTATUS"`;
    const piped = spawn('bash', ['-c', command], {
      env: { ...process.env, MONGODB_URI: server.database },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    started = piped;
    let output = '';
    for (const stream of [piped.stdout, piped.stderr])
      stream.on('data', (text: Buffer) => {
        output += String(text);
      });
    // Like other commands, it notices when it has more to print.
    let over = false;
    piped.once('close', () => {
      over = true;
    });
    await waitUntil(
      async () => over || !(await make('more')),
      () => output,
      { every: 100 },
    );
    const [line = '', ...rest] = output.trim().split('\n');
    expect(JSON.parse(line)).to.have.property('position');
    expect(rest).to.deep.equal(['0']);
  });

  it('refuses a malformed position', async () => {
    const run = start('--after', 'nowhere');
    expect((await run.ended)[0]).to.equal(1);
    expect(run.output()).to.include('The events after this position have been deleted');
    expect(run.lines).to.deep.equal([]);
  });
});
