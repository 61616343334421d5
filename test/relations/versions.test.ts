/** A relation in a call applies however it identifies the documents, and whatever the other version contains. */
import { expect } from 'chai';
import type { Documents } from '../../src/documents/types.js';
import { type TestDocuments, testDocuments } from '../support/documents.js';
import { componentFile, schemaOf, typeFile } from '../support/schemas.js';

const relation = (kind: string, target: string, more: object = {}) => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
  ...more,
});
const schema = schemaOf(
  componentFile('part.seo', { home: relation('oneToOne', 'page') }),
  typeFile(
    'page',
    {
      title: { type: 'string' },
      similar: relation('oneToMany', 'page'),
      seo: { type: 'component', component: 'part.seo' },
    },
    { draftAndPublish: true, localized: true },
  ),
  typeFile(
    'book',
    {
      title: { type: 'string' },
      pages: relation('oneToMany', 'page'),
      writer: relation('manyToOne', 'writer', { inversedBy: 'books' }),
      tags: relation('manyToMany', 'tag', { inversedBy: 'books' }),
    },
    { draftAndPublish: true },
  ),
  typeFile(
    'writer',
    { title: { type: 'string' }, books: relation('oneToMany', 'book', { mappedBy: 'writer' }) },
    { draftAndPublish: true },
  ),
  typeFile('tag', { books: relation('manyToMany', 'book', { mappedBy: 'tags' }) }),
);
const PAGE = 'api::page.page';
const BOOK = 'api::book.book';
const WRITER = 'api::writer.writer';
const TAG = 'api::tag.tag';

type Status = 'draft' | 'published';

describe('identified relations through the Document Service', () => {
  let opened: TestDocuments;
  let documents: Documents;
  before(async () => {
    opened = await testDocuments(schema);
    documents = opened.documents;
  });
  after(() => opened.close());

  const make = async (uid: string, documentId: string, data: object = {}): Promise<number> => {
    const made = await documents(uid).create({ data: { ...data, documentId }, status: 'published' });
    return Number(made['id']);
  };
  const update = (uid: string, documentId: string, data: object, status: Status = 'draft', locale = 'en') =>
    documents(uid).update({ documentId, data, status, locale });
  const shown = async (uid: string, documentId: string, name: string, status: Status): Promise<unknown[]> => {
    const entry = await documents(uid).findOne({ documentId, status, populate: [name] });
    const value = entry?.[name] ?? [];
    return (Array.isArray(value) ? value : [value]).map((target) => target.documentId);
  };
  const refusal = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => null,
      ({ message }) => message,
    );

  it('a numeric id identifies its document, which must exist in the locale (rules F.3)', async () => {
    const one = await make(PAGE, 'one');
    await make(PAGE, 'two');
    const french = await update(PAGE, 'two', {}, 'draft', 'fr');
    expect(await refusal(update(PAGE, 'two', { similar: [one] }, 'draft', 'fr'))).to.equal(
      'Document with id "one", locale "fr" not found',
    );
    await update(PAGE, 'one', { similar: [french?.['id']] });
    expect(await shown(PAGE, 'one', 'similar', 'draft')).to.deep.equal(['two']);
  });

  it('messages show the linked entry, whichever version was given (rules F.2)', async () => {
    await make(BOOK, 'messages');
    const [first, second] = [await make(PAGE, 'first'), await make(PAGE, 'second')];
    const draftOf = async (documentId: string) => (await documents(PAGE).findOne({ documentId }))?.['id'];
    const pages = { connect: [{ id: first, position: { before: second } }] };
    expect(await refusal(update(BOOK, 'messages', { pages }))).to.equal(
      `There was a problem connecting relation with id ${await draftOf('first')} at position {"before":${await draftOf('second')}}. The relation with id ${await draftOf('second')} needs to be connected first.`,
    );
    const byName = { connect: [{ documentId: 'first', position: { before: 'second' } }] };
    expect(await refusal(update(BOOK, 'messages', { pages: byName }))).to.equal(
      `There was a problem connecting relation with id ${await draftOf('first')} at position {"before":${await draftOf('second')},"locale":"en"}. The relation with id ${await draftOf('second')} needs to be connected first.`,
    );
  });

  it('no locale and the default locale are the same target', async () => {
    await make(PAGE, 'plain');
    await make(BOOK, 'locales', { pages: ['plain', { documentId: 'plain', locale: 'en' }] });
    expect(await shown(BOOK, 'locales', 'pages', 'published')).to.deep.equal(['plain']);
    await update(BOOK, 'locales', { pages: { disconnect: [{ documentId: 'plain', locale: 'en' }] } });
    expect(await shown(BOOK, 'locales', 'pages', 'draft')).to.deep.equal([]);
  });

  it('a list written from a side without drafts applies to both versions (rules F.3)', async () => {
    await make(TAG, 'tag');
    await make(BOOK, 'kept', { tags: ['tag'] });
    await make(BOOK, 'added');
    await update(BOOK, 'kept', { tags: [] });
    await update(BOOK, 'added', { tags: ['tag'] });
    await update(TAG, 'tag', { books: ['added'] });
    for (const status of ['draft', 'published'] as const) {
      expect(await shown(TAG, 'tag', 'books', status)).to.deep.equal(['added']);
      expect(await shown(BOOK, 'kept', 'tags', status)).to.deep.equal([]);
    }
  });

  it('publishing applies the whole list, including what other drafts set before (rules F.4)', async () => {
    await make(WRITER, 'ann');
    await make(WRITER, 'bob');
    await make(BOOK, 'came');
    await make(BOOK, 'went', { writer: 'ann' });
    await update(BOOK, 'came', { writer: 'ann' });
    await update(BOOK, 'went', { writer: 'bob' });
    await update(WRITER, 'ann', { books: ['came'] }, 'published');
    expect(await shown(WRITER, 'ann', 'books', 'published')).to.deep.equal(['came']);
    expect(await shown(BOOK, 'came', 'writer', 'published')).to.deep.equal(['ann']);
  });

  it('a new locale copies shared references, even if their targets lack it (rules G.4)', async () => {
    await make(PAGE, 'home');
    await make(PAGE, 'shared', { seo: { home: 'home' } });
    const home = async (): Promise<unknown> => {
      const populate = { seo: { populate: { home: { fields: ['locale'] } } } };
      const page = await documents(PAGE).findOne({ documentId: 'shared', locale: 'fr', populate });
      return (page?.['seo'] as { home: { locale: string } | null } | undefined)?.home?.locale;
    };
    await update(PAGE, 'shared', {}, 'draft', 'fr');
    expect(await home()).to.equal(undefined);
    await update(PAGE, 'home', {}, 'draft', 'fr');
    expect(await home()).to.equal('fr');
  });

  it('a clone has the links of its original: chosen locales, deleted targets, the end of other lists', async () => {
    await make(PAGE, 'target');
    await make(PAGE, 'gone');
    await update(PAGE, 'target', {}, 'draft', 'fr');
    await make(TAG, 'listing');
    const pages = ['gone', { documentId: 'target', locale: 'fr' }];
    await make(BOOK, 'original', { pages, tags: ['listing'] });
    await make(BOOK, 'later', { tags: ['listing'] });
    await documents(PAGE).delete({ documentId: 'gone' });
    const populate = { pages: { fields: ['locale'] } };
    const { documentId, entries } = await documents(BOOK).clone({ documentId: 'original', populate });
    const [copy] = entries as { pages: { documentId: string; locale: string }[] }[];
    expect(copy?.pages.map((page) => [page.documentId, page.locale])).to.deep.equal([['target', 'fr']]);
    expect(await shown(TAG, 'listing', 'books', 'draft')).to.deep.equal([
      'original',
      'later',
      String(documentId),
    ]);
  });

  it('a clone is referred to by what refers to its original, unless its data says otherwise (rules G.8)', async () => {
    await make(WRITER, 'cloned');
    await make(TAG, 'cloned');
    const names = ['b-first', 'a-second'];
    for (const name of names) await make(BOOK, name, { writer: 'cloned', tags: ['cloned'] });
    const copyOf = async (uid: string, data?: object) =>
      String((await documents(uid).clone({ documentId: 'cloned', data })).documentId);

    const tag = await copyOf(TAG);
    for (const status of ['draft', 'published'] as const) {
      expect(await shown(TAG, tag, 'books', status)).to.deep.equal(names);
      expect(await shown(BOOK, 'b-first', 'tags', status)).to.deep.equal(['cloned', tag]);
    }
    expect(await shown(TAG, await copyOf(TAG, { books: { set: [] } }), 'books', 'draft')).to.deep.equal([]);
    // A list is merged into that of the original by position.
    expect(await shown(TAG, await copyOf(TAG, { books: [] }), 'books', 'draft')).to.deep.equal(names);

    // A book has one writer: its draft goes to the copy, what is published waits until the copy is published.
    const writer = await copyOf(WRITER);
    expect(await shown(WRITER, writer, 'books', 'draft')).to.deep.equal(names);
    expect(await shown(WRITER, 'cloned', 'books', 'draft')).to.deep.equal([]);
    expect(await shown(WRITER, 'cloned', 'books', 'published')).to.deep.equal(names);
    await documents(WRITER).publish?.({ documentId: writer });
    expect(await shown(BOOK, 'a-second', 'writer', 'published')).to.deep.equal([writer]);
  });
});
