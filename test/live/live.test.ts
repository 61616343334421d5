/** Live lists: what streams say, to whom, when, and what becomes of them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { until } from '../../packages/engine/test/support/until.js';
import type { ConfigOverrides } from '../../src/config/load.js';
import type { Documents } from '../../src/documents/types.js';
import { errors } from '../../src/errors.js';
import type { AppEvent } from '../../src/events/events.js';
import { Live, type LiveOptions } from '../../src/live/index.js';
import type { Project } from '../../src/project.js';
import { addEvents, changeEvent } from '../../src/store/outbox/outbox.js';
import { makeAccount } from '../support/accounts.js';
import { has } from '../support/engines/lacks.js';
import { send } from '../support/send.js';
import { startTestServer, type TestServer, type TestServerOptions } from '../support/test-server.js';
import { startProxy } from '../support/wire-proxy.js';
import { type Followed, follow } from './client.js';

const ARTICLE = 'api::article.article';
const CATEGORY = 'api::category.category';

describe('live lists', () => {
  before(function () {
    if (!has('change streams in the order of commits')) this.skip();
  });
  let server: TestServer;
  let recorded: AppEvent[];
  let token: string;
  const open: Followed[] = [];

  const start = async (
    overrides: ConfigOverrides = {},
    options: LiveOptions = {},
    more: TestServerOptions = {},
    documents: (project: Project) => Documents = (project) => project.documents,
  ): Promise<void> => {
    recorded = [];
    server = await startTestServer(overrides, {
      ...more,
      live: (project) =>
        new Live(
          { ...project, documents: documents(project), record: (event) => void recorded.push(event) },
          { every: 50, heartbeat: 300, ...options },
        ),
    });
    ({ key: token } = await server.project.access.tokens.create({ name: 'full', type: 'full-access' }));
  };
  const stop = async (): Promise<void> => {
    for (const one of open.splice(0)) one.close();
    await server.close();
  };
  const listen = async (path: string, options: Parameters<typeof follow>[1] = {}): Promise<Followed> => {
    const one = await follow(server.url + path, { token, ...options });
    open.push(one);
    return one;
  };
  const plain = async (path: string, as = token) => (await send(server.url, path, { token: as })).body;
  const documents = (uid: string) => server.project.documents(uid);
  const made = async (uid: string, data: object): Promise<string> =>
    String((await documents(uid).create({ data }))['documentId']);
  /** Waits until the client has what a plain read answers. */
  const isCurrent = async (client: Followed, path: string): Promise<void> => {
    const now = JSON.stringify(await plain(path));
    await client.has((answer) => JSON.stringify(answer) === now);
  };
  /** Ends all streams. */
  const nobody = async (): Promise<void> => {
    for (const one of open.splice(0)) one.close();
    await until(
      () => count('stream-closed') === count('stream-opened'),
      () => recorded.map(({ name }) => name),
    );
    recorded.length = 0;
  };
  const count = (name: AppEvent['name']): number => recorded.filter((event) => event.name === name).length;

  describe('on one server', () => {
    before(() => start());
    after(stop);

    it('begin with the whole answer, and tell what appears, changes, moves and disappears', async () => {
      const path = '/api/categories?sort=position&pagination[pageSize]=10';
      const client = await listen(path);
      await client.has((answer) => answer !== undefined);
      expect(client.headers).to.include({
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'private, no-store',
      });
      expect(client.names).to.deep.equal(['data']);
      expect(client.answer).to.deep.equal(await plain(path));
      const ids: string[] = [];
      for (const position of [1, 2, 3, 4, 5, 6]) {
        ids.push(await made(CATEGORY, { name: `C${position}`, position }));
        await isCurrent(client, path);
      }
      client.names.length = 0;
      await documents(CATEGORY).update({ documentId: ids[2] ?? '', data: { color: 'red' } });
      await isCurrent(client, path);
      await documents(CATEGORY).update({ documentId: ids[0] ?? '', data: { position: 10 } });
      await isCurrent(client, path);
      await documents(CATEGORY).update({ documentId: ids[5] ?? '', data: { position: 0 } });
      await isCurrent(client, path);
      await documents(CATEGORY).delete({ documentId: ids[3] ?? '' });
      await isCurrent(client, path);
      expect(client.names).to.deep.equal(['update', 'move', 'move', 'disappear', 'meta']);
    });

    it('are there for an entry and for a single type', async () => {
      const documentId = await made(ARTICLE, { title: 'One' });
      await documents(ARTICLE).publish?.({ documentId });
      const path = `/api/articles/${documentId}`;
      const client = await listen(path);
      await isCurrent(client, path);
      await documents(ARTICLE).update({ documentId, data: { title: 'Two' } });
      await documents(ARTICLE).publish?.({ documentId });
      await isCurrent(client, path);
      await documents(ARTICLE).unpublish?.({ documentId });
      await client.has((answer) => JSON.stringify(answer) === '{"data":null,"meta":{}}');
      await documents(ARTICLE).publish?.({ documentId });
      await isCurrent(client, path);
      expect((await listen('/api/articles/unknown')).status).to.equal(404);
      expect((await listen('/api/homepage')).status).to.equal(404);
      await made('api::homepage.homepage', { title: 'Home' });
      const draft = '/api/homepage?status=draft';
      const single = await listen(draft);
      await isCurrent(single, draft);
      await send(server.url, '/api/homepage', { method: 'PUT', token, body: { data: { title: 'New' } } });
      await isCurrent(single, draft);
      expect(single.answer).to.have.nested.property('data.title', 'New');
    });

    it('are refused as the plain read is', async () => {
      for (const [path, as] of [
        ['/api/categories?filters[nope]=1', token],
        ['/api/categories', 'unknown'],
        ['/api/reviews', undefined],
      ] as const) {
        const client = await listen(path, { token: as });
        const read = await send(server.url, path, as === undefined ? {} : { token: as });
        expect([client.status, client.answer], path).to.deep.equal([read.status, read.body]);
        expect(read.status).to.be.at.least(400);
      }
    });

    it('are only for clients that prefer them', async () => {
      for (const accept of ['*/*', 'application/json, text/event-stream;q=0.5', 'text/event-streams']) {
        const answer = await send(server.url, '/api/categories', { token, headers: { accept } });
        expect(answer.headers.get('content-type'), accept).to.equal('application/json; charset=utf-8');
      }
      const head = await fetch(`${server.url}/api/categories`, {
        method: 'HEAD',
        headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
      });
      expect([head.status, head.headers.get('content-type')]).to.deep.equal([
        200,
        'application/json; charset=utf-8',
      ]);
      const preferring = await listen('/api/categories', {
        headers: { accept: 'text/event-stream, application/json;q=0.9', 'if-none-match': '*' },
      });
      expect(preferring.headers['content-type']).to.equal('text/event-stream; charset=utf-8');
    });

    it('have the format that the client asks for', async () => {
      const headers = { 'strapi-response-format': 'v4' };
      const client = await listen('/api/categories', { headers });
      await client.has((answer) => answer !== undefined);
      await made(CATEGORY, { name: 'In v4' });
      const { body } = await send(server.url, '/api/categories', { token, headers });
      await client.has((answer) => JSON.stringify(answer) === JSON.stringify(body));
      expect(client.answer).to.have.nested.property('data[0].attributes');
    });

    it('send a sign of life when nothing happens', async () => {
      const client = await listen('/api/categories');
      await until(
        () => client.comments >= 3,
        () => client.comments,
      );
      expect(client.names).to.deep.equal(['data']);
    });

    it('are read once for all clients that see the same', async () => {
      await nobody();
      const path = '/api/categories?filters[name][$startsWith]=Many&sort=name';
      const clients = await Promise.all(Array.from({ length: 50 }, () => listen(path)));
      for (const client of clients) await isCurrent(client, path);
      recorded.length = 0;
      await made(CATEGORY, { name: 'Many 1' });
      for (const client of clients) await isCurrent(client, path);
      await sleep(100);
      const read = recorded.filter((event) => event.name === 'live-evaluated');
      expect(read.map((event) => event.count)).to.deep.equal([50]);
    });

    it('are not read for changes that cannot change them', async () => {
      const documentId = await made(ARTICLE, { title: 'Drafted' });
      const path = '/api/articles?populate=categories&locale=en';
      await nobody();
      const client = await listen(path);
      await isCurrent(client, path);
      recorded.length = 0;
      await documents(ARTICLE).update({ documentId, data: { title: 'Still a draft' } });
      await documents(ARTICLE).update({ documentId, locale: 'fr', data: { title: 'Brouillon' } });
      await documents('api::notice.notice')
        .create({ data: { text: 'Something else' } })
        .catch(() => null);
      await made(CATEGORY, { name: 'Read for this' });
      await until(
        () => count('live-evaluated') > 0,
        () => 'never read',
      );
      await sleep(200);
      expect(count('live-evaluated')).to.equal(1);
    });

    it('end without a trace when the client is gone', async () => {
      await nobody();
      const clients = await Promise.all(Array.from({ length: 5 }, () => listen('/api/categories')));
      for (const client of clients) client.close();
      await until(
        () => count('stream-closed') >= 5,
        () => recorded.map(({ name }) => name),
      );
      await made(CATEGORY, { name: 'Nobody looks' });
      await sleep(100);
      expect(count('live-told')).to.equal(0);
    });
  });

  describe('of callers', () => {
    before(() =>
      start({
        plugins: { usersPermissions: { jwtManagement: 'refresh' } },
      } as ConfigOverrides),
    );
    after(stop);
    const grant = async (type: string, grants: (now: readonly string[]) => readonly string[]) => {
      const { access } = server.project;
      const role = (await access.roles.byType(type))?.role;
      if (role) await access.roles.change(role, { grants: [...grants(role.grants)] });
    };
    const FIND = `${CATEGORY}.find`;

    it('end when a session, a token or a grant is gone', async () => {
      const { access } = server.project;
      await grant('authenticated', (now) => [...now, FIND]);
      await grant('public', (now) => [...now, FIND]);
      const user = await makeAccount(server.project, 'reader', 'authenticated');
      const { key } = await access.tokens.create({ name: 'short', type: 'read-only' });
      const path = '/api/categories';
      const [session, byToken, anybody] = [
        await listen(path, { token: user.key }),
        await listen(path, { token: key }),
        await listen(path, { token: undefined }),
      ];
      const ended = (one: Followed) =>
        until(
          () => one.ended,
          () => one.names,
        );
      for (const one of await access.sessions.list(user.user.id)) await access.sessions.end(one.sessionId);
      await ended(session);
      expect((await listen(path, { token: user.key })).status).to.equal(401);
      await access.tokens.revoke('short');
      await ended(byToken);
      expect((await listen(path, { token: key })).status).to.equal(401);
      expect(anybody.ended).to.equal(false);
      await grant('public', (now) => now.filter((one) => one !== FIND));
      await made(CATEGORY, { name: 'Not for the public' });
      await ended(anybody);
      expect(JSON.stringify(anybody.answer)).to.not.include('Not for the public');
      expect((await listen(path, { token: undefined })).status).to.equal(403);
    });

    it('show what the rules of the moment say, of each caller alone', async () => {
      const { access } = server.project;
      const at = `${CATEGORY}.find`;
      await access.roles.sync({
        painter: {
          permissions: [{ action: at, where: { color: '$caller.username' } }],
        },
      } as never);
      const [red, blue] = [
        await makeAccount(server.project, 'red', 'painter'),
        await makeAccount(server.project, 'blue', 'painter'),
      ];
      const path = '/api/categories?sort=name';
      const [one, other] = [await listen(path, { token: red.key }), await listen(path, { token: blue.key })];
      await made(CATEGORY, { name: 'A red one', color: 'red' });
      const blues = await made(CATEGORY, { name: 'A blue one', color: 'blue' });
      const names = (client: Followed) =>
        ((client.answer as { data: { name: string }[] } | undefined)?.data ?? []).map(({ name }) => name);
      await one.has(() => names(one).join() === 'A red one');
      await other.has(() => names(other).join() === 'A blue one');
      await documents(CATEGORY).update({ documentId: blues, data: { color: 'red' } });
      await one.has(() => names(one).join() === 'A blue one,A red one');
      await other.has(() => names(other).length === 0);
      await access.roles.sync({ painter: { permissions: [at] } } as never);
      await other.has(() => names(other).includes('A red one'));
    });
  });

  describe('on servers of their own', () => {
    afterEach(stop);

    it('go on after a restart of the server, with what the client has missed', async () => {
      const path = '/api/categories?sort=name';
      await start();
      await made(CATEGORY, { name: 'B' });
      const before = await listen(path);
      await isCurrent(before, path);
      // Another process of the same project.
      const second = await startTestServer({}, { beside: server });
      const again = async () => {
        const { answer, lastEventId } = before;
        const one = await follow(second.url + path, { token, answer, lastEventId });
        open.push(one);
        return one;
      };
      const same = await again();
      await until(
        () => same.comments > 0,
        () => same.comments,
      );
      before.close();
      await made(CATEGORY, { name: 'A' });
      await isCurrent(same, path);
      expect(same.names).to.not.include('data').and.not.include('reset');
      const missed = await again();
      await isCurrent(missed, path);
      expect(missed.names[0]).to.equal('reset');
      const lost = await follow(second.url + path, { token, answer: before.answer, lastEventId: 'unknown' });
      open.push(lost);
      await isCurrent(lost, path);
      expect(lost.names[0]).to.equal('reset');
      for (const one of open.splice(0)) one.close();
      await second.close();
    });

    it('give a client that reads slowly the whole answer when it has read', async () => {
      await start({}, { every: 100 });
      const UPDATES = 22;
      const text = 'x'.repeat(300_000);
      const ids: string[] = [];
      for (const n of [1, 2])
        ids.push(
          await made('api::review.review', { title: `Review ${n}`, body: text, score: n, flag: true }),
        );
      const path = '/api/reviews?status=draft&sort=score';
      const [slow, fast] = [await listen(path), await listen(path)];
      await isCurrent(slow, path);
      slow.pause();
      for (let n = 0; n < UPDATES; n++) {
        const documentId = ids[n % 2] ?? '';
        await documents('api::review.review').update({ documentId, data: { body: `${n} ${text}` } });
        await fast.has((answer) => JSON.stringify(answer).includes(`"${n} xxx`));
      }
      await isCurrent(fast, path);
      slow.resume();
      await isCurrent(slow, path);
      expect(slow.names.filter((name) => name === 'update').length).to.be.below(UPDATES);
      expect(slow.names).to.include('reset');
      expect(fast.names).to.not.include('reset');
    });

    it('are limited, by caller and altogether', async () => {
      await start({ live: { maxStreams: 3, maxPerCaller: 2 }, server: { proxy: true } } as ConfigOverrides);
      const from = (ip: string) => listen('/api/categories', { headers: { 'x-forwarded-for': ip } });
      const [first] = [await from('10.0.0.1'), await from('10.0.0.1')];
      const third = await from('10.0.0.1');
      expect([third.status, third.headers['x-error-code']]).to.deep.equal([429, 'too-many-streams']);
      await from('10.0.0.2');
      const fifth = await from('10.0.0.3');
      expect([fifth.status, fifth.headers['x-error-code'], fifth.headers['retry-after']]).to.deep.equal([
        503,
        'streams-exhausted',
        '5',
      ]);
      first?.close();
      await until(
        async () => (await from('10.0.0.1')).status === 200,
        () => 'still refused',
      );
    });

    it('are told apart from answers that caches keep', async () => {
      const roles = { public: [`${CATEGORY}.find`] };
      await start({
        roles,
        rest: { etags: true, cacheControl: { [`${CATEGORY}.find`]: { public: 'max-age=60' } } },
      } as ConfigOverrides);
      const path = '/api/categories';
      const kept = await send(server.url, path);
      expect(kept.headers.get('cache-control')).to.equal('max-age=60');
      expect(kept.headers.get('vary')).to.match(/\bAccept\b(?!-)/);
      const client = await listen(path, { token: undefined });
      expect([
        client.headers['content-type'],
        client.headers['cache-control'],
        client.headers['etag'],
      ]).to.deep.equal(['text/event-stream; charset=utf-8', 'private, no-store', undefined]);
      await made(CATEGORY, { name: 'Kept by nobody' });
      await client.has((answer) => JSON.stringify(answer).includes('Kept by nobody'));
    });

    it('miss nothing while the database is away, and see what an import has replaced', async () => {
      const direct = await startTestServer();
      const proxy = await startProxy(direct.project.databaseUri);
      try {
        await start({}, {}, { beside: direct, databaseUri: proxy.uri });
        const path = '/api/categories?sort=name';
        const client = await listen(path);
        await isCurrent(client, path);
        const { documents: elsewhere, store } = direct.project;
        proxy.meddle = () => 'cut before';
        proxy.cutAll();
        await elsewhere(CATEGORY).create({ data: { name: 'Written meanwhile' } });
        await sleep(300);
        proxy.meddle = () => 0;
        await client.has((answer) => JSON.stringify(answer).includes('Written meanwhile'), 30_000);
        expect(client.ended).to.equal(false);
        await store.db.collection('categories').updateMany({}, { $set: { name: 'Imported' } });
        const replaced = { event: 'entries.replace', documentId: null, locale: null, id: 0 } as const;
        await addEvents(
          store.db,
          [changeEvent({ ...replaced, uid: CATEGORY, by: { kind: 'import' } })],
          null,
        );
        await client.has((answer) => JSON.stringify(answer).includes('Imported'));
      } finally {
        await stop();
        await proxy.close();
        await direct.close();
        await start();
      }
    });

    it('stay while a read takes too long, and end when it is refused for good', async () => {
      const late = errors.application('query-timed-out', 'The query took longer than 5 ms and was stopped');
      const gone = errors.notFound();
      let failure: Error | null = null;
      const failing = ({ documents: own }: Project): Documents => {
        const of = (uid: string) => {
          const service = own(uid);
          const forRequest: typeof service.forRequest = (given) =>
            failure
              ? Object.assign(Object.create(service.forRequest(given)), {
                  readJson: () => Promise.reject(failure),
                })
              : service.forRequest(given);
          return Object.assign(Object.create(service), { forRequest });
        };
        return Object.assign(of, own) as Documents;
      };
      await start({}, {}, {}, failing);
      const path = '/api/categories?sort=name';
      const client = await listen(path);
      await isCurrent(client, path);
      failure = late;
      await made(CATEGORY, { name: 'Too slow' });
      await until(
        () => count('live-interrupted') > 1,
        () => count('live-interrupted'),
      );
      expect(client.ended).to.equal(false);
      failure = null;
      await isCurrent(client, path);
      expect(client.names).to.deep.equal(['data', 'reset']);
      failure = gone;
      await made(CATEGORY, { name: 'Gone' });
      await until(
        () => client.ended,
        () => client.names,
      );
    });

    it('do not count as requests of their address', async () => {
      await start({ server: { maxPerAddress: 2, requestMs: 3000 } } as ConfigOverrides);
      for (let n = 0; n < 5; n++) await listen('/api/categories');
      expect((await send(server.url, '/api/categories', { token })).status).to.equal(200);
      await sleep(3500);
      await made(CATEGORY, { name: 'After the time limit of a request' });
      for (const one of open) await isCurrent(one, '/api/categories');
    });

    it('end when the server stops', async () => {
      await start();
      const client = await listen('/api/categories');
      await isCurrent(client, '/api/categories');
      await server.project.live.close();
      const began = performance.now();
      await server.close();
      expect(performance.now() - began).to.be.below(5000);
      await until(
        () => client.ended,
        () => 'open',
      );
      await start();
    });

    it('are not offered where code or an older version makes the answer', async () => {
      await start({ rest: { compat: 'v4' } } as ConfigOverrides);
      const client = await listen('/api/categories');
      expect([client.status, client.headers['x-error-code']]).to.deep.equal([406, 'live-not-available']);
      expect((await listen('/api/categories', { headers: { accept: '*/*' } })).status).to.equal(200);
    });
  });
});
