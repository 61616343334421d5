/** Lifecycles of the rows of one call: which they are is compared with Strapi in project.test.ts. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Serving, startServing } from '../../src/serve/index.js';
import { Lifecycles } from '../../src/strapi/lifecycles.js';
import { objectAt } from '../../src/values/plain-object.js';
import { writeFiles } from '../support/write-files.js';
import { dropWhenDone, testDatabase } from './support.js';

const UID = 'api::note.note';

describe("lifecycles of a call's rows", function () {
  this.timeout(180_000);
  let root: string;
  let serving: Serving;

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-strapi-lifecycles-'));
    await writeFiles(root, {
      'src/api/note/content-types/note/schema.json': {
        kind: 'collectionType',
        collectionName: 'notes',
        info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
        options: { draftAndPublish: true, history: { count: 20 } },
        attributes: {
          title: { type: 'string' },
          log: { type: 'string' },
          state: { type: 'enumeration', enum: ['new', 'seen'], default: 'new' },
          secret: { type: 'string', private: true },
          code: { type: 'password' },
          next: { type: 'relation', relation: 'oneToOne', target: UID },
          any: { type: 'relation', relation: 'morphToMany' },
          others: { type: 'relation', relation: 'manyToMany', target: UID },
        },
      },
      'src/api/note/content-types/note/lifecycles.js': `module.exports = {
        beforeUpdate({ params: { data } }) {
          globalThis.noteLinks.push([data.next, data.others]);
          if (globalThis.noteLinked) data.others.connect[0].id = globalThis.noteLinked;
        },
        beforeFindMany({ params }) {
          if (!globalThis.noteReads) return;
          params.where.title = 'kept';
          globalThis.noteReads.push(Object.keys(params.where));
        },
        beforeCreate({ params }) {
          const { data } = params;
          if (globalThis.notePopulated) params.populate = ['others'];
          globalThis.noteData.push({ ...data });
          globalThis.noteLinks.push([data.next, data.others]);
          if (data.title === 'unseen' && !data.state) data.state = 'seen';
          if (data.title === 'invalid' && data.publishedAt) data.state = 'other';
          if (data.title === 'linked' && data.publishedAt) data.next = { set: [] };
          if (data.title !== 'plain') data.log = (data.log ?? '') + 'x';
        },
        afterCreate({ result }) { globalThis.noteResults.push([result.publishedAt !== null, result.title]); },
        afterDelete({ result }) { globalThis.noteDeleted.push({ ...result }); result.title = 'left'; },
        beforeDelete() { if (globalThis.noteRefused) throw new Error('kept'); },
      };`,
    });
    serving = await startServing({ root, overrides: testDatabase() });
  });
  beforeEach(() =>
    Object.assign(globalThis, {
      noteResults: [],
      noteLinks: [],
      noteData: [],
      noteReads: null,
      noteRefused: false,
      noteDeleted: [],
      noteLinked: null,
    }),
  );
  after(async () => {
    await dropWhenDone(serving);
    await rm(root, { recursive: true, force: true });
  });
  const notes = () => serving.project.documents(UID);
  const both = async (documentId: unknown) => {
    const at = { documentId: String(documentId), fields: ['title', 'log'] };
    const shown = (entry: object | null) => entry && [objectAt(entry)['title'], objectAt(entry)['log']];
    return [
      shown(await notes().findOne({ ...at, status: 'draft' })),
      shown(await notes().findOne({ ...at, status: 'published' })),
    ];
  };

  it('beforeCreate sees the defaults, as in Strapi, and may change them', async () => {
    const { documentId } = await notes().create({ data: { title: 'unseen' }, status: 'published' });
    const states = Object(globalThis).noteData.map((data: object) => objectAt(data)['state']);
    expect(states).to.eql(['new', 'new']);
    expect(await notes().findOne({ documentId: String(documentId) })).to.include({ state: 'new' });
    Object.assign(globalThis, { noteData: [] });
    const given = await notes().create({ data: { title: 'unseen', state: null } });
    expect(given).to.include({ state: 'seen' });
  });

  it('each created row has its event; what the second changes is in the published version', async () => {
    const { documentId } = await notes().create({ data: { title: 'a' }, status: 'published' });
    expect(await both(documentId)).to.eql([
      ['a', 'x'],
      ['a', 'xx'],
    ]);
    expect(Object(globalThis).noteResults).to.eql([
      [false, 'a'],
      [true, 'a'],
    ]);
  });

  it('one that throws leaves nothing written: neither the draft nor the published row', async () => {
    const { documentId } = await notes().create({ data: { title: 'plain' }, status: 'published' });
    Object(globalThis).noteRefused = true;
    const changed = { documentId: String(documentId), data: { title: 'changed' }, status: 'published' };
    expect(await notes().update(changed).catch(String)).to.include('kept');
    expect(await both(documentId)).to.eql([
      ['plain', null],
      ['plain', null],
    ]);
  });

  it('what one changes of a row that is copied is in this row, each time anew, and validated', async () => {
    const { documentId } = await notes().create({ data: { title: 'b' } });
    const changed = { documentId: String(documentId), data: { title: 'c' }, status: 'published' };
    for (const write of [
      () => notes().publish?.({ documentId: String(documentId) }),
      () => notes().publish?.({ documentId: String(documentId) }),
      () => notes().update(changed),
    ]) {
      await write();
      const [draft, published] = await both(documentId);
      expect([draft?.[1], published?.[1]]).to.eql(['x', 'xx']);
    }
    await notes().discardDraft?.({ documentId: String(documentId) });
    expect(await both(documentId)).to.eql([
      ['c', 'xxx'],
      ['c', 'xx'],
    ]);
    const invalid = notes().create({ data: { title: 'invalid' }, status: 'published' });
    expect(await invalid.catch(({ name, message }) => [name, message])).to.eql([
      'ValidationError',
      'state must be one of the following values: new, seen, ',
    ]);
  });

  it('one that changes links that publish copies is unsupported, by name, and nothing is published', async () => {
    const { documentId } = await notes().create({ data: { title: 'linked' } });
    expect(
      await notes()
        .publish?.({ documentId: String(documentId) })
        .catch(String),
    ).to.include('A lifecycle that changes the data of publish is not supported by Mangrove');
    expect(await both(documentId)).to.eql([['linked', 'x'], null]);
  });

  it('an update of a document that does not exist has no events', async () => {
    const none = { documentId: 'none', data: { title: 'c' }, status: 'published' };
    expect(await notes().update(none)).to.equal(null);
    expect(Object(globalThis).noteResults).to.eql([]);
  });

  it('of roles are told to run only partly', () => {
    const told: unknown[] = [];
    const { api } = new Lifecycles(
      () => serving.project,
      (event) => void told.push(event),
    );
    api.subscribe({ models: [UID], beforeCreate() {} });
    expect(told).to.eql([]);
    const uid = 'plugin::users-permissions.role';
    api.subscribe({ models: [uid], afterCreate() {} });
    expect(told).to.eql([{ name: 'lifecycles-partly-run', uid }]);
  });

  it('a restored version has the events of its rows; one that throws leaves the draft as it is', async () => {
    const documentId = String((await notes().create({ data: { title: 'plain', log: 'first' } })).documentId);
    await notes().update({ documentId, data: { log: 'second' } });
    const version = (await notes().findVersions?.({ documentId }))?.at(-1)?.id ?? '';
    Object.assign(globalThis, { noteResults: [], noteRefused: true });
    const refused = await notes()
      .restore?.({ documentId, version })
      .catch((error: unknown) => error);
    expect(String(refused)).to.include('kept');
    expect(await both(documentId)).to.eql([['plain', 'second'], null]);
    Object.assign(globalThis, { noteRefused: false });
    await notes().restore?.({ documentId, version });
    expect(await both(documentId)).to.eql([['plain', 'first'], null]);
    expect(Reflect.get(globalThis, 'noteResults')).to.eql([[false, 'plain']]);
  });

  it('what a lifecycle changes in a restored version is stored', async () => {
    const documentId = String((await notes().create({ data: { title: 'a', log: 'one' } })).documentId);
    await notes().update({ documentId, data: { title: 'b', log: 'two' } });
    const version = (await notes().findVersions?.({ documentId }))?.at(-1)?.id ?? '';
    await notes().restore?.({ documentId, version });
    expect(await both(documentId), 'the hook has seen what the version has').to.eql([['a', 'onexx'], null]);
    await notes().delete({ documentId });
    await notes().restore?.({ documentId, version });
    expect(await both(documentId), 'of a document that was deleted').to.eql([['a', 'onexx'], null]);
  });

  it('deleted rows are results without what they are linked to; what delete makes of them is its answer', async () => {
    const other = await notes().create({ data: { title: 'plain' }, status: 'published' });
    const data = { title: 'plain', others: [String(other['documentId'])] };
    const documentId = String((await notes().create({ data, status: 'published' })).documentId);
    await notes().publish?.({ documentId });
    const [replaced] = Reflect.get(globalThis, 'noteDeleted');
    expect(replaced)
      .to.include({ documentId, title: 'plain' })
      .and.not.have.any.keys('others', 'next', 'createdBy');
    const answer = await notes().delete({ documentId, populate: ['others'] });
    const seen = Reflect.get(globalThis, 'noteDeleted').slice(1);
    expect(seen.map(({ title, others }: Record<string, unknown>) => [title, Object(others).length])).to.eql([
      ['plain', 1],
      ['plain', 1],
    ]);
    expect(answer.entries.map(({ title }) => title)).to.eql(['left', 'left']);
  });

  it('of a row that publish creates may change what the call answers with', async () => {
    const { documentId } = await notes().create({ data: { title: 'plain' } });
    Object.assign(globalThis, { notePopulated: true });
    const published = await notes().publish?.({ documentId: String(documentId) });
    Object.assign(globalThis, { notePopulated: false });
    expect(published?.entries[0]?.['others']).to.eql([]);
  });

  const documentIdOf = (note: object): string => String(objectAt(note)['documentId']);

  it('each row of a published call shows a hash and no translations, as in Strapi', async () => {
    const seen: Record<string, unknown>[] = [];
    Object.assign(globalThis, { noteData: seen });
    await notes().create({ data: { title: 'plain', code: 'Secret-123' }, status: 'published' });
    const made = await notes().create({ data: { title: 'plain' } });
    await notes().publish?.({ documentId: String(made['documentId']) });
    expect(seen).to.have.length(4);
    for (const data of seen) expect(data).not.to.have.property('localizations');
    for (const data of seen.slice(0, 2)) expect(data['code']).to.match(/^\$2[aby]\$/u);
    expect(seen[0]?.['code'], 'the same password is hashed once').to.equal(seen[1]?.['code']);
    expect(seen.slice(0, 2).map(({ publishedAt }) => publishedAt !== null)).to.deep.equal([false, true]);
  });

  it('a read without filters has a where to add to, as in Strapi', async () => {
    const seen: unknown[] = [];
    Object.assign(globalThis, { noteReads: seen });
    const { documentId } = await notes().create({ data: { title: 'kept' } });
    const found = await notes().findMany({ status: 'draft', sort: 'id' });
    expect(found.map((note) => note['documentId'])).to.deep.equal([documentId]);
    expect(seen).to.deep.equal([['publishedAt', 'title']]);
  });

  it('links are those of rows, however the caller names documents', async () => {
    const a = await notes().create({ data: { title: 'plain' }, status: 'published' });
    const b = await notes().create({ data: { title: 'plain' } });
    const idOf = async (note: object, status: 'draft' | 'published') =>
      objectAt(await notes().findOne({ documentId: documentIdOf(note), status }))['id'];
    const [drafts, published] = [
      { a: await idOf(a, 'draft'), b: await idOf(b, 'draft') },
      { a: await idOf(a, 'published') },
    ];
    const links = async (work: () => Promise<unknown>) => {
      Object.assign(globalThis, { noteLinks: [] });
      const made = await work();
      return { made: Object(made), seen: Object(globalThis).noteLinks };
    };
    const { made, seen } = await links(() =>
      notes().create({
        data: {
          title: 'plain',
          next: a.documentId,
          others: [{ documentId: a.documentId }, Number(drafts.b)],
        },
        status: 'published',
      }),
    );
    expect(seen).to.eql([
      [{ set: [{ id: drafts.a }] }, { set: [{ id: drafts.a }, { id: drafts.b }] }],
      // No published row of the other one.
      [{ set: [{ id: published.a }] }, { set: [{ id: published.a }, { id: drafts.b }] }],
    ]);
    const of = { documentId: String(made.documentId) };
    const connect = [{ documentId: b.documentId, position: { start: true } }];
    const changed = await links(() => notes().update({ ...of, data: { next: null, others: { connect } } }));
    expect(changed.seen).to.eql([[null, { connect: [{ id: drafts.b, position: { start: true } }] }]]);
    const any = [{ documentId: a.documentId, __type: 'api::none.none' }];
    const refused = await notes()
      .update({ ...of, data: { any } })
      .catch((error: unknown) => error);
    expect(objectAt(refused)['code']).to.equal('content-type-unknown');
    // What a lifecycle changes within a link is written.
    const documentId = documentIdOf(await notes().create({ data: { title: 'plain' } }));
    Object.assign(globalThis, { noteLinked: drafts.a });
    await notes().update({ documentId, data: { others: { connect: [b.documentId] } } });
    const shown = await notes().findOne({ documentId, populate: ['others'] });
    expect(Object(shown).others.map((one: object) => objectAt(one)['documentId'])).to.eql([a.documentId]);
  });
});
