/** The server as it is run: separate processes on one database, stopped by signals, changed from the command line. */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEngine } from '@mangrove/engine';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { until } from '../../packages/engine/test/support/until.js';
import { type Followed, follow } from '../live/client.js';
import { compiled } from '../support/compiled.js';
import { mangrove } from '../support/run-command.js';
import { typeFile } from '../support/schemas.js';
import { send } from '../support/send.js';
import { writeFiles } from '../support/write-files.js';

interface Running {
  readonly url: string;
  readonly process: ChildProcess;
  readonly printed: () => string;
  readonly ended: Promise<number | null>;
}

/** The line of the log that says where a server listens. */
const LISTENING = /"url":"(http:[^"]+)","msg":"listening"/;
/** The line of the log that says that an upload has begun. */
const UPLOADING = /"event":"request-received"[^\n]*"path":"\/api\/upload"/;
/** The token printed by a first start, on its own line. */
const TOKEN = /^ {2}([0-9a-f]{256})$/m;

describe('processes', function () {
  this.timeout(180_000);
  let root: string;
  let uri: string;
  let name: string;
  /** With full access, as the first start printed it. */
  let token: string;
  let closeEngine = async (): Promise<void> => undefined;
  const running: Running[] = [];

  const env = (more: Record<string, string> = {}) => ({
    ...process.env,
    MONGODB_URI: uri,
    NODE_ENV: 'production',
    PORT: '0',
    HOST: '127.0.0.1',
    JWT_SECRET: 'for tests alone, and long enough',
    API_TOKEN_SALT: 'for tests alone, and long enough',
    ...more,
  });

  const start = async (): Promise<Running> => {
    const child = spawn(process.execPath, [compiled('src/main.ts')], {
      cwd: root,
      env: env({ LOG_LEVEL: 'trace' }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part) => {
        text += part;
      });
    const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
    const over = (): boolean => child.exitCode !== null;
    await until(
      () => LISTENING.test(text),
      () => text,
      { over },
    );
    const url = LISTENING.exec(text)?.[1] ?? '';
    const server = { url, process: child, printed: () => text, ended };
    running.push(server);
    return server;
  };

  /** Waits until the response has this status. */
  const untilStatus = async (url: string, path: string, status: number): Promise<void> => {
    let seen = 0;
    const isAllowed = async (): Promise<boolean> => {
      seen = (await send(url, path)).status;
      return seen === status;
    };
    await until(isAllowed, () => `status ${seen}`);
  };

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-processes-'));
    name = `processes_${process.pid}_${Date.now().toString(36)}`;
    const files: Readonly<Record<string, string>> = {
      'content-types/note/schema.json': JSON.stringify(
        typeFile('note', { title: { type: 'string' } }).content,
      ),
      'dist/scripts/seed.js': 'export const seed = async () => undefined;',
      'package.json': '{"type":"module"}',
    };
    await writeFiles(root, files);
    const given = process.env['MONGODB_URI'];
    if (given) uri = given;
    else {
      const engine = await startEngine({ dataDir: join(root, 'data') });
      uri = engine.uri;
      closeEngine = () => engine.close();
    }
    await writeFiles(root, { 'config/database.json': { name, uri } });
  });
  after(async () => {
    for (const server of running) server.process.kill('SIGKILL');
    await Promise.all(running.map(({ ended }) => ended));
    const client = new MongoClient(uri);
    await client.db(name).dropDatabase();
    await client.close();
    await closeEngine();
    await rm(root, { recursive: true, force: true });
  });

  it('the first start prints a token with full access; the second prints none', async () => {
    const first = await start();
    await until(() => TOKEN.test(first.printed()), first.printed);
    token = TOKEN.exec(first.printed())?.[1] ?? '';
    const made = await send(first.url, '/api/notes', { token, body: { data: { title: 'x' } } });
    expect(made.status).to.equal(201);
    const second = await start();
    expect(second.printed()).to.not.match(/[0-9a-f]{256}/);
    expect((await send(second.url, '/api/notes', { token })).status).to.equal(200);
  });

  it('grants and revocations by commands reach every process', async () => {
    const [one, two] = running;
    if (!one || !two) throw new Error('no servers');
    for (const { url } of [one, two]) expect((await send(url, '/api/notes')).status).to.equal(403);
    expect((await mangrove('--root', root, 'role', 'grant', 'public', 'note.find')).status).to.equal(0);
    await Promise.all([one, two].map(({ url }) => untilStatus(url, '/api/notes', 200)));
    expect((await mangrove('--root', root, 'role', 'revoke', 'public', 'note.find')).status).to.equal(0);
    await Promise.all([one, two].map(({ url }) => untilStatus(url, '/api/notes', 403)));
  });

  /** Waits until a client has what a plain read answers. */
  const isCurrent = async (client: Followed, { url }: Running): Promise<void> => {
    const { body } = await send(url, '/api/notes', { token });
    await client.has((answer) => JSON.stringify(answer) === JSON.stringify(body), 60_000);
  };

  it('SIGTERM: running requests are answered, new ones are refused, streams end, and the process exits with 0', async () => {
    const [other, server] = running;
    if (!server || !other) throw new Error('no server');
    const client = await follow(`${server.url}/api/notes`, { token });
    await isCurrent(client, server);
    const { port } = new URL(server.url);
    const head = '--b\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\n';
    const answer = new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const sent = request(
        {
          port,
          host: '127.0.0.1',
          method: 'POST',
          path: '/api/upload',
          headers: {
            authorization: `Bearer ${token}`,
            'content-type': 'multipart/form-data; boundary=b',
          },
        },
        (response) => {
          let text = '';
          response.on('data', (part) => {
            text += part;
          });
          response.on('end', () => resolve({ status: response.statusCode, text }));
        },
      );
      sent.on('error', reject);
      sent.write(`${head}first half, `);
      const isRefused = (): Promise<boolean> =>
        new Promise((resolve) => {
          const socket = connect({ port: Number(port), host: '127.0.0.1' });
          socket.on('connect', () => {
            socket.destroy();
            resolve(false);
          });
          socket.on('error', () => resolve(true));
        });
      const finish = async (): Promise<void> => {
        await until(() => UPLOADING.test(server.printed()), server.printed);
        server.process.kill('SIGTERM');
        await until(isRefused, () => 'connections are taken');
        await until(
          () => client.ended,
          () => 'the stream is open',
        );
        expect(server.process.exitCode, 'waits for the upload').to.equal(null);
        sent.end('second half\r\n--b--\r\n');
      };
      finish().catch(reject);
    });
    const { status, text } = await answer;
    expect(status, text).to.equal(201);
    expect(JSON.parse(text)).to.have.nested.property('[0].size', 0.02);
    expect(await server.ended).to.equal(0);
    // Nothing has been written meanwhile.
    const { answer: has, lastEventId } = client;
    const again = await follow(`${other.url}/api/notes`, { token, answer: has, lastEventId });
    await until(
      () => again.comments > 0,
      () => again.names,
    );
    expect(again.names).to.deep.equal([]);
    again.close();
  });

  it('SIGKILL: a stream goes on at the next process, with what was missed', async () => {
    const [server] = running;
    if (!server) throw new Error('no server');
    const write = (title: string) => send(server.url, '/api/notes', { token, body: { data: { title } } });
    const client = await follow(`${server.url}/api/notes`, { token });
    await write('told');
    await isCurrent(client, server);
    // Acknowledged, and perhaps not told any more.
    await write('missed');
    server.process.kill('SIGKILL');
    await until(
      () => client.ended,
      () => client.names,
    );
    const next = await start();
    const { answer, lastEventId } = client;
    const again = await follow(`${next.url}/api/notes`, { token, answer, lastEventId });
    await isCurrent(again, next);
    expect(JSON.stringify(again.answer)).to.contain('missed');
    again.close();
  });
});
