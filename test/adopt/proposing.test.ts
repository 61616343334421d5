import { Binary, DBRef, Decimal128, type Document, Long, ObjectId } from 'bson';
import { expect } from 'chai';
import { OWN_LAYOUT, planProposal } from '../../src/adopt/files.js';
import { collectionFacts, probe, sampleOf } from '../../src/store/adopted/inspect.js';
import type { PlainObject } from '../../src/values/plain-object.js';
import { many, proposals, typesOf } from './proposals.js';

const HASH = '$2b$12$UREFwsRUoyF0CRqGNK0LzO0HM/jLhgUCNNIJ9RJAqMUQ74crlJ1Vu';

describe('mangrove adopt proposes content types', () => {
  const { store, look, put, schemaOf } = proposals();

  it('derives types from the stored values', async () => {
    await put({
      things: many(60, (n) => ({
        title: `Thing ${n}`,
        body: 'x'.repeat(300),
        count: n,
        big: Long.fromString('9007199254740993').add(n),
        small: Long.fromNumber(n),
        share: n / 7,
        price: Decimal128.fromString('1.10'),
        open: n % 2 === 0,
        made: new Date(n),
        day: `2020-01-${String((n % 28) + 1).padStart(2, '0')}`,
        mail: `a${n}@example.org`,
        color: ['red', 'green', 'blue'][n % 3],
        slug: `thing-${n}`,
        owner: new ObjectId(),
        blob: new Binary(Buffer.from([n])),
        tags: [`t${n}`],
        sizes: [n, n / 2],
        mixed: n % 3 === 0 ? 'none' : n,
        either: n % 2 ? 'one' : ['one', 'two'],
        matrix: [[1], [2]],
        nothing: null,
        'two words': 1,
        '2nd': 1,
        id: n,
        __v: 0,
      })),
    });
    const { attributes, storage } = schemaOf(await look({ collections: ['things'] }), 'things');
    expect(typesOf(attributes)).to.deep.equal({
      title: 'string',
      body: 'text',
      count: 'integer',
      big: 'biginteger',
      small: 'integer',
      share: 'float',
      price: 'decimal',
      open: 'boolean',
      made: 'datetime',
      day: 'date',
      mail: 'email',
      color: 'enumeration',
      slug: 'uid',
      owner: 'string',
      blob: 'json',
      tags: 'string',
      sizes: 'float',
      mixed: 'json',
      either: 'enumeration',
      matrix: 'json',
      nothing: 'json',
      twoWords: 'integer',
      field2nd: 'integer',
      ownId: 'integer',
    });
    expect(attributes['color']?.['enum']).to.deep.equal(['blue', 'green', 'red']);
    expect(attributes['mixed']?.['pluginOptions']).to.deep.equal({
      mangrove: { comment: 'int 67 %, string 33 %' },
    });
    expect(storage).to.deep.equal({
      collection: 'things',
      fields: { twoWords: 'two words', field2nd: '2nd', ownId: 'id' },
      lists: ['tags', 'sizes', 'either'],
      integers: { small: 'long' },
    });
  });

  it('turns documents into components, and dictionaries, geometry and values that are only sometimes documents into JSON', async () => {
    await put({
      places: many(40, (n) => ({
        address: { street: `S ${n}`, geo: { type: 'Point', coordinates: [n, 1.5] }, 'zip code': 'x' },
        lines: [
          { _id: new ObjectId(), sku: `s${n}`, parts: [{ name: 'p' }] },
          { _id: new ObjectId(), sku: 't' },
        ],
        byDay: { [`2020-01-${10 + n}`]: 1, [`2020-02-${10 + n}`]: 2 },
        counts: { [`k${n}`]: 1, [`l${n}`]: 1 },
        sometimes: n % 2 ? { a: 1 } : 'a',
        empty: {},
      })),
    });
    const { attributes, components } = schemaOf(await look({ collections: ['places'] }), 'places');
    expect(typesOf(attributes)).to.deep.equal({
      address: 'component',
      lines: 'component',
      byDay: 'json',
      counts: 'json',
      sometimes: 'json',
      empty: 'json',
    });
    expect(attributes['lines']).to.deep.equal({
      type: 'component',
      component: 'place.lines',
      repeatable: true,
    });
    expect(components.get('place.lines')).to.deep.equal({
      info: { displayName: 'Lines' },
      pluginOptions: { mangrove: { storage: { id: '_id' } } },
      attributes: {
        sku: { type: 'string' },
        parts: { type: 'component', component: 'place.lines-parts', repeatable: true },
      },
    });
    expect(components.get('place.address')?.['attributes']).to.deep.equal({
      street: { type: 'string' },
      geo: { type: 'json' },
      zipCode: { type: 'string' },
    });
  });

  it('exposes the _id of an embedded document: as a relation if it refers to something, otherwise as a value', async () => {
    const people = many(20, (n) => ({ _id: new ObjectId(), name: `N ${n}` }));
    await put({
      people,
      messages: many(30, (n) => ({
        text: `M ${n}`,
        u: { _id: people[n % 20]?._id, username: `n${n % 20}` },
        file: { _id: new ObjectId(), size: n },
      })),
    });
    const { components } = schemaOf(await look({ collections: ['people', 'messages'] }), 'messages');
    const partOf = (uid: string) => {
      const { attributes, pluginOptions } = components.get(uid) ?? {};
      return { attributes, ...(pluginOptions as { mangrove?: PlainObject })?.mangrove };
    };
    expect(partOf('message.u')).to.deep.equal({
      attributes: {
        person: {
          type: 'relation',
          relation: 'oneToOne',
          target: 'api::person.person',
          pluginOptions: { mangrove: { comment: '20 of 20 values match a document' } },
        },
        username: { type: 'string' },
      },
      storage: { fields: { person: '_id' } },
    });
    expect(partOf('message.file')).to.deep.equal({
      attributes: { ownId: { type: 'string' }, size: { type: 'integer' } },
      storage: { fields: { ownId: '_id' } },
    });
  });

  it('verifies references by looking up their values, on both sides, and trusts no name alone', async () => {
    const people = many(30, (n) => ({ _id: new ObjectId(), code: `P-${n}`, name: `N ${n}` }));
    await put({
      people,
      teams: many(12, (n) => ({ _id: n, name: `Team ${n}` })),
      matches: many(40, (n) => ({
        team_id: n % 12,
        rating: n % 5,
        coach: people[n % 30]?._id,
        players: [people[n % 30]?._id, people[(n + 1) % 30]?._id],
        referee_code: `P-${n % 30}`,
        person_id: new ObjectId(),
        log: [{ by: people[n % 30]?._id, at: n }],
      })),
    });
    await store().db.collection('people').createIndex({ code: 1 }, { unique: true });
    const proposal = await look({ collections: ['people', 'teams', 'matches'] });
    const match = schemaOf(proposal, 'matches');
    const relations = Object.fromEntries(
      Object.entries(match.attributes)
        .filter(([, { type }]) => type === 'relation')
        .map(([name, { relation, target, inversedBy }]) => [name, [relation, target, inversedBy]]),
    );
    expect(relations).to.deep.equal({
      team: ['manyToOne', 'api::team.team', 'matches'],
      coach: ['manyToOne', 'api::person.person', 'matches'],
      referee: ['manyToOne', 'api::person.person', 'matchesByReferee'],
      players: ['manyToMany', 'api::person.person', 'matchesByPlayers'],
    });
    expect(match.attributes['rating']).to.deep.equal({ type: 'integer' });
    expect(match.attributes['person_id']).to.deep.equal({ type: 'string' });
    expect(match.storage).to.deep.include({
      fields: { team: 'team_id', referee: 'referee_code' },
      references: { referee: 'code' },
    });
    expect(match.components.get('match.log')?.['attributes']).to.deep.include({
      by: {
        type: 'relation',
        relation: 'oneToOne',
        target: 'api::person.person',
        pluginOptions: { mangrove: { comment: '30 of 30 values match a document' } },
      },
    });
    const person = schemaOf(proposal, 'people');
    expect(person.attributes['code']).to.deep.equal({ type: 'string', unique: true });
    expect(person.attributes['matches']).to.deep.equal({
      type: 'relation',
      relation: 'oneToMany',
      target: 'api::match.match',
      mappedBy: 'coach',
    });
    expect(schemaOf(proposal, 'teams').storage).to.deep.equal({ collection: 'teams', id: 'number' });
  });

  it('follows references to another unique field, which remains an attribute', async () => {
    const open7 = many(7, (n) => ({ _id: new ObjectId(), isbn: `978-${n}`, title: `B ${n}` }));
    await put({ books: open7, loans: many(20, (n) => ({ isbn: `978-${n % 9}`, days: n })) });
    const { attributes, storage } = schemaOf(await look({ collections: ['books', 'loans'] }), 'loans');
    expect(attributes['isbn']).to.deep.equal({ type: 'string' });
    expect(attributes['book']).to.deep.include({ relation: 'manyToOne', target: 'api::book.book' });
    expect(attributes['book']?.['pluginOptions']).to.deep.equal({
      mangrove: { comment: '7 of 9 values match a document' },
    });
    expect(storage).to.deep.equal({
      collection: 'loans',
      fields: { book: 'isbn' },
      references: { book: 'isbn' },
    });
  });

  it('follows numbers to a unique field with a matching name, also in lists', async () => {
    await put({
      accounts: many(30, (n) => ({ account_id: 1000 + n, limit: 9000 })),
      customers: many(20, (n) => ({ name: `C ${n}`, accounts: [1000 + n, 1001 + n], limit: 1000 + n })),
    });
    const { attributes, storage } = schemaOf(
      await look({ collections: ['accounts', 'customers'] }),
      'customers',
    );
    expect(attributes['limit']).to.deep.equal({ type: 'integer' });
    const relations = Object.entries(attributes).filter(([, { type }]) => type === 'relation');
    expect(relations.map(([, { relation, target }]) => [relation, target])).to.deep.equal([
      ['manyToMany', 'api::account.account'],
    ]);
    expect(storage).to.deep.equal({ collection: 'customers', references: { accounts: 'account_id' } });
  });

  it('follows numbers to a field in which some occur again, and says so', async () => {
    await put({
      stops: many(400, (n) => ({ _id: new ObjectId(), no: n === 399 ? 7 * 17 : n * 17, name: `Stop ${n}` })),
      lines: many(60, (n) => ({ name: `L ${n}`, stops: [n * 17, n * 34, n * 51] })),
    });
    const { attributes, storage } = schemaOf(await look({ collections: ['stops', 'lines'] }), 'lines');
    const [name, found] = Object.entries(attributes).find(([, { type }]) => type === 'relation') ?? [];
    expect(found).to.deep.include({ relation: 'manyToMany', target: 'api::stop.stop' });
    expect(found?.['pluginOptions']).to.deep.equal({
      mangrove: { comment: '120 of 120 values match a document; repeated values of no there: 1' },
    });
    expect(storage).to.deep.include({ references: { [name ?? '']: 'no' } });
  });

  it('takes numbers of another name only if chance cannot have found them, and never those with fractions', async () => {
    await put({
      cities: many(200, (n) => ({ _id: n * n * 31 + 5, name: `C ${n}` })),
      dense: many(200, (n) => ({ _id: n })),
      trips: many(100, (n) => ({ start: n * n * 31 + 5, count: n, days: n % 3 === 0 ? n : n + 0.5 })),
    });
    const { attributes } = schemaOf(await look({ collections: ['cities', 'dense', 'trips'] }), 'trips');
    expect(attributes['start']).to.deep.include({ type: 'relation', target: 'api::city.city' });
    expect(attributes['count']).to.deep.equal({ type: 'integer' });
    expect(attributes['days']).to.deep.equal({ type: 'float' });
  });

  it('takes no number for a reference because the first numbers of a collection are its keys', async () => {
    await put({
      books: many(400, (n) => ({ _id: n < 100 ? n : n * n, color: n < 5 ? `c${n}` : null })),
      grades: many(100, (n) => ({ class_id: n % 31, points: (n % 6) * 1000, color: `c${n % 5}` })),
      rounds: many(100, (n) => ({ _id: n * 1000 })),
    });
    const { attributes } = schemaOf(await look({ collections: ['books', 'grades', 'rounds'] }), 'grades');
    expect(typesOf(attributes)).to.deep.equal({
      class_id: 'integer',
      points: 'integer',
      color: 'enumeration',
    });
  });

  it('gives a field the type that almost all of its values have, with a remark', async () => {
    await put({
      notes: many(1000, (n) => ({
        text: n % 250 === 0 ? n : `Note ${n}`,
        mixed: n % 50 === 0 ? n : `Note ${n}`,
        at: n === 5 ? 'yesterday' : new Date(n),
      })),
    });
    const { attributes } = schemaOf(await look({ collections: ['notes'] }), 'notes');
    expect(attributes['text']).to.deep.equal({
      type: 'string',
      pluginOptions: { mangrove: { comment: 'string 100 %, int <1 %' } },
    });
    expect(attributes['at']?.type).to.equal('datetime');
    expect(attributes['mixed']?.type).to.equal('json');
  });

  it('asks the database only for values that it may have', async () => {
    const names = Array.from({ length: 10 }, (_, at) => `set${at}`);
    const fields = Array.from({ length: 20 }, (_, at) => `field${at}`);
    await put(
      Object.fromEntries(
        names.map((name) => [
          name,
          many(30, (n) => ({
            ...Object.fromEntries(fields.map((field) => [field, `${name} ${field} ${n}`])),
            ...(name === 'set1' && { set0: `set0 field3 ${n % 10}` }),
          })),
        ]),
      ),
    );
    const { db } = store();
    let probes = 0;
    const proposal = await look({
      collections: names,
      inspector: {
        facts: (wanted) => collectionFacts(db, wanted),
        sample: (facts) => sampleOf(db, facts),
        probe: (target, path, values) => {
          probes += 1;
          return probe(db, target, path, values);
        },
      },
    });
    expect(schemaOf(proposal, 'set1').storage).to.deep.include({ references: { set0: 'field3' } });
    expect(probes).to.be.below(10);
  });

  it('takes a sample that was cut for a part of the collection', async () => {
    await put({ notes: many(50, (n) => ({ text: 'x'.repeat(1000), n })) });
    const { db } = store();
    const [facts] = await collectionFacts(db, (name) => name === 'notes');
    if (!facts) throw new Error('no facts');
    for (const [bytes, whole] of [
      [10_000, false],
      [1_000_000, true],
    ] as const) {
      const sample = sampleOf(db, facts, bytes);
      let read = 0;
      for await (const _ of sample.documents) read += 1;
      expect([sample.whole, read === 50]).to.deep.equal([whole, whole]);
    }
  });

  it('makes secrets private', async () => {
    await put({
      members: many(30, (n) => ({
        name: `M ${n}`,
        password: `p${n}`,
        pass: HASH,
        credential: HASH,
        apiKey: `k${n}`,
        reset_token: `t${n}`,
        compass: 'north west',
        tokens: 5,
      })),
    });
    const { attributes } = schemaOf(await look({ collections: ['members'] }), 'members');
    const hidden = Object.entries(attributes).filter(([, attribute]) => attribute['private'] === true);
    expect(hidden.map(([name]) => name)).to.deep.equal([
      'password',
      'pass',
      'credential',
      'apiKey',
      'reset_token',
    ]);
  });

  it('trusts a validator over the sample', async () => {
    const { db } = store();
    await db.createCollection('ruled', {
      validator: {
        $jsonSchema: {
          required: ['kind', 'label'],
          properties: {
            kind: { enum: ['a', 'b'], bsonType: 'string' },
            label: { bsonType: 'string', minLength: 2, maxLength: 40 },
            level: { bsonType: 'int', minimum: 1, maximum: 9 },
            later: { bsonType: 'date' },
            inner: { bsonType: 'object', properties: { deep: { bsonType: ['string', 'null'] } } },
            list: { bsonType: 'array', items: { bsonType: 'string' } },
          },
        },
      },
    });
    const [facts] = await collectionFacts(db, (name) => name === 'ruled');
    // A server that does not store validators has nothing to contribute here (docs/engines.md).
    if (facts?.jsonSchema === null)
      return expect((await look({ collections: ['ruled'] })).refused).to.have.length(1);
    const { attributes, storage, notes } = schemaOf(await look({ collections: ['ruled'] }), 'ruled');
    expect(attributes).to.deep.equal({
      kind: { type: 'enumeration', enum: ['a', 'b'], required: true },
      label: { type: 'string', minLength: 2, maxLength: 40, required: true },
      level: { type: 'integer', min: 1, max: 9 },
      later: { type: 'datetime' },
      inner: { type: 'component', component: 'ruled.inner' },
      list: { type: 'string' },
    });
    expect(storage).to.deep.equal({ collection: 'ruled', lists: ['list'] });
    expect(notes).to.deep.equal(['it is empty: its structure is known only from its validator']);
  });

  it('explains special collections in one sentence', async () => {
    const { db } = store();
    await db.createCollection('void');
    await put({ wide: [Object.fromEntries(many(2000, () => ({})).map((_, n) => [`f${n}`, n])) as Document] });
    const own = await look({ collections: ['void', 'gone', 'wide', 'mine'], own: new Set(['mine']) });
    expect(own.refused).to.deep.equal([
      { collection: 'gone', reason: 'there is no such collection' },
      { collection: 'mine', reason: 'there is no such collection' },
      { collection: 'void', reason: 'it is empty and has no validator, so its structure is unknown' },
    ]);
    const wide = schemaOf(own, 'wide');
    expect(Object.keys(wide.attributes)).to.have.length(200);
    expect(wide.notes).to.deep.equal([
      'the documents: more than 500 different fields; the 200 most frequent are included',
    ]);
  });

  it('leaves out the chunks of GridFS, whose files are a type', async () => {
    const { db } = store();
    const names = ['kept.files', 'kept.chunks', 'song.files', 'song.chunks'];
    await put(Object.fromEntries(names.map((name) => [name, many(3, (n) => ({ n, files_id: n }))])));
    await db.collection('kept.chunks').createIndex({ files_id: 1, n: 1 }, { unique: true });
    const { types, refused } = await look({ collections: names });
    expect(types.map(({ collection }) => collection)).to.deep.equal([
      'kept.files',
      'song.chunks',
      'song.files',
    ]);
    expect(refused).to.deep.equal([
      { collection: 'kept.chunks', reason: 'it contains the bytes of files in GridFS' },
    ]);
  });

  it('verifies references stored as strings, or as strings and ObjectIds', async () => {
    const ids = many(30, () => new ObjectId());
    await put({
      clubs: ids.map((_id, n) => ({ _id, name: `c${n}` })),
      fans: many(30, (n) => ({
        club: String(ids[n]),
        other: n % 2 ? ids[n] : String(ids[n]),
        stray: String(new ObjectId()),
      })),
      rooms: many(30, (n) => ({ _id: n, name: `r${n}` })),
      stays: many(30, (n) => ({
        room_id: String(n),
        clubs: [String(ids[n])],
        visits: [{ club_id: String(ids[n]) }],
      })),
    });
    const proposal = await look({ collections: ['clubs', 'fans', 'rooms', 'stays'] });
    const fan = schemaOf(proposal, 'fans');
    expect(typesOf(fan.attributes)).to.deep.equal({ club: 'relation', other: 'relation', stray: 'string' });
    expect(fan.storage?.['texts']).to.deep.equal(['club', 'other']);
    const stay = schemaOf(proposal, 'stays');
    expect(typesOf(stay.attributes)).to.deep.equal({
      room: 'relation',
      clubs: 'relation',
      visits: 'component',
    });
    expect(stay.storage?.['texts']).to.have.members(['room', 'clubs']);
    expect([...stay.components.values()][0]).to.have.nested.property('attributes.club.type', 'relation');
    expect([...stay.components.values()][0]).to.have.nested.property(
      'pluginOptions.mangrove.storage.texts[0]',
      'club',
    );
  });

  it('proposes one relation for each target of a field that refers to several collections', async () => {
    const [books, films] = [many(20, () => new ObjectId()), many(20, () => new ObjectId())];
    await put({
      books: books.map((_id) => ({ _id, title: 'b' })),
      films: films.map((_id) => ({ _id, title: 'f' })),
      likes: many(40, (n) => ({
        onModel: n % 2 ? 'Book' : 'Film',
        on: { refId: (n % 2 ? books : films)[n >> 1] },
      })),
    });
    const proposal = await look({ collections: ['books', 'films', 'likes'] });
    const [component] = schemaOf(proposal, 'likes').components.values();
    expect(component?.['attributes']).to.have.keys('refBook', 'refFilm');
    expect(component).to.have.nested.property('pluginOptions.mangrove.storage.fields.refFilm', 'refId');
  });

  it('verifies DBRefs by the collection that they name', async () => {
    const ids = many(6, () => ({ _id: new ObjectId() }));
    const ref = (collection: string, n: number) => new DBRef(collection, ids[n]?.['_id']);
    await put({
      painters: ids.slice(0, 3),
      museums: ids.slice(3),
      paintings: many(6, (n) => ({
        by: ref('painters', n % 3),
        seenIn: [ref('museums', 3 + (n % 3))],
        of: n < 3 ? ref('painters', n) : ref('museums', n),
        sold: new DBRef('painters', new ObjectId()),
        lost: ref('nowhere', n),
        far: new DBRef('painters', ids[0]?.['_id'], 'elsewhere'),
        partly: n < 3 ? ref('painters', n) : ref('nowhere', n),
        parts: [{ of: ref('painters', n % 3) }],
      })),
    });
    const proposal = await look({ collections: ['painters', 'museums', 'paintings'] });
    const { attributes, storage, components } = schemaOf(proposal, 'paintings');
    expect(storage?.['fields']).to.deep.equal({
      by: 'by.$id',
      seenIn: 'seenIn.$id',
      ofPainter: 'of.$id',
      ofMuseum: 'of.$id',
      partlyPainter: 'partly.$id',
    });
    expect(attributes['by']).to.deep.include({ relation: 'manyToOne', target: 'api::painter.painter' });
    expect(attributes['seenIn']).to.deep.include({ relation: 'manyToMany', target: 'api::museum.museum' });
    expect(attributes['ofMuseum']).to.deep.include({ relation: 'manyToOne', target: 'api::museum.museum' });
    for (const name of ['sold', 'lost', 'far', 'partly'])
      expect(attributes[name], name).to.deep.include({ type: 'json' });
    expect(JSON.stringify(components.get('painting.parts'))).to.include('"of":"of.$id"');
    expect(storage).not.to.have.property('lists');
  });

  it('trusts a model when there is no data yet, and uses its names', async () => {
    const ids = many(20, () => new ObjectId());
    await put({
      members: ids.map((_id, n) => ({ _id, login: `m${n}` })),
      entries: many(20, (n) => ({ by: `m${n}`, of: ids[n] })),
    });
    const object = { bsonType: 'object', properties: { parent: { bsonType: 'objectId' } } };
    const proposal = await look({
      collections: ['members', 'entries'],
      rules: new Map([['entries', object]]),
      declared: [
        { from: 'entries', path: 'by', to: 'members', toPath: 'login', inverse: 'written' },
        { from: 'entries', path: 'parent', to: 'entries', toPath: '_id' },
      ],
    });
    const entry = schemaOf(proposal, 'entries');
    expect(typesOf(entry.attributes)).to.deep.include({ of: 'relation', parent: 'relation' });
    expect(schemaOf(proposal, 'members').attributes['written']).to.include({ type: 'relation' });
    expect(Object.values(entry.storage?.['references'] as object)).to.deep.equal(['login']);
  });

  it('proposes no references between a view and the collection that it shows', async () => {
    const { db } = store();
    await put({
      novels: many(40, (n) => ({
        price: 1000 + 17 * n,
        title: `Novel ${n}`,
        isbn: `978-${n}`,
        byline: n % 9,
      })),
    });
    await db
      .collection('novels')
      .createIndexes(['price', 'title', 'isbn'].map((key) => ({ key: { [key]: 1 }, unique: true })));
    await db.createCollection('cheap', {
      viewOn: 'novels',
      pipeline: [{ $match: { price: { $lt: 1500 } } }],
    });
    await db.createCollection('cheapest', {
      viewOn: 'cheap',
      pipeline: [{ $limit: 20 }, { $set: { cost: '$price' } }],
    });
    const proposal = await look({ collections: ['novels', 'cheap', 'cheapest'] });
    const relations = proposal.types.flatMap(({ collection }) =>
      Object.entries(typesOf(schemaOf(proposal, collection).attributes))
        .filter(([, type]) => type === 'relation')
        .map(([name]) => `${collection} ${name}`),
    );
    expect(relations).to.deep.equal([]);
  });

  it('recognizes views and capped collections, and reports them', async () => {
    const { db } = store();
    await put({ plain: [{ a: 1, b: 'x' }] });
    await db.createCollection('shown', { viewOn: 'plain', pipeline: [{ $match: { a: 1 } }] });
    await db.createCollection('ring', { capped: true, size: 10_000 });
    await db.collection('ring').insertOne({ a: 1 });
    const { types } = await look({ collections: ['shown', 'ring'] });
    const notes = Object.fromEntries(types.map((type) => [type.collection, type.notes]));
    // FerretDB turns both into plain collections (docs/engines.md).
    if (store().engine.name === 'ferretdb') return expect(notes).to.deep.equal({ ring: [] });
    expect(notes).to.deep.equal({
      ring: ['it is capped: old documents are removed automatically, and documents cannot change size'],
      shown: ['it is a view: it can be read, and has no indexes'],
    });
    expect(typesOf(schemaOf(await look({ collections: ['shown'] }), 'shown').attributes)).to.deep.equal({
      a: 'integer',
      b: 'string',
    });
  });

  it('makes type names valid for schemas and different from existing ones', async () => {
    await put({ users: [{ name: 'u' }], news: [{ a: 1 }], Order_Items: [{ a: 1 }], articles: [{ a: 1 }] });
    const proposal = await look({
      collections: ['users', 'news', 'Order_Items', 'articles'],
      takenNames: new Set(['article', 'articles']),
    });
    expect(
      Object.fromEntries(proposal.types.map(({ collection, name }) => [collection, name])),
    ).to.deep.equal({
      users: { singular: 'app-user', plural: 'app-users' },
      news: { singular: 'news-item', plural: 'news-items' },
      Order_Items: { singular: 'order-item', plural: 'order-items' },
      articles: { singular: 'app-article', plural: 'app-articles' },
    });
  });

  it('on a second run adds only what is new, and keeps manual edits', async () => {
    await put({ pets: many(5, (n) => ({ name: `p${n}`, age: n, home: { city: 'x' } })) });
    const first = planProposal(await look({ collections: ['pets'] }), OWN_LAYOUT, new Map());
    expect(first.files.map(({ path }) => path)).to.deep.equal([
      'content-types/pet/schema.json',
      'content-types/components/pet/home.json',
    ]);
    const present = new Map(first.files.map(({ path, content }) => [path, content]));
    const again = planProposal(await look({ collections: ['pets'] }), OWN_LAYOUT, present);
    expect(again).to.deep.equal({ files: [], changes: [] });

    // Someone renames one attribute and deletes another.
    const edited = JSON.parse(JSON.stringify(present.get('content-types/pet/schema.json')));
    edited.attributes = { called: { type: 'string', required: true }, home: edited.attributes.home };
    edited.pluginOptions.mangrove.storage.fields = { called: 'name' };
    present.set('content-types/pet/schema.json', edited);
    await put({
      pets: many(5, (n) => ({
        name: `p${n}`,
        age: `${n} years`,
        home: { city: 'x', zip: 'z' },
        'new one': true,
      })),
    });
    const later = planProposal(await look({ collections: ['pets'] }), OWN_LAYOUT, present);
    expect(later.changes).to.deep.equal([
      'api::pet.pet: age was int and is string',
      'api::pet.pet: home.zip is new (string)',
      'api::pet.pet: new one is new (bool)',
    ]);
    const [type, component] = later.files.map(({ content }) => content);
    expect(type?.['attributes']).to.deep.equal({ ...edited.attributes, newOne: { type: 'boolean' } });
    expect((type?.['pluginOptions'] as typeof edited)?.mangrove.storage.fields).to.deep.equal({
      called: 'name',
      newOne: 'new one',
    });
    expect(component?.['attributes']).to.deep.equal({ city: { type: 'string' }, zip: { type: 'string' } });
  });
});
