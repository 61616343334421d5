import { expect } from 'chai';
import { type OpenedWriter, openWriter } from '../concurrency/open.js';
import { OWNER, PAGE } from '../concurrency/shape.js';
import { type TestStore, testStore } from '../support/engine.js';

/** A publish by another process that happens between the two reads of a write: published entries first, then drafts. */
describe('a document that is published while it is being', () => {
  let opened: TestStore;
  let slow: OpenedWriter;
  let other: OpenedWriter;

  before(async () => {
    opened = await testStore();
    slow = await openWriter(opened.uri, opened.name);
    other = await openWriter(opened.uri, opened.name);
  });
  after(async () => {
    await slow?.close();
    await other?.close();
    await opened?.close();
  });
  afterEach(() => {
    slow.proxy.meddle = () => 0;
  });

  /** Runs `publish` when the published entries have been read, before the drafts are. */
  const betweenReads = (
    collection: string,
    isRead: (message: string) => boolean,
    publish: () => Promise<unknown>,
  ) => {
    let resolve = () => {};
    const publishedRead = new Promise<void>((done) => {
      resolve = done;
    });
    let done: Promise<unknown> | undefined;
    slow.proxy.meddle = async (message) => {
      const text = message.toString('latin1');
      if (done || !text.includes('find') || !text.includes(collection) || !isRead(text)) return 0;
      if (!text.includes(`${collection}.drafts`))
        return (answer) => {
          resolve();
          return answer;
        };
      await publishedRead;
      done ??= publish();
      await done;
      return 0;
    };
    return () => done !== undefined;
  };
  const versionsOf = async (collection: string, documentId: string) => {
    const read = (name: string) =>
      opened.store.db.collection(name).find({ documentId }).sort({ locale: 1 }).toArray();
    return { drafts: await read(`${collection}.drafts`), published: await read(collection) };
  };

  /** The versions of a draft that is published between the reads of `work`, afterwards. */
  const versionsAfter = async (work: (documentId: string) => Promise<unknown>) => {
    const owners = other.documents(OWNER);
    const documentId = String((await owners.create({ data: { title: 'a' } })).documentId);
    const happened = betweenReads(
      'owners',
      () => true,
      async () => owners.publish?.({ documentId }),
    );
    await work(documentId);
    expect(happened()).to.equal(true);
    return versionsOf('owners', documentId);
  };

  it('deleted is deleted completely', async () => {
    const left = await versionsAfter((documentId) => slow.documents(OWNER).delete({ documentId }));
    expect(left).to.deep.equal({ drafts: [], published: [] });
  });

  it('discarded keeps its draft', async () => {
    const { drafts, published } = await versionsAfter(async (documentId) =>
      slow.documents(OWNER).discardDraft?.({ documentId }),
    );
    expect([drafts.length, published.length]).to.deep.equal([1, 1]);
  });

  it('changed in another locale has its shared attributes', async () => {
    const pages = other.documents(PAGE);
    const made = await pages.create({ data: { title: 'a', kind: 'old' }, locale: 'en' });
    const documentId = String(made.documentId);
    await pages.update({ documentId, data: { title: 'b' }, locale: 'fr' });
    const happened = betweenReads(
      'pages',
      (text) => text.includes('$ne'),
      async () => pages.publish?.({ documentId, locale: 'fr' }),
    );
    await slow
      .documents(PAGE)
      .update({ documentId, data: { kind: 'new' }, locale: 'en', status: 'published' });
    expect(happened()).to.equal(true);
    const { drafts, published } = await versionsOf('pages', documentId);
    expect(drafts.map(({ kind }) => kind)).to.deep.equal(['new', 'new']);
    expect(published.map(({ kind }) => kind)).to.deep.equal(['new', 'new']);
  });

  it('deleted after a write that it waited for is deleted completely', async () => {
    const pages = other.documents(PAGE);
    const made = await pages.create({ data: { title: 'a' }, locale: 'en', status: 'published' });
    const documentId = String(made.documentId);
    const addFrench = (status: 'draft' | 'published') =>
      pages.update({ documentId, data: { title: 'b' }, locale: 'fr', status });
    await addFrench('draft');
    let reads = 0;
    slow.proxy.meddle = async (message) => {
      const text = message.toString('latin1');
      if (text.includes('find') && text.includes('pages.drafts') && !text.includes('$ne') && ++reads === 2)
        await addFrench('published');
      return 0;
    };
    const both = slow.documents(PAGE);
    await Promise.all([
      both.discardDraft?.({ documentId, locale: '*' }),
      both.delete({ documentId, locale: '*' }),
    ]);
    expect(reads).to.be.greaterThan(1);
    expect(await versionsOf('pages', documentId)).to.deep.equal({ drafts: [], published: [] });
  });
});
