import { Decimal128, Long, ObjectId } from 'bson';
import { expect } from 'chai';
import { textQuery } from '../../src/query/query.js';
import { type TestDocuments, testDocuments } from '../support/documents.js';
import { AUTHOR, BOOK, library, PAGE, TAG } from '../support/versions-schema.js';

type Row = Record<string, unknown>;
const CALLS = ['findOne', 'update', 'delete', 'clone', 'publish', 'unpublish', 'discardDraft'] as const;

/** The items of a list in a row. */
const items = (row: Row | null | undefined, name: string): Row[] => (row?.[name] ?? []) as Row[];

describe('versions through the Document Service', () => {
  let opened: TestDocuments;
  before(async () => {
    opened = await testDocuments(library());
  });
  after(() => opened.close());

  const service = (uid: string) => opened.documents(uid);
  const stored = (collection: string, documentId: unknown): Promise<Row | null> =>
    opened.store.db.collection(collection).findOne({ documentId }, { promoteLongs: false });
  const draftOf = (documentId: unknown) => stored('books.drafts', documentId);
  const liveOf = (documentId: unknown) => stored('books', documentId);
  const read = (documentId: unknown, status: string): Promise<Row | null> =>
    service(BOOK).findOne({
      documentId: String(documentId),
      status,
      populate: { chapters: { populate: '*' }, first: true, zone: { populate: '*' } },
    });

  it('publish copies the draft: values, BSON types, password hash; new component ids', async () => {
    const data = {
      title: 'Copy',
      secret: 'sesame',
      sold: '9007199254740993',
      price: 1.5,
      data: { 'a.b': 1, $set: [{ $x: 1 }] },
      chapters: [{ title: 'I', notes: [{ text: 'n', pin: '1234' }] }, { title: 'II' }],
      zone: [{ __component: 'part.note', text: 'z' }],
    };
    const { documentId } = await service(BOOK).create({ data, status: 'published' });
    const [draft, live] = [await draftOf(documentId), await liveOf(documentId)];
    expect(draft?.['secret']).to.match(/^\$2[ab]\$10\$/);
    expect(live?.['secret']).to.equal(draft?.['secret']);
    expect(live?.['data']).to.deep.equal(data.data);
    expect(Long.isLong(live?.['sold'])).to.equal(true);
    expect(String(live?.['sold'])).to.equal('9007199254740993');
    expect(live?.['price']).to.deep.include({ _bsontype: Decimal128.prototype._bsontype });
    expect(live?.['createdAt']).to.deep.equal(draft?.['createdAt']);
    expect(live?.['updatedAt']).to.deep.equal(draft?.['updatedAt']);
    const ids = (row: Row | null): unknown[] => JSON.stringify(row).match(/"id":\d+/g) ?? [];
    const all = [...ids(await read(documentId, 'draft')), ...ids(await read(documentId, 'published'))];
    expect(all).to.have.length(10);
    expect(new Set(all.slice(1)).size, 'component ids of both versions').to.be.at.least(8);
    const pins = [draft, live].map((row) => items(items(row, 'chapters')[0], 'notes')[0]?.['pin']);
    expect(pins[0], 'as many rounds as the attribute says').to.match(/^\$2[ab]\$04\$/);
    expect(pins[1]).to.equal(pins[0]);
  });

  it('a changed draft counts as modified, also if the clock of whoever published it was ahead', async () => {
    const { documentId } = await service(BOOK).create({ data: { title: 'Ahead' }, status: 'published' });
    const updatedAt = new Date(Date.now() + 60_000);
    for (const name of ['books', 'books.drafts'])
      await opened.store.db.collection(name).updateOne({ documentId }, { $set: { updatedAt } });
    await service(BOOK).update({ documentId: String(documentId), data: { title: 'Behind' } });
    const modified = { status: 'draft', publicationFilter: 'modified', filters: { documentId } };
    expect(await service(BOOK).count(modified as never)).to.equal(1);
  });

  it('keeps numeric ids by default, and assigns new ones if stableIds is off', async () => {
    const { documentId, id } = await service(BOOK).create({ data: { title: 'Stable' }, status: 'published' });
    const again = await service(BOOK).update({
      documentId: String(documentId),
      data: {},
      status: 'published',
    });
    expect(again?.['id']).to.equal(id);
    const draft = (await draftOf(documentId))?.['id'];
    await service(BOOK).discardDraft?.({ documentId: String(documentId) });
    expect((await draftOf(documentId))?.['id']).to.equal(draft);
    expect(draft).to.not.equal(id);

    const changing = await testDocuments(library(), { documents: { stableIds: false } });
    const made = await changing.documents(BOOK).create({ data: { title: 'Changing' }, status: 'published' });
    const next = await changing
      .documents(BOOK)
      .update({ documentId: String(made['documentId']), data: {}, status: 'published' });
    expect(Number(next?.['id'])).to.be.greaterThan(Number(made['id']));
    await changing.close();
  });

  it('updates in place: missing attributes stay, null clears, items are matched by their draft ids', async () => {
    const made = await service(BOOK).create({
      data: {
        title: 'Places',
        chapters: [{ title: 'A', length: 1 }, { title: 'B' }],
        first: { title: 'F', length: 3 },
      },
      populate: ['chapters', 'first'],
    });
    const documentId = String(made['documentId']);
    const [a, b] = made['chapters'] as Row[];
    expect(b?.['length'], 'default').to.equal(7);
    const changed = await service(BOOK).update({
      documentId,
      data: { chapters: [{ id: b?.['id'], title: 'B2' }, { title: 'C' }, { id: a?.['id'] }] },
      populate: ['chapters', 'first'],
    });
    expect(items(changed, 'chapters').map(({ title, length }) => [title, length])).to.deep.equal([
      ['B2', 7],
      ['C', 7],
      ['A', 1],
    ]);
    expect(items(changed, 'chapters')[0]?.['id']).to.equal(b?.['id']);
    const first = changed?.['first'] as Row;
    const kept = await service(BOOK).update({
      documentId,
      data: { first: { id: first['id'], title: 'G' } },
      populate: ['first'],
    });
    expect(kept?.['first']).to.deep.equal({ id: first['id'], title: 'G', length: 3 });
    const replaced = await service(BOOK).update({
      documentId,
      data: { first: { title: 'H' } },
      populate: ['first'],
    });
    expect((replaced?.['first'] as Row | undefined)?.['length']).to.equal(7);
    const cleared = await service(BOOK).update({
      documentId,
      data: { first: null, chapters: [] },
      populate: ['first', 'chapters'],
    });
    expect([cleared?.['first'], cleared?.['chapters']]).to.deep.equal([null, []]);
  });

  it('refuses component ids that do not belong to the draft', async () => {
    const { documentId } = await service(BOOK).create({
      data: { title: 'Ids', chapters: [{ title: 'A', notes: [{}] }], zone: [{ __component: 'part.note' }] },
      status: 'published',
    });
    const live = await read(documentId, 'published');
    const draft = await read(documentId, 'draft');
    const refused = (data: object) =>
      service(BOOK)
        .update({ documentId: String(documentId), data })
        .then(
          () => null,
          ({ name, message, details }) => ({ name, message, details }),
        );
    const unrelated = (field: string) =>
      `Some of the provided components in ${field} are not related to the entity`;
    const chapter = items(live, 'chapters')[0];
    for (const id of [null, true, ` ${chapter?.['id']}`])
      expect(await refused({ chapters: [{ id, title: 'no item' }] }), `${id}`).to.have.property(
        'message',
        unrelated('chapters'),
      );
    expect(await refused({ chapters: [{ id: chapter?.['id'] }] })).to.deep.equal({
      name: 'ApplicationError',
      message: unrelated('chapters'),
      details: {},
    });
    const own = items(draft, 'chapters')[0];
    expect((await refused({ chapters: [{ id: own?.['id'], notes: [{ id: 987654 }] }] }))?.message).to.equal(
      unrelated('notes'),
    );
    expect((await refused({ chapters: [{ id: own?.['id'] }, { id: own?.['id'] }] }))?.message).to.equal(
      unrelated('chapters'),
    );
    const item = items(live, 'zone')[0];
    expect(await refused({ zone: [{ __component: 'part.note', id: item?.['id'] }] })).to.deep.equal({
      name: 'Error',
      message: unrelated('zone'),
      details: undefined,
    });
  });

  it('leaves the draft unchanged if publishing is refused', async () => {
    const { documentId } = await service(BOOK).create({
      data: { title: 'Whole', isbn: 'w-1' },
      status: 'published',
    });
    const before = [await draftOf(documentId), await liveOf(documentId)];
    const refused = await service(BOOK)
      .update({ documentId: String(documentId), data: { title: null, isbn: 'w-2' }, status: 'published' })
      .catch((error: Error) => error.message);
    expect(refused).to.equal('title must be a `string` type, but the final value was: `null`.');
    expect([await draftOf(documentId), await liveOf(documentId)]).to.deep.equal(before);
  });

  it('unpublishes, discards drafts, deletes and clones', async () => {
    const { documentId: id } = await service(BOOK).create({
      data: { title: 'Life', chapters: [{ title: 'c' }] },
      status: 'published',
    });
    const documentId = String(id);
    await service(BOOK).update({ documentId, data: { title: 'Changed', chapters: [] } });
    const back = await service(BOOK).discardDraft?.({ documentId, populate: ['chapters'] });
    expect(back?.entries[0]).to.include({ title: 'Life', publishedAt: null });
    expect(back?.entries[0]?.['chapters']).to.have.length(1);
    const gone = await service(BOOK).unpublish?.({ documentId, fields: ['title'] });
    expect(gone?.entries).to.have.length(1);
    expect(await liveOf(documentId)).to.equal(null);
    const copy = await service(BOOK).clone({ documentId, data: { isbn: 'copy' }, populate: ['chapters'] });
    expect(copy.documentId).to.not.equal(documentId);
    expect(copy.entries[0]).to.include({ title: 'Life', isbn: 'copy' });
    expect(copy.entries[0]?.['chapters']).to.have.length(1);
    expect((await service(BOOK).delete({ documentId })).entries).to.have.length(1);
    expect(await draftOf(documentId)).to.equal(null);
    expect(await service(BOOK).delete({ documentId })).to.deep.equal({ documentId, entries: [] });
    expect(await service(BOOK).clone({ documentId })).to.deep.equal({ entries: [] });
    const draft = await service(BOOK).create({ data: { title: 'Never published' } });
    const never = String(draft['documentId']);
    expect(await service(BOOK).discardDraft?.({ documentId: never })).to.deep.equal({
      documentId: never,
      entries: [],
    });
    expect(await draftOf(never), 'its draft goes').to.equal(null);
  });

  it('types without Draft & Publish have no publish, and only one version', async () => {
    expect(service(TAG).publish).to.equal(undefined);
    const tag = await service(TAG).create({ data: { name: 'only' }, status: 'draft' });
    expect(tag['publishedAt']).to.not.equal(null);
    const changed = await service(TAG).update({
      documentId: String(tag['documentId']),
      data: { name: 'changed' },
    });
    expect(changed).to.include({ id: tag['id'], name: 'changed' });
  });

  it('accepts a given documentId once for each locale', async () => {
    const documentId = 'mine0mine0mine0mine0mine';
    const create = (locale: string) => service(PAGE).create({ data: { documentId, title: locale }, locale });
    await create('en');
    expect(await create('en').catch((error: Error) => error.message)).to.equal(
      `A draft entry with documentId "${documentId}" and locale "en" already exists for UID "${PAGE}". This combination must be unique.`,
    );
    expect(await create('fr')).to.include({ documentId, locale: 'fr' });
  });

  it('shares attributes that are not localized: drafts with drafts, published entries with both versions', async () => {
    const { documentId: id } = await service(PAGE).create({
      data: { title: 'one', views: 1, parts: [{ text: 'p', pin: 'x' }] },
      status: 'published',
    });
    const documentId = String(id);
    const look = async (locale: string, status: string): Promise<unknown> => {
      const page = await service(PAGE).findOne({ documentId, locale, status, populate: ['parts'] });
      return (
        page && [
          page['title'],
          page['views'],
          items(page, 'parts')
            .map(({ text }) => text)
            .join(),
        ]
      );
    };
    // Null counts as absent where a new locale takes the value of the others.
    const data = { title: 'un', views: null, parts: null };
    await service(PAGE).update({ documentId, locale: 'fr', data, status: 'published' });
    expect(await look('fr', 'published')).to.deep.equal(['un', 1, 'p']);
    expect(await look('en', 'draft')).to.deep.equal(['one', 1, 'p']);
    await service(PAGE).update({ documentId, locale: 'fr', data: { views: 2, parts: [{ text: 'q' }] } });
    expect(await look('en', 'draft')).to.deep.equal(['one', 2, 'q']);
    expect(await look('en', 'published')).to.deep.equal(['one', 1, 'p']);
    await service(PAGE).publish?.({ documentId, locale: 'fr' });
    for (const status of ['draft', 'published'])
      expect(await look('en', status)).to.deep.equal(['one', 2, 'q']);
    for (const [change, status] of [
      ['discardDraft', 'draft'],
      ['publish', 'published'],
    ] as const) {
      // Values that the drafts do not share, as another program leaves them: each version changes the ones before it.
      await opened.store.db
        .collection('pages.drafts')
        .updateOne({ documentId, locale: 'fr' }, { $set: { views: 7, _rev: new ObjectId() } });
      const answer = await service(PAGE)[change]?.({ documentId, locale: '*' });
      expect(answer?.entries).to.have.lengthOf(2);
      for (const entry of answer?.entries ?? []) {
        const stored = await service(PAGE).findOne({ documentId, locale: entry['locale'], status });
        expect(entry, `${change} ${entry['locale']}`).to.deep.equal(stored);
      }
    }
    for (const locale of ['en', 'fr']) await service(PAGE).update({ documentId, locale, data: { views: 2 } });
    await service(PAGE).publish?.({ documentId, locale: '*' });
    await service(PAGE).delete({ documentId, locale: 'fr' });
    expect(await look('fr', 'published')).to.equal(null);
    expect(await look('en', 'published')).to.deep.equal(['one', 2, 'q']);
    await service(PAGE).delete({ documentId, locale: '*' });
    expect(await look('en', 'draft')).to.equal(null);
  });

  it('accepts a documentId, and never a query in its place', async () => {
    const { documentId } = await service(BOOK).create({ data: { title: 'One' }, status: 'published' });
    const before = await service(BOOK).count();
    for (const method of CALLS)
      for (const given of [{ $ne: null }, [documentId], true]) {
        const call = service(BOOK)[method] as (params: object) => Promise<unknown>;
        const refusal = await call({ documentId: given, data: { title: 'Two' } }).then(String, String);
        expect(refusal, `${method} ${JSON.stringify(given)}`).to.include('documentId must be a string');
      }
    expect(await service(BOOK).count()).to.equal(before);
    expect(await service(BOOK).findOne({ documentId: 7 } as never)).to.equal(null);
  });

  it('finds and changes nothing without a documentId, as Strapi does', async () => {
    await service(BOOK).create({ data: { title: 'One' }, status: 'published' });
    const before = await service(BOOK).findMany({});
    for (const method of CALLS)
      for (const given of [{}, { documentId: undefined }, { documentId: null }]) {
        const call = service(BOOK)[method] as (params: object) => Promise<Row | null>;
        const answer = await call({ ...given, data: { title: 'Two' } });
        expect(answer?.['entries'] ?? null, `${method} ${JSON.stringify(given)}`).to.eql(
          method === 'findOne' || method === 'update' ? null : [],
        );
      }
    expect(await service(BOOK).findMany({})).to.eql(before);
    expect(await (service(BOOK).delete as () => Promise<unknown>)()).to.have.deep.property('entries', []);
  });

  it('returns what was written as a read would', async () => {
    const { reader, schema } = { ...opened, schema: library() };
    const type = schema.contentTypes.get(BOOK);
    if (!type) throw new TypeError(BOOK);
    const data = {
      title: 'Shown',
      data: { a: [1, { b: null }] },
      sold: '9007199254740993',
      price: '1.25',
      chapters: [{ title: 'I', length: 3000000000, notes: [{ text: 'n', pin: '1234' }] }],
      zone: [{ __component: 'part.note', text: 'z' }],
    };
    const everyone = { grants: { version: '1', allows: () => true } };
    const shown = async (query: string, v4 = false) => {
      const request = { type, query: textQuery(query), caller: everyone, v4 };
      const { data: written } = await service(BOOK)
        .forRequest({ ...request, data })
        .create();
      const { data: read } = await reader.one(request, String(written?.['documentId']));
      return [JSON.stringify(read), JSON.stringify(written)];
    };
    for (const query of [
      '',
      'fields=title',
      'populate[chapters][populate]=notes&populate[zone]=true',
      'populate=chapters,zone',
    ])
      for (const v4 of [false, true]) {
        const [read, rendered] = await shown(query, v4);
        expect(rendered, `${query} ${v4}`).to.equal(read);
        expect(rendered).to.include('Shown').and.not.include('"pin"');
      }
    for (const query of ['populate=author', 'populate=*', 'populate[chapters][populate]=see']) {
      const [read, written] = await shown(query);
      expect(written, query).to.equal(read);
    }
  });

  it('refuses an invalid query before anything is written', async () => {
    const refused = await service(AUTHOR)
      .create({ data: { name: 'nobody' }, populate: ['nope'] })
      .catch((error: Error) => error.message);
    expect(refused).to.equal('Invalid key nope');
    expect(await service(AUTHOR).count({ filters: { name: 'nobody' } })).to.equal(0);
  });

  it('middlewares wrap every call, in order of registration', async () => {
    const other = await testDocuments(library());
    const seen: string[] = [];
    other.documents.use(async (context, next) => {
      seen.push(`${context.action} ${context.uid}`);
      context.params = { ...context.params, data: { name: 'changed' } };
      return { ...((await next()) as object), added: true };
    });
    other.documents.use(async (_, next) => {
      seen.push('inner');
      return next();
    });
    expect(await other.documents(TAG).create({ data: { name: 'given' } })).to.include({
      name: 'changed',
      added: true,
    });
    expect(seen).to.deep.equal([`create ${TAG}`, 'inner']);
    await other.close();
  });
});
