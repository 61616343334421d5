/** Untrusted text: names that pass for others, invalid locales, values for which a schema's pattern is slow. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { isDeceptive, nameKey } from '../../src/access/names.js';
import { testsWithin } from '../../src/documents/validate/keywords.js';
import { yieldToEventLoop } from '../../src/limits/yield.js';
import { fillNameKeys, findTakenNames } from '../../src/store/access/users.js';
import { compiled } from '../support/compiled.js';
import { send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

describe('security: names', function () {
  this.timeout(180_000);
  let server: TestServer;
  before(async () => {
    server = await startTestServer({
      roles: { public: ['create', 'update', 'find'].map((action) => `api::article.article.${action}`) },
    });
  });
  after(() => server.close());

  const register = async (username: string, n: number): Promise<number> => {
    const body = { username, email: `n${n}@example.test`, password: 'Long-enough-1' };
    return (await send(server.url, '/api/auth/local/register', { body })).status;
  };

  it('hardening: a name in letters that look like those of an existing one counts as taken', async () => {
    expect(await register('Pope-macax', 0)).to.equal(200);
    const others = ['Роре-масах', 'роре-МАСАХ', 'pope-macax', 'Ρope-macax', 'Pope-macax\u200b', 'pоpe-macax'];
    for (const [i, name] of others.entries()) expect(await register(name, 10 + i), name).to.equal(400);
    expect(await register('Сара', 1)).to.equal(200);
    expect(await register('Capa', 2)).to.equal(400);
    expect(await register('Ирина', 3)).to.equal(200);
    expect(await register('Γιώργος', 4)).to.equal(200);
  });

  it('hardening: names in one script that cannot be confused with others are accepted', () => {
    for (const name of ['Ирина', 'Γιώργος', '李小龙', 'Ali', 'José'])
      expect(nameKey(name), name).to.equal(name.normalize('NFKC').toLowerCase());
    expect(isDeceptive('аdmin')).to.equal(true);
  });

  it('hardening: keys of earlier versions are recomputed', async () => {
    const { store } = server.project;
    await store.db.collection('mangrove.users').insertOne({ id: 9999, username: 'асе', nameKey: 'асе' });
    await fillNameKeys(store, nameKey);
    expect((await findTakenNames(store, [], [nameKey('ACE')])).map(({ id }) => id)).to.deep.equal([9999]);
  });

  it('MANGROVE-13: an invalid locale is not stored', async () => {
    const write = (locale: string) =>
      send(server.url, `/api/articles?locale=${encodeURIComponent(locale)}`, {
        body: { data: { title: 't' } },
      });
    for (const locale of [
      '$ne',
      '../../x',
      'en\0',
      'e'.repeat(6000),
      'a',
      'en fr',
      '{"$gt":""}',
      'en-',
      '-en',
    ]) {
      const answer = await write(locale);
      expect(answer.status, locale.slice(0, 20)).to.equal(400);
      expect(JSON.stringify(answer.body).length).to.be.below(600);
    }
    // Locales that are not configured are stored, as in Strapi.
    for (const locale of ['fr', 'xx', 'zh-Hans-CN', 'pt_BR'])
      expect((await write(locale)).status).to.equal(201);
  });

  it("hardening: a schema's pattern with catastrophic backtracking is stopped after its time limit", async () => {
    const exploding = /^(a+)+$/;
    const nested = /^(([a-z])+.)+[A-Z]([a-z])+$/;
    const powers = /^a*a*a*a*a*a*a*a*c/;
    for (const pattern of [exploding, nested, powers]) {
      expect(testsWithin(pattern, `${'a'.repeat(400)}!`), pattern.source).to.equal(false);
      await yieldToEventLoop();
    }
    expect(testsWithin(exploding, 'a'.repeat(40))).to.equal(true);
    // One repetition, tried at each position of a long string.
    expect(testsWithin(/a+$/, `${'a'.repeat(900_000)}!`)).to.equal(false);
    expect(testsWithin(/^a+$/, 'a'.repeat(20_000))).to.equal(true);
    expect(testsWithin(/^[a-z]+$/g, 'a'.repeat(40))).to.equal(true);
  });

  it("hardening: many values that a schema's pattern takes long for are stopped together", async () => {
    const exploding = /^(a+)+$/;
    const match = (): boolean => testsWithin(exploding, `${'a'.repeat(400)}!`);
    await yieldToEventLoop();
    const { user } = process.cpuUsage();
    for (let n = 0; n < 30; n += 1) expect(match()).to.equal(false);
    expect((process.cpuUsage().user - user) / 1000).to.be.below(1000);
    await yieldToEventLoop();
    expect(testsWithin(exploding, 'a'.repeat(40))).to.equal(true);
  });

  it('hardening: the time in which a process does not run is none that a pattern takes', async () => {
    // Some milliseconds each, within the limit by far.
    const program = `
      import { testsWithin } from ${JSON.stringify(pathToFileURL(compiled('src/documents/validate/keywords.ts')))};
      const text = 'a'.repeat(1200) + '!';
      const match = () => testsWithin(/^(?:a*a*b|a*!)$/, text);
      match();
      console.log('began');
      const end = process.cpuUsage().user + 500_000;
      let refused = 0;
      while (process.cpuUsage().user < end) {
        if (!match()) refused += 1;
        await new Promise((resolve) => setImmediate(resolve));
      }
      console.log('refused ' + refused);
    `;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout.on('data', (text: Buffer) => {
      printed += String(text);
    });
    const ended = once(child, 'close');
    await once(child.stdout, 'data');
    for (const paused of Array<number>(10).fill(150)) {
      child.kill('SIGSTOP');
      await sleep(paused);
      child.kill('SIGCONT');
      await sleep(20);
    }
    await ended;
    expect(printed).to.equal('began\nrefused 0\n');
  });
});
