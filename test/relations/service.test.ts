import { expect } from 'chai';
import type { Documents } from '../../src/documents/types.js';
import { type TestDocuments, testDocuments } from '../support/documents.js';
import { AUTHOR, BOOK, COVER, library, TAG } from '../support/versions-schema.js';

type Status = 'draft' | 'published';

describe('relations through the Document Service', () => {
  let opened: TestDocuments;
  let documents: Documents;
  before(async () => {
    opened = await testDocuments(library());
    documents = opened.documents;
  });
  after(() => opened.close());

  const make = async (uid: string, data: object, status: Status = 'published'): Promise<string> =>
    String((await documents(uid).create({ data, status }))['documentId']);
  const update = (uid: string, documentId: string, data: object, status: Status = 'published') =>
    documents(uid).update({ documentId, data, status });
  const publish = (uid: string, documentId: string) => documents(uid).publish?.({ documentId });

  /** Titles or names of a relation's targets. */
  const shown = async (uid: string, documentId: string, name: string, status: Status): Promise<string[]> => {
    const entry = await documents(uid).findOne({ documentId, populate: [name], status });
    const value = entry?.[name];
    const list = (Array.isArray(value) ? value : value ? [value] : []) as { title?: string; name?: string }[];
    return list.map((target) => target.title ?? target.name ?? '');
  };

  it('connects next to a target that is disconnected at the same time, from both ends', async () => {
    const [red, blue] = [await make(TAG, { name: 'pink' }), await make(TAG, { name: 'grey' })];
    const green = await make(TAG, { name: 'lime' });
    const book = await make(BOOK, { title: 'book', tags: [red, blue] });
    await update(BOOK, book, {
      tags: { connect: [{ documentId: green, position: { before: red } }], disconnect: [red] },
    });
    expect(await shown(BOOK, book, 'tags', 'published')).to.deep.equal(['lime', 'grey']);
    const other = await make(BOOK, { title: 'other' });
    const position = { before: book, start: true };
    await update(TAG, blue, {
      books: { connect: [{ documentId: other, position }], disconnect: [book] },
    });
    expect(await shown(TAG, blue, 'books', 'draft')).to.deep.equal(['other']);
    expect(await shown(BOOK, book, 'tags', 'published')).to.deep.equal(['lime']);
  });

  it('reads the same from both ends, each in its own order', async () => {
    const [red, blue] = [await make(TAG, { name: 'red' }), await make(TAG, { name: 'blue' })];
    const one = await make(BOOK, { title: 'one', tags: [blue, red] });
    const two = await make(BOOK, { title: 'two', tags: [red] });
    for (const status of ['draft', 'published'] as const) {
      expect(await shown(BOOK, one, 'tags', status)).to.deep.equal(['blue', 'red']);
      expect(await shown(TAG, red, 'books', status)).to.deep.equal(['one', 'two']);
    }
    await update(TAG, red, { books: { connect: [{ documentId: two, position: { before: one } }] } });
    for (const status of ['draft', 'published'] as const) {
      expect(await shown(TAG, red, 'books', status)).to.deep.equal(['two', 'one']);
      expect(await shown(BOOK, one, 'tags', status)).to.deep.equal(['blue', 'red']);
    }
    await publish(BOOK, one);
    await publish(BOOK, two);
    expect(await shown(TAG, red, 'books', 'published'), 'after publishing again').to.deep.equal([
      'two',
      'one',
    ]);
    await update(BOOK, one, { tags: { disconnect: [red] } });
    await update(BOOK, one, { tags: { connect: [red] } });
    await update(BOOK, two, { tags: { disconnect: [red] } }, 'draft');
    await update(BOOK, two, { tags: { connect: [red] } }, 'draft');
    expect(await shown(TAG, red, 'books', 'draft'), 'connected again: at the end').to.deep.equal([
      'one',
      'two',
    ]);
    expect(await shown(TAG, red, 'books', 'published')).to.deep.equal(['two', 'one']);
  });

  it('writes an inverse list into the drafts, and into the published owners on publish', async () => {
    const [a, b, c] = [
      await make(BOOK, { title: 'a' }),
      await make(BOOK, { title: 'b' }),
      await make(BOOK, { title: 'c' }),
    ];
    const author = await make(AUTHOR, { name: 'ann', books: [a, b] });
    expect(await shown(AUTHOR, author, 'books', 'published')).to.deep.equal(['a', 'b']);
    await update(
      AUTHOR,
      author,
      { books: { connect: [{ documentId: c, position: { start: true } }], disconnect: [a] } },
      'draft',
    );
    expect(await shown(AUTHOR, author, 'books', 'draft')).to.deep.equal(['c', 'b']);
    expect(await shown(AUTHOR, author, 'books', 'published')).to.deep.equal(['a', 'b']);
    expect(await shown(BOOK, c, 'author', 'draft')).to.deep.equal(['ann']);
    expect(await shown(BOOK, c, 'author', 'published')).to.deep.equal([]);
    await publish(AUTHOR, author);
    expect(await shown(AUTHOR, author, 'books', 'published')).to.deep.equal(['c', 'b']);
    expect(await shown(BOOK, a, 'author', 'published')).to.deep.equal([]);
    await update(AUTHOR, author, { books: [b, c] });
    expect(await shown(AUTHOR, author, 'books', 'published')).to.deep.equal(['b', 'c']);
  });

  it("publishes the owner's current value, not what the inverse side wrote earlier", async () => {
    const book = await make(BOOK, { title: 'moving' });
    const [ann, bob] = [await make(AUTHOR, { name: 'ann' }), await make(AUTHOR, { name: 'bob' })];
    await update(AUTHOR, ann, { books: [book] }, 'draft');
    await update(BOOK, book, { author: bob });
    await publish(AUTHOR, ann);
    for (const status of ['draft', 'published'] as const)
      expect(await shown(BOOK, book, 'author', status)).to.deep.equal(['bob']);
  });

  it('reverts an inverse list when the draft is discarded', async () => {
    const book = await make(BOOK, { title: 'kept' });
    const author = await make(AUTHOR, { name: 'kim', books: [book] });
    await update(AUTHOR, author, { books: [] }, 'draft');
    expect(await shown(AUTHOR, author, 'books', 'draft')).to.deep.equal([]);
    await documents(AUTHOR).discardDraft?.({ documentId: author });
    expect(await shown(AUTHOR, author, 'books', 'draft')).to.deep.equal(['kept']);
  });

  it('one-to-one: linking a target takes it from its previous owner, in both versions', async () => {
    const cover = await make(COVER, { name: 'hard' });
    const first = await make(BOOK, { title: 'first', cover });
    const second = await make(BOOK, { title: 'second' });
    await update(BOOK, second, { cover }, 'draft');
    expect(await shown(COVER, cover, 'book', 'draft')).to.deep.equal(['second']);
    expect(await shown(COVER, cover, 'book', 'published')).to.deep.equal(['first']);
    await publish(BOOK, second);
    expect(await shown(COVER, cover, 'book', 'published')).to.deep.equal(['second']);
    expect(await shown(BOOK, first, 'cover', 'published')).to.deep.equal([]);
    await update(COVER, cover, { book: first });
    for (const status of ['draft', 'published'] as const) {
      expect(await shown(BOOK, first, 'cover', status)).to.deep.equal(['hard']);
      expect(await shown(BOOK, second, 'cover', status)).to.deep.equal([]);
    }
    await update(BOOK, second, { cover }, 'draft');
    await documents(BOOK).discardDraft?.({ documentId: first });
    expect(await shown(BOOK, first, 'cover', 'draft'), 'taken back').to.deep.equal(['hard']);
    expect(await shown(BOOK, second, 'cover', 'draft')).to.deep.equal([]);
    await update(COVER, cover, { book: null });
    expect(await shown(BOOK, first, 'cover', 'published')).to.deep.equal([]);
  });

  it('a self relation reads from both ends', async () => {
    const one = await make(BOOK, { title: 'part one' });
    const two = await make(BOOK, { title: 'part two', prequel: one });
    for (const status of ['draft', 'published'] as const) {
      expect(await shown(BOOK, one, 'sequel', status)).to.deep.equal(['part two']);
      expect(await shown(BOOK, two, 'prequel', status)).to.deep.equal(['part one']);
    }
    await update(BOOK, one, { sequel: one });
    expect(await shown(BOOK, one, 'prequel', 'published'), 'its own sequel').to.deep.equal(['part one']);
    expect(await shown(BOOK, two, 'prequel', 'published')).to.deep.equal([]);
    await update(BOOK, one, { sequel: null, prequel: one });
    expect(await shown(BOOK, one, 'sequel', 'published'), 'both ends in one write').to.deep.equal([
      'part one',
    ]);
  });

  it('polymorphic relations read from both ends', async () => {
    const tag = await make(TAG, { name: 'myth' });
    const author = await make(AUTHOR, { name: 'ovid' });
    const about = [
      { __type: AUTHOR, documentId: author },
      { __type: TAG, documentId: tag },
    ];
    const book = await make(BOOK, { title: 'poly', about });
    const types = async (): Promise<unknown> => {
      const entry = await documents(BOOK).findOne({
        documentId: book,
        populate: ['about'],
        status: 'published',
      });
      return ((entry?.['about'] ?? []) as { __type: string }[]).map(({ __type }) => __type);
    };
    expect(await types()).to.deep.equal([AUTHOR, TAG]);
    await update(BOOK, book, { about: { disconnect: [{ __type: AUTHOR, documentId: author }] } });
    expect(await types()).to.deep.equal([TAG]);
    await update(TAG, tag, { mentions: [] });
    expect(await types()).to.deep.equal([]);
    await update(TAG, tag, { mentions: { connect: [book] } });
    expect(await types()).to.deep.equal([TAG]);
  });

  it('an unpublished target appears as soon as it is published, and a deleted one disappears', async () => {
    const author = await make(AUTHOR, { name: 'late' }, 'draft');
    const book = await make(BOOK, { title: 'early', author });
    expect(await shown(BOOK, book, 'author', 'published')).to.deep.equal([]);
    await publish(AUTHOR, author);
    expect(await shown(BOOK, book, 'author', 'published')).to.deep.equal(['late']);
    await documents(AUTHOR).delete({ documentId: author });
    for (const status of ['draft', 'published'] as const)
      expect(await shown(BOOK, book, 'author', status)).to.deep.equal([]);
  });

  it('reports targets that do not exist together with all other errors', async () => {
    const refused = (data: object) =>
      make(BOOK, data).then(
        () => 'taken',
        (error: Error) => error.message,
      );
    expect(await refused({ title: 'x', author: 'z'.repeat(24) })).to.equal(
      `Document with id "${'z'.repeat(24)}", locale "null" not found`,
    );
    expect(await refused({ title: 'x', author: 99999 })).to.equal(
      '1 relation(s) of type api::author.author associated with this entity do not exist',
    );
    expect(await refused({ title: 5, tags: [99998, 99999, 99999] })).to.equal('2 errors occurred');
    expect(await refused({ title: 'x', tags: { disconnect: [99999] } })).to.equal('taken');
  });

  it('reports a target that does not exist even if the document to be updated does not', async () => {
    const target = 'z'.repeat(24);
    const updated = (data: object) =>
      update(BOOK, 'y'.repeat(24), data).catch((error: Error) => error.message);
    expect(await updated({ title: 'x', author: target })).to.equal(
      `Document with id "${target}", locale "null" not found`,
    );
    expect(await updated({ title: 5, author: 99999 })).to.equal(null);
  });
});
