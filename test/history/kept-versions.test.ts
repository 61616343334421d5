/** Whatever is written by whatever door: the kept versions tell what was stored at any moment since. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { randomOf, SEED } from '../../packages/engine/test/support/random.js';
import type { Documents } from '../../src/documents/types.js';
import { forgetVersions } from '../../src/store/history/retention.js';
import { objectAt, objectsIn } from '../../src/values/plain-object.js';
import { type TestDocuments, testDocuments } from '../support/documents.js';
import { rounds } from '../support/rounds.js';
import { componentFile, schemaOf, typeFile } from '../support/schemas.js';
import { ARTICLE, AUTHOR, flaws, HOME, library, PAGE, type Row, stored, storedAt, TAG } from './library.js';
import { openDocuments } from './open.js';

const STEPS = rounds(100, 150);

/** One random write. */
async function write(documents: Documents, random: ReturnType<typeof randomOf>, made: Map<string, string[]>) {
  const known = (uid: string): string[] => made.get(uid) ?? [];
  const some = (uid: string): string => (known(uid).length === 0 ? 'none' : random.pick(known(uid)));
  const create = async (uid: string, params: { data: object } & Row) => {
    const { documentId } = await documents(uid).create(params);
    made.set(uid, [...known(uid), String(documentId)]);
  };
  const status = random.pick(['draft', 'published'] as const);
  const number = random.below(1000);
  const article = () => ({
    title: `t${number}`,
    views: number,
    data: { number },
    author: known(AUTHOR).length > 0 ? some(AUTHOR) : null,
    tags: known(TAG).length > 0 ? [some(TAG)] : [],
    notes: [{ text: `n${number}`, tag: known(TAG).length > 0 ? some(TAG) : null }],
  });
  const locale = random.pick(['en', 'fr']);
  const calls: readonly (() => Promise<unknown>)[] = [
    () => create(ARTICLE, { data: article(), status }),
    () => create(AUTHOR, { data: { name: `a${number}` } }),
    () => create(TAG, { data: { name: `tag${number}${known(TAG).length}` } }),
    () => create(PAGE, { data: { title: `p${number}`, shared: number }, status, locale }),
    () => documents(ARTICLE).update({ documentId: some(ARTICLE), data: article(), status }),
    () => documents(ARTICLE).update({ documentId: some(ARTICLE), data: { views: number } }),
    () =>
      documents(AUTHOR).update({
        documentId: some(AUTHOR),
        data: { articles: { connect: [some(ARTICLE)] } },
      }),
    () => documents(TAG).update({ documentId: some(TAG), data: { articles: [some(ARTICLE)] } }),
    () =>
      documents(PAGE).update({
        documentId: some(PAGE),
        data: { title: `p${number}`, shared: number },
        status,
        locale,
      }),
    () => documents(HOME).create({ data: { title: `h${number}` }, status }),
    ...(['publish', 'unpublish', 'discardDraft'] as const).map(
      (action) => async () => documents(ARTICLE)[action]?.({ documentId: some(ARTICLE) }),
    ),
    async () => documents(PAGE).publish?.({ documentId: some(PAGE), locale: '*' }),
    () => documents(random.pick([ARTICLE, AUTHOR, PAGE, HOME])).delete({ documentId: some(ARTICLE) }),
    () => documents(ARTICLE).delete({ documentId: some(ARTICLE) }),
    () => documents(PAGE).delete({ documentId: some(PAGE), locale }),
    () => documents(ARTICLE).clone({ documentId: some(ARTICLE), data: { title: `c${number}` } }),
    () =>
      documents.together(AUTHOR, [
        { data: { name: `x${number}` } },
        ...(known(AUTHOR).length > 0 ? [{ documentId: some(AUTHOR), data: { name: `y${number}` } }] : []),
      ]),
  ];
  await random
    .pick(calls)()
    .catch((error: unknown) => {
      // A target or document of these is gone.
      if (!(error instanceof Error) || error.name === 'TypeError') throw error;
    });
}

describe('history: kept versions', function () {
  this.timeout(180_000);
  let opened: TestDocuments;
  before(async () => {
    opened = await testDocuments(library());
  });
  after(() => opened?.close());

  it('tell what was stored after each of many random writes', async () => {
    const { documents, store } = opened;
    const random = randomOf(SEED);
    const made = new Map<string, string[]>();
    const moments: { at: Date; was: Record<string, Row[]> }[] = [];
    for (let step = 0; step < STEPS; step++) {
      await write(documents, random, made);
      await sleep(2);
      const was = await stored(store.db);
      moments.push({ at: new Date(), was });
      await sleep(2);
    }
    expect(await flaws(store.db)).to.deep.equal([]);
    for (const { at, was } of moments) expect(await storedAt(store.db, at)).to.deep.equal(was);
    const versions = await store.db.collection('articles.history').countDocuments();
    expect(versions, 'enough was changed').to.be.above(STEPS / 8);
  });

  it('say what made each of them and what removed the last', async () => {
    const { documents, store } = opened;
    const { documentId } = await documents(ARTICLE).create({ data: { title: 'one' } });
    const id = String(documentId);
    await documents(ARTICLE).update({ documentId: id, data: { title: 'two' }, status: 'published' });
    await documents(ARTICLE).unpublish?.({ documentId: id });
    await documents(ARTICLE).delete({ documentId: id });
    const versions = await store.db
      .collection('articles.history')
      .find({ documentId: id })
      .sort({ '_version.from': 1, '_version.status': 1 })
      .toArray();
    expect(
      versions.map(({ title, _version: { status, made, removed } }) => [
        title,
        status,
        made?.event,
        removed?.event,
      ]),
    ).to.deep.equal([
      ['one', 'draft', 'entry.create', undefined],
      ['two', 'draft', 'entry.update', 'entry.delete'],
      ['two', 'published', 'entry.publish', 'entry.unpublish'],
    ]);
  });

  it('keep what other programs have stored when the next process opens the database, or the next write finds it', async () => {
    const { documents, store, uri, name } = opened;
    const ids = await documents.together(
      AUTHOR,
      ['a', 'b', 'c', 'd'].map((one) => ({ data: { name: one } })),
    );
    const [changed = '', written = '', gone = '', same = ''] = ids;
    const authors = store.db.collection('authors');
    const history = store.db.collection('authors.history');
    await authors.updateOne(
      { documentId: changed },
      { $set: { name: 'other', updatedAt: new Date(), _rev: 'x' } },
    );
    await authors.updateOne(
      { documentId: written },
      { $set: { name: 'other', updatedAt: new Date(), _rev: 'y' } },
    );
    await authors.deleteOne({ documentId: gone });
    await history.deleteMany({ documentId: same });
    await documents(AUTHOR).update({ documentId: written, data: { name: 'ours' } });
    const next = await openDocuments(uri, name);
    for (let tries = 0; tries < 200; tries++) {
      if (JSON.stringify(await storedAt(store.db, new Date())) === JSON.stringify(await stored(store.db)))
        break;
      await sleep(100);
    }
    await next.store.close();
    const namesOf = async (documentId: string) =>
      (await history.find({ documentId }).sort({ '_version.from': 1 }).toArray()).map((one) => [
        one['name'],
        one['_version'].made?.event ?? null,
      ]);
    expect(await namesOf(changed)).to.deep.equal([
      ['a', 'entry.create'],
      ['other', null],
    ]);
    expect(await namesOf(written)).to.deep.equal([
      ['b', 'entry.create'],
      ['other', null],
      ['ours', 'entry.update'],
    ]);
    expect(await namesOf(same)).to.deep.equal([['d', null]]);
    expect(
      await history.countDocuments({ documentId: gone, '_version.until': { $gt: new Date() } }),
    ).to.equal(0);
    expect(await storedAt(store.db, new Date())).to.deep.equal(await stored(store.db));
  });

  it('begin in the same millisecond if one write makes them, though one of them has to follow a later clock', async () => {
    const { documents, store } = opened;
    const author = String((await documents(AUTHOR).create({ data: { name: 'a' } })).documentId);
    const article = String((await documents(ARTICLE).create({ data: { title: 'a' } })).documentId);
    const [authors, articles] = ['authors.history', 'articles.history'].map((name) =>
      store.db.collection(name),
    );
    const ahead = new Date(Date.now() + 60_000);
    await authors?.updateOne({ documentId: author }, { $set: { '_version.from': ahead } });
    await documents.transaction(async (inside) => {
      await inside(ARTICLE).update({ documentId: article, data: { title: 'b' }, status: 'published' });
      await inside(AUTHOR).update({ documentId: author, data: { name: 'b' } });
      await inside(AUTHOR).create({ data: { name: 'c' } });
    });
    const current = {
      '_version.until': { $gt: new Date(Date.now() + 120_000) },
      '_version.from': { $gt: ahead },
    };
    const made = [articles, authors].map((history) => history?.find(current).toArray() ?? []);
    const times = (await Promise.all(made)).flat().map(({ _version }) => _version.from.getTime());
    expect(times).to.deep.equal(Array(4).fill(ahead.getTime() + 1));
    for (const [uid, documentId] of [
      [ARTICLE, article],
      [AUTHOR, author],
    ] as const)
      await documents(uid).delete({ documentId });
  });

  it('are forgotten by days and count, but for the current ones', async () => {
    const { documents, store } = opened;
    const history = store.db.collection('authors.history');
    await history.deleteMany({});
    const documentId = String((await documents(AUTHOR).create({ data: { name: 'n0' } })).documentId);
    for (let at = 1; at < 6; at++) await documents(AUTHOR).update({ documentId, data: { name: `n${at}` } });
    const names = async () =>
      (await history.find({ documentId }).sort({ '_version.from': 1 }).toArray()).map((one) => one['name']);
    const limited = (limits: object) => schemaOf(typeFile('author', {}, { options: { history: limits } }));
    await forgetVersions(store.db, limited({ count: 3 }));
    expect(await names()).to.deep.equal(['n2', 'n3', 'n4', 'n5']);
    const old = new Date(Date.now() - 3 * 24 * 3600 * 1000);
    await history.updateOne({ documentId, name: 'n3' }, { $set: { '_version.until': old } });
    await forgetVersions(store.db, limited({ days: 4 }));
    expect(await names()).to.deep.equal(['n2', 'n3', 'n4', 'n5']);
    await forgetVersions(store.db, limited({ days: 2 }));
    expect(await names()).to.deep.equal(['n2', 'n4', 'n5']);
  });

  it('stay as they were stored, though another program changes an entry and leaves its revision', async () => {
    const { documents, store } = opened;
    const { documentId } = await documents(ARTICLE).create({ data: { title: 'ours', views: 1 } });
    const filter = { documentId: String(documentId) };
    await store.db.collection('articles.drafts').updateOne(filter, { $set: { title: 'theirs' } });
    await documents(ARTICLE).update({ ...filter, data: { views: 2 } });
    const kept = await store.db
      .collection('articles.history')
      .find(filter)
      .sort({ '_version.from': 1 })
      .toArray();
    expect(kept.map(({ title, views }) => [title, views])).to.deep.equal([
      ['ours', 1],
      ['theirs', 2],
    ]);
    await documents(ARTICLE).delete(filter);
  });

  it('take one command that reads the last ones, for all writes that come together', async () => {
    const { uri, name } = opened;
    const watched = `${uri.replace(/\/$/, '')}${uri.includes('?') ? '&' : '/?'}monitorCommands=true`;
    const { documents, store } = await openDocuments(watched, name, library(), false);
    const ids = await documents.together(
      AUTHOR,
      Array.from({ length: 20 }, () => ({ data: { name: 'before' } })),
    );
    let reads = 0;
    store.client.on('commandStarted', ({ command }) => {
      if (command['find'] === 'authors.history') reads += 1;
    });
    await Promise.all(
      ids.map((documentId) => documents(AUTHOR).update({ documentId, data: { name: documentId } })),
    );
    expect(reads, 'commands').to.be.within(1, ids.length / 2 - 1);
    for (const documentId of ids) {
      const kept = await store.db
        .collection('authors.history')
        .find({ documentId })
        .sort({ '_version.from': 1 })
        .toArray();
      expect(kept.map((one) => one['name'])).to.deep.equal(['before', documentId]);
    }
    await store.close();
  });

  it('are not kept, and nothing is read for them, where no type has the option', async () => {
    const { uri } = opened;
    const watched = `${uri.replace(/\/$/, '')}${uri.includes('?') ? '&' : '/?'}monitorCommands=true`;
    const schema = schemaOf(typeFile('plain', { name: { type: 'string' } }));
    const { documents, store } = await openDocuments(watched, `${opened.name}_plain`, schema);
    const commands: string[] = [];
    store.client.on('commandStarted', ({ command }) => commands.push(JSON.stringify(command)));
    await documents('api::plain.plain').create({ data: { name: 'x' } });
    expect(commands.filter((text) => text.includes('plains'))).to.not.deep.equal([]);
    expect(commands.filter((text) => text.includes('history'))).to.deep.equal([]);
    const names = (await store.db.listCollections().toArray()).map(({ name }) => name);
    expect(names.filter((one) => one.includes('history'))).to.deep.equal([]);
    await store.db.dropDatabase();
    await store.close();
  });

  it('have passwords, of which a restore leaves the one of now, and gives a deleted document that of the version', async () => {
    const lock = { type: 'component', component: 'shared.lock', repeatable: true };
    const attributes = { name: { type: 'string' }, code: { type: 'password' }, locks: lock };
    const schema = schemaOf(
      typeFile('member', attributes, { options: { history: { count: 9 } } }),
      componentFile('shared.lock', { pin: { type: 'password' } }),
    );
    const { documents, store, close } = await testDocuments(schema);
    const members = documents('api::member.member');
    const codeOf = async (documentId: string) =>
      (await store.db.collection('members').findOne({ documentId }))?.['code'];
    const documentId = String((await members.create({ data: { name: 'a', code: 'first one' } })).documentId);
    await members.update({ documentId, data: { name: 'b', code: 'second one' } });
    const now = await codeOf(documentId);
    expect(now).to.be.a('string');
    const versions = (await members.findVersions?.({ documentId })) ?? [];
    await members.restore?.({ documentId, version: versions[1]?.id ?? '' });
    expect((await members.findOne({ documentId }))?.['name']).to.equal('a');
    expect(await codeOf(documentId)).to.equal(now);
    const pinsOf = async () =>
      ((await store.db.collection('members').findOne({ documentId }))?.['locks'] ?? []).map(
        ({ pin }: { readonly pin: unknown }) => pin,
      );
    await members.update({ documentId, data: { locks: [{ pin: 'first' }, { pin: 'second' }] } });
    const both = await pinsOf();
    const { locks: found } = objectAt(await members.findOne({ documentId, populate: ['locks'] }));
    const [kept] = objectsIn(found);
    await members.update({ documentId, data: { locks: [{ id: kept?.['id'], pin: 'third' }] } });
    const [third] = await pinsOf();
    const [, earlier] = (await members.findVersions?.({ documentId })) ?? [];
    await members.restore?.({ documentId, version: earlier?.id ?? '' });
    // The item that is gone has no password of now.
    expect(await pinsOf()).to.deep.equal([third, both[1]]);
    await members.delete({ documentId });
    await members.restore?.({ documentId, version: versions[0]?.id ?? '' });
    expect(await codeOf(documentId)).to.equal(now);
    await close();
  });
});
