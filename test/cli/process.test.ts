import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { until } from '../../packages/engine/test/support/until.js';
import { compiled } from '../support/compiled.js';
import { typeFile } from '../support/schemas.js';

const MAIN = compiled('src/main.ts');

interface Run {
  readonly process: ChildProcess;
  readonly printed: { stdout: string; stderr: string };
  /** All that it printed is there, too. */
  readonly ended: Promise<unknown[]>;
}

/** The whole program, as `npm start` runs it, on a project with one type and the embedded engine. */
describe('the server process', function () {
  this.timeout(180_000);
  let root: string;
  const runs: Run[] = [];

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-process-'));
    await mkdir(join(root, 'content-types', 'note'), { recursive: true });
    const { content } = typeFile('note', { title: { type: 'string' }, pin: { type: 'password' } });
    await writeFile(join(root, 'content-types', 'note', 'schema.json'), JSON.stringify(content));
  });
  after(async () => {
    for (const { process, ended } of runs) if (process.kill('SIGKILL')) await ended;
    await rm(root, { recursive: true, force: true });
  });

  const start = (env: Readonly<Record<string, string>>, main = MAIN): Run =>
    launch([process.execPath, main], env);
  const launch = ([program = '', ...args]: readonly string[], env: Readonly<Record<string, string>>): Run => {
    const child = spawn(program, args, {
      cwd: root,
      env: { ...process.env, MONGODB_URI: '', HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'warn', ...env },
    });
    const printed = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].on('data', (text: Buffer) => {
        printed[name] += String(text);
      });
    const run = { process: child, printed, ended: once(child, 'close') };
    runs.push(run);
    return run;
  };

  /** Waits until a process's output meets a condition. */
  const printing = (
    { process: child, printed }: Pick<Run, 'process' | 'printed'>,
    is: () => boolean,
  ): Promise<void> => until(is, () => JSON.stringify(printed), { over: () => child.exitCode !== null });

  const address = async ({ process: child, printed }: Run): Promise<string> => {
    const found = (): string | undefined => /^Mangrove serves (http:\S+)$/m.exec(printed.stdout)?.[1];
    await printing({ process: child, printed }, () => found() !== undefined);
    return found() ?? '';
  };

  it('Ctrl-C, which arrives twice under npm, drains connections and exits with 0', async () => {
    const run = start({ LOG_LEVEL: 'trace' });
    const url = (await address(run)).replace('localhost', '127.0.0.1');
    const answered = fetch(`${url}/notes`).then(({ status }) => status);
    await printing(run, () => run.printed.stdout.includes('request-received'));
    run.process.kill('SIGINT');
    run.process.kill('SIGINT');
    expect(await answered).to.equal(403);
    expect(await run.ended).to.eql([0, null]);
    expect(run.printed.stderr).to.equal('');
  });

  it('in production, stdout is JSON lines only, with one for listening and one for stopped', async () => {
    const run = start({ NODE_ENV: 'production', LOG_LEVEL: 'info' });
    const lines = (): Record<string, unknown>[] =>
      run.printed.stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    await printing(run, () => run.printed.stdout.includes('"listening"'));
    const listening = lines().filter(({ msg }) => msg === 'listening');
    expect(listening).to.have.length(1);
    expect((await fetch(`${listening[0]?.['url']}/_health`)).status).to.equal(204);
    run.process.kill('SIGTERM');
    expect(await run.ended).to.eql([0, null]);
    expect(lines().filter(({ msg }) => msg === 'stopped')).to.have.length(1);
    expect(run.printed.stderr).to.equal('');
  });

  it('a script given to node as text opens the project', async () => {
    const program = `import { connect } from ${JSON.stringify(pathToFileURL(compiled('src/index.ts')).href)};
      const { documents, close } = await connect();
      const notes = documents('api::note.note');
      const { documentId } = await notes.create({ data: { title: 'x', pin: 'secret' } });
      await notes.delete({ documentId });
      console.log(await notes.count({}));
      await close();`;
    const { ended, printed } = launch([process.execPath, '--input-type=module', '--eval', program], {});
    expect([(await ended)[0], printed.stdout]).to.deep.equal([0, '0\n']);
  });

  it('a program that calls serve() drains connections and exits with 0 on SIGTERM', async () => {
    const file = join(root, 'program.mjs');
    const source = compiled('src/index.ts');
    await writeFile(
      file,
      `import { serve } from ${JSON.stringify(source)};\nconst { port } = await serve();\nconsole.log('port ' + port);\n`,
    );
    const run = start({ LOG_LEVEL: 'silent' }, file);
    await printing(run, () => run.printed.stdout.includes('port '));
    run.process.kill('SIGTERM');
    expect(await run.ended, run.printed.stderr).to.eql([0, null]);
  });

  describe('under npm start', () => {
    before(async () => {
      const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as {
        readonly scripts: { readonly start: string };
      };
      await writeFile(join(root, 'package.json'), JSON.stringify({ scripts: { start: scripts.start } }));
      // This repository's package.json as if it were the project's own.
      await symlink(dirname(dirname(MAIN)), join(root, 'dist'));
    });

    const npmStart = (...options: readonly string[]): Run =>
      launch(['npm', 'start', '--', '--port', '0', '--host', '127.0.0.1', '--no-seed', ...options], {
        LOG_LEVEL: 'info',
        NODE_ENV: 'production',
      });
    const count = ({ printed }: Run, event: string): number =>
      printed.stdout.split(`"event":"${event}"`).length - 1;

    it('accepts the options of mangrove serve, and a signal to npm stops the server cleanly', async () => {
      const run = npmStart('--workers', '2');
      await printing(run, () => count(run, 'server-listening') === 2);
      expect(run.printed.stdout).to.include('"worker":1').and.include('"worker":2');
      run.process.kill('SIGTERM');
      await run.ended;
      expect(count(run, 'server-stopped')).to.equal(2);
    });

    // Of a SIGINT to npm alone nobody hears: npm and the shell both wait for the server.
    for (const signal of ['SIGHUP', 'SIGKILL'] as const)
      it(`ends cleanly when npm alone gets ${signal}`, async () => {
        const run = npmStart();
        await printing(run, () => count(run, 'server-listening') === 1);
        run.process.kill(signal);
        await run.ended;
        expect(count(run, 'server-stopped')).to.equal(1);
      });

    it('refuses options that mangrove serve does not have', async () => {
      const run = launch(['npm', 'start', '--', '--wrokers', '2'], {});
      expect(await run.ended).to.eql([2, null]);
      expect(run.printed.stderr).to.include("unknown option '--wrokers'");
    });
  });

  it('reports a busy port in one line and exits with 1', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const run = start({ PORT: String(port) });
    expect(await run.ended).to.eql([1, null]);
    server.close();
    expect(run.printed.stderr).to.match(new RegExp(`^Port ${port} is in use\\.[^\\n]*\\n$`));
  });

  it('reports a database that does not respond in one line and exits with 1', async () => {
    const run = start({ MONGODB_URI: 'mongodb://127.0.0.1:1/' });
    expect(await run.ended).to.eql([1, null]);
    expect(run.printed.stderr).to.match(/^The database does not respond: [^\n]*127\.0\.0\.1:1\n$/);
  });

  it('reports all invalid settings together and exits with 1', async () => {
    const run = start({ PORT: '70000', LOG_LEVEL: 'loud' });
    expect(await run.ended).to.eql([1, null]);
    expect(run.printed.stderr)
      .to.include('PORT: an integer from 0 to 65535, not "70000"')
      .and.include('LOG_LEVEL: one of');
  });
});
