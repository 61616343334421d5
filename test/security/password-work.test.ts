/** Hashing that callers can order: outside the main thread, limited in number, ended with its request. */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashSync } from 'bcryptjs';
import { expect } from 'chai';
import { bcryptCompare, bcryptHash, hashing, scryptKey } from '../../src/limits/hashing/hash.js';
import { cpuTime } from '../support/cpu-time.js';
import { send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { writeFiles } from '../support/write-files.js';

const LOCK = 'api::lock.lock';
/** About ten seconds. */
const SLOW_ROUNDS = 17;
const SCHEMAS = {
  'api/lock/content-types/lock/schema.json': {
    kind: 'collectionType',
    collectionName: 'locks',
    info: { singularName: 'lock', pluralName: 'locks', displayName: 'Lock' },
    options: { draftAndPublish: true },
    attributes: {
      master: { type: 'password' },
      slow: { type: 'password', encryption: { rounds: SLOW_ROUNDS } },
      pins: { type: 'component', repeatable: true, component: 'lock.pin' },
    },
  },
  'components/lock/pin.json': {
    collectionName: 'components_lock_pins',
    info: { displayName: 'Pin' },
    attributes: { code: { type: 'password', encryption: { rounds: 10 } } },
  },
};

const SMALL = { N: 2, r: 1, p: 1, bytes: 32 };

const pins = (count: number): { code: string }[] =>
  Array.from({ length: count }, (_, i) => ({ code: `pin ${i}` }));

describe('security: password work', function () {
  this.timeout(180_000);

  it('a hash in a thread is a bcrypt hash, for any text', async () => {
    for (const text of ['a', 'ä€😀', '', 'x'.repeat(72)]) {
      const hash = await bcryptHash(text, 4);
      expect(hash).to.match(/^\$2b\$04\$.{53}$/);
      expect(await bcryptCompare(text, hash)).to.equal(true);
      expect(await bcryptCompare(`b${text}`, hash)).to.equal(false);
    }
    expect(await bcryptCompare('a', '$2b$04$short')).to.equal(false);
  });

  if (process.platform === 'linux')
    it('threads that hash have a low priority, and nothing else of the process', async () => {
      await Promise.all([bcryptHash('a', 4), bcryptHash('b', 4), scryptKey('a', Buffer.from('s'), SMALL)]);
      const priorities = readdirSync('/proc/self/task').map((thread) => {
        const fields = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ').at(-1)?.split(' ');
        return Number(fields?.[16]);
      });
      const own = getPriority();
      expect(new Set(priorities)).to.deep.equal(new Set([own, Math.max(own, 5)]));
    });

  it('a job that fails is an error, and the thread goes on', async () => {
    const failed = await bcryptCompare('a', `$2b$99$${'.'.repeat(53)}`).catch((error: Error) => error);
    expect(failed).to.be.an('error');
    expect(await bcryptHash('a', 4)).to.match(/^\$2b/);
  });

  it('the main thread does not compute', async () => {
    await bcryptHash('warm', 4);
    const held = performance.eventLoopUtilization();
    await Promise.all(pins(4).map(({ code }) => bcryptHash(code, 11)));
    const { utilization } = performance.eventLoopUtilization(held);
    expect(utilization).to.be.below(0.5);
  });

  it('a job under way ends when it is aborted, and later ones find a thread', async () => {
    await bcryptHash('warm', 4);
    const controller = new AbortController();
    const began = cpuTime();
    const job = bcryptHash('a', SLOW_ROUNDS, { signal: controller.signal });
    await sleep(100);
    controller.abort(new Error('gone'));
    expect(await job.catch(({ message }: Error) => message)).to.equal('gone');
    expect(hashing.idle).to.equal(true);
    expect(cpuTime() - began).to.be.below(2000);
    expect(await bcryptCompare('a', await bcryptHash('a', 4))).to.equal(true);
  });

  describe('of a server', () => {
    let server: TestServer;
    before(async () => {
      const schemaFolder = await mkdtemp(join(tmpdir(), 'locks-'));
      await writeFiles(schemaFolder, SCHEMAS);
      const actions = ['create', 'update', 'find'].map((action) => `${LOCK}.${action}`);
      server = await startTestServer(
        {
          roles: { public: [...actions, 'plugin::users-permissions.auth.callback'] },
          plugins: { usersPermissions: { ratelimit: { enabled: false } } },
          server: { maxPasswords: 5 },
        },
        { schemaFolder },
      );
    });
    after(() => server.close());
    const locks = (): Promise<number> => server.project.documents(LOCK).count({ status: 'draft' });
    const create = (data: unknown, signal?: AbortSignal) =>
      send(server.url, '/api/locks', { body: { data }, ...(signal && { signal }) });

    it('a body may have as many passwords as configured, at any depth', async () => {
      expect((await create({ master: 'a', pins: pins(4) })).status).to.equal(201);
      const before = await locks();
      const refused = await create({ master: 'a', pins: pins(5) });
      expect(refused.status).to.equal(400);
      expect(refused.at('error')).to.deep.equal({
        status: 400,
        name: 'ValidationError',
        message: 'The body has more than 5 passwords',
        details: { code: 'too-many-passwords', setting: 'server.maxPasswords', limit: 5, source: 'body' },
      });
      expect(await locks()).to.equal(before);
    });

    it('a script may store any number', async () => {
      const { documentId } = await server.project.documents(LOCK).create({ data: { pins: pins(7) } });
      expect(documentId).to.be.a('string');
    });

    it('a request whose client has gone hashes no further password and stores nothing', async () => {
      const before = await locks();
      const controller = new AbortController();
      const sent = Array.from({ length: 20 }, () =>
        create({ pins: pins(5) }, controller.signal).catch(() => null),
      );
      await sleep(150);
      controller.abort();
      await Promise.all(sent);
      const began = cpuTime();
      // 100 hashes take seconds.
      while (!hashing.idle) await sleep(5);
      expect(cpuTime() - began).to.be.below(1500);
      expect((await locks()) - before).to.be.below(10);
    });

    it('a hash that runs when the client goes is ended', async () => {
      const controller = new AbortController();
      const sent = create({ slow: 'a' }, controller.signal).catch(() => null);
      while (hashing.idle) await sleep(5);
      await sleep(100);
      controller.abort();
      await sent;
      const began = cpuTime();
      while (!hashing.idle) await sleep(5);
      expect(cpuTime() - began).to.be.below(2000);
    });

    const addAccount = async (username: string, hash: string | null): Promise<void> => {
      await server.project.access.users.create({
        username,
        email: `${username}@example.test`,
        password: 'Correct-horse-1',
        role: (await server.project.access.roles.byType('authenticated'))?.role.id,
      });
      const users = server.project.store.db.collection('mangrove.users');
      if (hash !== null) await users.updateOne({ username }, { $set: { password: hash } });
    };
    const signIn = (identifier: string, password: string, signal?: AbortSignal) =>
      send(server.url, '/api/auth/local', { body: { identifier, password }, ...(signal && { signal }) });

    it('those who guess the password of one account do not keep others from signing in', async () => {
      await addAccount('guessed', hashSync('a', 4).replace('$04$', `$${SLOW_ROUNDS}$`));
      await addAccount('other', null);
      const controller = new AbortController();
      let refused = 0;
      const guesses = ['guessed', 'GUESSED', 'guessed'].map(async (name) => {
        await signIn(name, 'wrong', controller.signal).catch(() => null);
        refused += 1;
      });
      while (hashing.idle) await sleep(5);
      await sleep(100);
      const { status } = await signIn('other', 'Correct-horse-1');
      expect([status, refused]).to.deep.equal([200, 0]);
      controller.abort();
      await Promise.all(guesses);
      while (!hashing.idle) await sleep(5);
    });

    it('sign-ins to an imported account leave the event loop to others', async () => {
      await addAccount('imported', hashSync('another', 10));
      const wrong = () => signIn('imported', 'wrong');
      await wrong();
      const used = performance.eventLoopUtilization();
      const answers = await Promise.all(Array.from({ length: 12 }, wrong));
      const { utilization } = performance.eventLoopUtilization(used);
      expect(answers.map(({ status }) => status)).to.deep.equal(Array(12).fill(400));
      expect(utilization).to.be.below(0.6);
    });
  });
});
