/** `mangrove explain --write` runs a write as the server does, prints what it would send, and stores nothing. */
import { EJSON } from 'bson';
import { expect } from 'chai';
import { explainWrite, type WriteExplanation } from '../../src/describe/explain-write.js';
import type { RawObject } from '../../src/query/ast.js';
import { textQuery } from '../../src/query/query.js';
import { detectDeployment } from '../../src/store/connection/deployment.js';
import { settled } from '../support/engine.js';
import { everything } from '../support/reading.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const MEMO = 'api::memo.memo';
const ARTICLE = 'api::article.article';
const STEPS = ['check', 'plan', 'resolve', 'validate', 'build', 'commit', 'show'];

describe('explain --write', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  const explain = (url: string, body: unknown): Promise<WriteExplanation> =>
    explainWrite(url, body, { ...server.project, caller: everything });

  /** Everything in the database, as a string. */
  const content = async (): Promise<string> => {
    const { db } = server.project.store;
    await settled(server.project.store);
    const names = (await db.listCollections().toArray()).map(({ name }) => name).sort();
    const rows = await Promise.all(
      names.map((name) => db.collection(name).find().sort({ _id: 1 }).toArray()),
    );
    return EJSON.stringify(names.map((name, at) => [name, rows[at]]));
  };

  /** What differs from one write to the next. */
  const comparable = (entry: unknown): RawObject => {
    const { _id, _rev, id, documentId, createdAt, updatedAt, publishedAt, ...rest } = entry as RawObject;
    return JSON.parse(JSON.stringify(rest));
  };

  const writes: readonly (readonly [uid: string, route: string, data: object])[] = [
    [MEMO, 'memos', { title: 'dry' }],
    [ARTICLE, 'articles?status=draft', { title: 'A draft' }],
    [ARTICLE, 'articles', { title: 'Published' }],
  ];
  for (const [uid, url, data] of writes)
    it(`POST ${url}: builds what the server builds, and stores nothing`, async () => {
      const before = await content();
      const { method, versions, commands, answer, timings, refused } = await explain(`/api/${url}`, { data });
      expect([method, refused]).to.deep.equal(['POST', null]);
      expect(await content()).to.equal(before);
      const done = await server.project
        .documents(uid)
        .forRequest({ query: textQuery(url.split('?')[1] ?? ''), caller: everything, data })
        .create();
      const { db } = server.project.store;
      const names = new Set(commands.map((command) => /"([^"]+)"/.exec(command)?.[1] ?? ''));
      const stored = await Promise.all(
        versions.map(async ({ entry }, at) => {
          const type = server.project.schema.contentTypes.get(uid);
          const name = `${type?.collectionName}${at === 0 && type?.draftAndPublish ? '.drafts' : ''}`;
          expect(names).to.include(name);
          const row = await db.collection(name).findOne({ documentId: done.data?.['documentId'] });
          return [comparable(entry), comparable(row)];
        }),
      );
      for (const [planned, made] of stored) expect(planned).to.deep.equal(made);
      expect(Object.keys(answer as object)).to.deep.equal(Object.keys(done.data ?? {}));
      expect([...names].at(-1)).to.equal('mangrove.outbox');
      // Without transactions the change may be published already, when another process completes the write.
      expect(commands.at(-1)).to.include(
        (await detectDeployment(db)) === 'standalone' ? '$setOnInsert' : 'insertOne',
      );
      const steps = timings.map(([name]) => name).filter((name) => !name.startsWith('query'));
      expect([...new Set(steps)]).to.deep.equal(STEPS);
    });

  it('PUT prints the links, their targets, and how a populated response is read', async () => {
    const { documents } = server.project;
    const person = await documents('api::person.person').create({ data: { name: 'Linked' } });
    const { documentId } = await documents(ARTICLE).create({ data: { title: 'Before' } });
    const before = await content();
    const body = { data: { title: 'After', author: person['documentId'] } };
    const url = `/api/articles/${documentId}?status=draft&populate=author`;
    const { method, versions, commands, answer, reads } = await explain(url, body);
    expect(await content()).to.equal(before);
    expect([method, answer, versions.length]).to.deep.equal(['PUT', null, 1]);
    expect(versions[0]?.plan).to.have.nested.property('root.links.author.kind', 'set');
    expect(versions[0]?.targets).to.have.length(1);
    expect(versions[0]?.targets[0]).to.include({ found: person['documentId'] });
    expect(versions[0]?.entry).to.include({ title: 'After', author: person['documentId'] });
    // Unchanged fields are not sent.
    expect(commands.join('\n')).to.include('updateOne').and.include('After').and.not.include('createdAt');
    expect(reads.join('\n')).to.include(`"${documentId}"`).and.include('articles.drafts');
  });

  const refusals: readonly (readonly [string, string, unknown, number, string])[] = [
    ['a query', 'memos?populate=nope', { data: { title: 'x' } }, 400, 'Invalid key nope'],
    ['no data', 'memos', {}, 400, 'Missing "data" payload in the request body'],
    ['a key', 'memos', { data: { nope: 1 } }, 400, 'Invalid key nope'],
    ['no such document', 'memos/none', { data: { title: 'x' } }, 404, 'Not Found'],
    ['a value', 'memos', { data: { title: 7 } }, 400, 'title must be a `string` type'],
    [
      'a value that another entry has',
      'memos',
      { data: { title: 'taken' } },
      400,
      'This attribute must be unique',
    ],
  ];
  for (const [name, url, body, status, message] of refusals)
    it(`fails as the server does: ${name}`, async () => {
      if (name.endsWith('has')) await server.project.documents(MEMO).create({ data: { title: 'taken' } });
      const before = await content();
      const { refused, commands } = await explain(`/api/${url}`, body);
      expect(refused?.status).to.equal(status);
      expect(refused?.message).to.include(message);
      expect(commands).to.deep.equal([]);
      expect(await content()).to.equal(before);
    });

  it('hides passwords', async () => {
    const data = { name: 'x', secret: 'open sesame' };
    const { versions, commands } = await explain('/api/restaurants?status=draft', { data });
    expect(versions[0]?.plan).to.have.nested.property('root.values.secret', '(a password)');
    expect(JSON.stringify([versions, commands])).to.not.include('sesame');
  });
});
