/** `mangrove history` and `mangrove erase`, on an engine in its own folder. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openProject } from '../../src/project.js';
import { IDEMPOTENCY_KEYS } from '../../src/store/entries/idempotency-keys.js';
import { DELIVERIES } from '../../src/store/webhooks/deliveries.js';
import { mangrove as command } from '../support/run-command.js';
import { writeFiles } from '../support/write-files.js';
import { ARTICLE, FILES, TAG } from './library.js';

describe('cli: history and erase', function () {
  this.timeout(180_000);
  let root: string;
  let given: string | undefined;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-cli-'));
    await writeFiles(
      root,
      Object.fromEntries(FILES.map((file) => [`content-types/${file.file}`, file.content])),
    );
    given = process.env['MONGODB_URI'];
    delete process.env['MONGODB_URI'];
  });
  after(async () => {
    if (given !== undefined) process.env['MONGODB_URI'] = given;
    await rm(root, { recursive: true });
  });
  const mangrove = (...args: readonly string[]) => command('--root', root, ...args);
  const json = async (...args: readonly string[]) => {
    const { status, stdout, stderr } = await mangrove('--json', ...args);
    expect(status, stderr).to.equal(0);
    return JSON.parse(stdout);
  };
  /** An article with three changes. */
  const article = async (): Promise<string> => {
    const project = await openProject({ root });
    const articles = project.documents(ARTICLE);
    const documentId = String((await articles.create({ data: { title: 'one' } })).documentId);
    await articles.update({ documentId, data: { title: 'two', views: 3 }, status: 'published' });
    await articles.unpublish?.({ documentId });
    await project.close();
    return documentId;
  };
  const countOf = async (documentId: string): Promise<readonly number[]> => {
    const { store, close } = await openProject({ root });
    const names = ['articles', 'articles.drafts', 'articles.history'];
    const counts = await Promise.all(
      names.map((name) => store.db.collection(name).countDocuments({ documentId })),
    );
    await close();
    return counts;
  };

  /** Two deliveries of a webhook, one of which has ended, and an answer that is kept for a key. */
  const keepCopies = async (documentId: string): Promise<void> => {
    const { store, close } = await openProject({ root });
    const entry = { id: 1, documentId, title: 'two' };
    const of = { document: `${ARTICLE}/${documentId}`, uid: ARTICLE, documentId };
    await store.db.collection<{ _id: string }>(DELIVERIES).insertMany(
      [null, new Date()].map((endedAt, at) => ({
        ...{ _id: `${at}`, ...of, endedAt, n: at, endpoint: 'site', state: 'pending' },
        payload: JSON.stringify({ event: 'entry.update', entry }),
      })),
    );
    await store.db
      .collection<{ _id: string; documentId: string; answer: object }>(IDEMPOTENCY_KEYS)
      .insertOne({ _id: 'key', documentId, answer: { body: JSON.stringify(entry) } });
    await close();
  };
  const copiesOf = async (): Promise<object> => {
    const { store, close } = await openProject({ root });
    const deliveries = await store.db.collection(DELIVERIES).find().toArray();
    const answers = await store.db.collection(IDEMPOTENCY_KEYS).countDocuments({ answer: { $exists: true } });
    await close();
    return { payloads: deliveries.map(({ payload }) => JSON.parse(payload)), answers };
  };

  it('history: shows what was changed, the newest first', async () => {
    const id = await article();
    const changes = await json('history', 'article', id);
    expect(
      changes.map(({ cause, status, attributes }: Record<string, never>) => [
        cause?.['event'],
        cause?.['by'],
        status,
        attributes,
      ]),
    ).to.deep.equal([
      ['entry.unpublish', { kind: 'script' }, 'published', []],
      ['entry.publish', { kind: 'script' }, 'published', ['title', 'views']],
      ['entry.update', { kind: 'script' }, 'draft', ['title', 'views']],
      ['entry.create', { kind: 'script' }, 'draft', ['title']],
    ]);
    const { stdout } = await mangrove('history', ARTICLE, id, '--limit', '2');
    expect(stdout.trim().split('\n')).to.have.length(3);
    expect(stdout)
      .to.match(/^at\s+event\s+by\s+documentId/)
      .and.include('entry.unpublish');
    expect((await mangrove('history', 'articel')).stderr).to.include('did you mean "article"?');
    const without = await mangrove('history', 'tag');
    expect([without.status, without.stderr]).to.deep.equal([
      1,
      `${TAG} keeps no versions: its schema file has no options.history\n`,
    ]);
    expect((await mangrove('history', 'article', '--limit', 'x')).status).to.equal(2);
  });

  it('erase: deletes a document with its versions, or those before the current', async () => {
    const [first, second] = [await article(), await article()];
    await keepCopies(first);
    expect(await countOf(first)).to.deep.equal([0, 1, 3]);
    expect(await json('erase', 'article', first, '--dry-run')).to.deep.include({ entries: 1, copies: 3 });
    expect(await countOf(first)).to.deep.equal([0, 1, 3]);
    expect(await json('erase', 'article', first, '--past')).to.deep.include({
      ...{ entries: 0, versions: 2, copies: 3 },
    });
    expect(await countOf(first)).to.deep.equal([0, 1, 1]);
    expect(await json('erase', 'article', first)).to.deep.include({ entries: 1, versions: 1 });
    expect(await countOf(first)).to.deep.equal([0, 0, 0]);
    expect(await copiesOf()).to.deep.equal({
      payloads: [{ event: 'entry.update', entry: { id: 1, documentId: first } }],
      answers: 0,
    });
    expect(await countOf(second), 'another document').to.deep.equal([0, 1, 3]);
    const gone = await mangrove('erase', 'article', first);
    expect([gone.status, gone.stderr]).to.deep.equal([1, `Nothing is stored of ${ARTICLE} ${first}\n`]);
  });

  it('erase: also types that keep no versions', async () => {
    const project = await openProject({ root });
    const documentId = String((await project.documents(TAG).create({ data: { name: 'x' } })).documentId);
    await project.close();
    expect((await mangrove('erase', 'tag', documentId, '--past')).status).to.equal(1);
    expect(await json('erase', 'tag', documentId)).to.deep.include({ entries: 1, versions: 0 });
  });
});
