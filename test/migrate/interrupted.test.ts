/** Migrations that are killed, refused, or undone in another order than that of their names. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { withStore } from '../../src/cli/with-store.js';
import { up } from '../../src/migrate/migrate.js';
import { openStore, type Store } from '../../src/store/client.js';
import { commandOf, startProxy } from '../support/wire-proxy.js';
import { type ChangingProject, changingProject, type, using } from './project.js';

const NOTE = 'api::note.note';
const string = { type: 'string' };
const DP = { options: { draftAndPublish: true } };
const WRITES = new Set(['insert', 'update', 'delete', 'renameCollection', 'drop', 'findAndModify']);
const LEASE = 100;

const migration = (name: string, steps: string) => ({
  [`migrations/${name}.mjs`]: `export default { steps: [${steps}] };`,
});

const migrate = ({ root, store }: ChangingProject, through: Store = store): Promise<readonly string[]> =>
  withStore(root, ({ schema }) =>
    up({ root, store: through, schema, defaultLocale: 'en' }, { lease: LEASE }),
  );

/** Migrates, but as if the process was killed at its nth write; false if it makes fewer. */
async function killedAt(opened: ChangingProject, nth: number): Promise<boolean> {
  let writes = 0;
  const proxy = await startProxy(opened.uri, (message) => {
    if (WRITES.has(commandOf(message) ?? '')) writes += 1;
    return writes >= nth ? { ok: 0, code: 8000, errmsg: 'killed' } : 0;
  });
  const store = await openStore({ uri: proxy.uri, name: opened.store.db.databaseName });
  try {
    await migrate(opened, store).catch(() => undefined);
  } finally {
    await store.close();
    await proxy.close();
  }
  return writes >= nth;
}

describe('migrations that do not go through', function () {
  this.timeout(180_000);
  let opened: ChangingProject;
  afterEach(() => opened.close());

  const stored = (name = 'notes') => opened.store.db.collection(name);

  it('wherever adding drafts was killed, all entries are published in the end, and have drafts', async () => {
    opened = await changingProject(type('note', { title: string }));
    await using(opened, async () => undefined);
    await opened.write({
      ...type('note', { title: string }, DP),
      ...migration('1', `{ addDrafts: '${NOTE}' }`),
    });
    const applied = await opened.store.db.collection('mangrove.migrations').find().toArray();
    let kills = 0;
    for (let nth = 1; ; nth += 1) {
      await stored().deleteMany({});
      await stored('notes.drafts').deleteMany({});
      await opened.store.db.collection('mangrove.migrations').deleteMany({});
      await opened.store.db.collection('mangrove.migrations').insertMany(applied);
      await stored().insertMany(
        [1, 2].map((id) => ({ id, documentId: `d${id}`, locale: null, title: 'a', publishedAt: null })),
      );
      if (!(await killedAt(opened, nth))) break;
      kills += 1;
      await migrate(opened);
      expect(await stored().countDocuments({ publishedAt: { $type: 'date' } }), `write ${nth}`).to.equal(2);
      expect(await stored('notes.drafts').countDocuments({ publishedAt: null })).to.equal(2);
    }
    expect(kills).to.be.above(5);
  });

  it('drafts that were set aside stay, also if an older server made the collection again before the step was recorded', async () => {
    opened = await changingProject(type('note', { title: string }, DP));
    await using(opened, ({ documents }) => documents(NOTE).create({ data: { title: 'before' } }));
    await opened.write({
      ...type('note', { title: string }),
      ...migration('1', `{ removeDrafts: '${NOTE}', unpublished: 'leave' }`),
    });
    await migrate(opened);
    await opened.store.db
      .collection<{ _id: string }>('mangrove.migrations')
      .updateOne({ _id: 'run/1' }, { $set: { state: 'running', step: 0 } });
    await stored('notes.drafts').insertOne({ id: 2, documentId: 'later', locale: null, title: 'later' });
    await migrate(opened);
    expect(await stored('notes.drafts.before.1').distinct('title')).to.have.members(['before', 'later']);
    expect(await stored('notes.drafts').countDocuments()).to.equal(0);
  });

  it('what a step on whole collections cannot do is refused before anything is written, and the preview says so', async () => {
    const localized = { pluginOptions: { i18n: { localized: true } } };
    opened = await changingProject(type('note', { a: { ...string, ...localized } }, localized));
    await using(opened, async ({ documents }) => {
      for (const locale of ['en', 'fr']) await documents(NOTE).create({ data: { a: locale }, locale });
    });
    await stored('papers').insertOne({ of: 'another program' });
    const rename = `{ renameAttribute: 'a', of: '${NOTE}', to: 'b' }`;
    await opened.write({
      ...type('note', { b: string }, { collectionName: 'papers' }),
      ...migration(
        '1',
        `${rename}, { unlocalize: '${NOTE}', keep: 'en' }, { renameCollection: '${NOTE}', to: 'papers' }`,
      ),
    });
    const dry = await opened.run('migrate', 'up', '--dry-run');
    expect(dry.status).to.equal(1);
    expect(dry.stdout).to.include('cannot: notes has entries in other locales than en');
    expect(dry.stdout).to.include('cannot: papers contains documents, so notes cannot be renamed to it');
    expect(await migrate(opened).catch(String)).to.include('nothing was written');
    expect(await stored().countDocuments({ a: { $exists: true } })).to.equal(2);
    expect((await opened.run('migrate', 'status')).stdout).to.not.include('running');
  });

  it('two types may trade their collections, by way of a third', async () => {
    const types = (notes: string, tags: string) => ({
      ...type('note', { title: string }, { collectionName: notes }),
      ...type('tag', { title: string }, { collectionName: tags }),
    });
    opened = await changingProject(types('as', 'bs'));
    await using(opened, async ({ documents }) => {
      await documents(NOTE).create({ data: { title: 'a note' } });
      await documents('api::tag.tag').create({ data: { title: 'a tag' } });
    });
    const to = (uid: string, name: string): string => `{ renameCollection: '${uid}', to: '${name}' }`;
    await opened.write({
      ...types('bs', 'as'),
      ...migration('1', [to(NOTE, 'cs'), to('api::tag.tag', 'as'), to(NOTE, 'bs')].join()),
    });
    await migrate(opened);
    expect(await stored('bs').distinct('title')).to.eql(['a note']);
    expect(await stored('as').distinct('title')).to.eql(['a tag']);
  });

  it('values of an attribute that was removed earlier do not replace those of one that gets its name', async () => {
    opened = await changingProject(type('note', { name: string, title: string }));
    await using(opened, ({ documents }) => documents(NOTE).create({ data: { name: 'old', title: 'kept' } }));
    await opened.write(type('note', { title: string }));
    await using(opened, async () => undefined);
    await opened.write({
      ...type('note', { name: string }),
      ...migration('1', `{ renameAttribute: 'title', of: '${NOTE}', to: 'name' }`),
    });
    expect((await opened.run('migrate', 'up', '--dry-run')).stdout).to.include('→ {"name":"kept"}');
    await migrate(opened);
    expect(await stored().distinct('name')).to.eql(['kept']);
  });

  it('down undoes the migration that was applied last, whatever its name', async () => {
    opened = await changingProject(type('note', { a: string, c: string }));
    await using(opened, ({ documents }) => documents(NOTE).create({ data: { a: 'a', c: 'c' } }));
    await opened.write({
      ...type('note', { b: string, c: string }),
      ...migration('2', `{ renameAttribute: 'a', of: '${NOTE}', to: 'b' }`),
    });
    await migrate(opened);
    await opened.write({
      ...type('note', { b: string, d: string }),
      ...migration('1', `{ renameAttribute: 'c', of: '${NOTE}', to: 'd' }`),
    });
    await migrate(opened);
    expect((await opened.run('migrate', 'down')).stderr).to.include('1: renameAttribute d');
    expect(await stored().countDocuments({ b: 'a', c: 'c' })).to.equal(1);
    await rm(join(opened.root, 'migrations/1.mjs'));
    await opened.write(type('note', { b: string, c: string }));
    await using(opened, async () => undefined);
  });

  it('a value that cannot be converted back stops down before anything is written', async () => {
    opened = await changingProject(type('note', { a: string, size: { type: 'integer' } }));
    await using(opened, async () => undefined);
    await opened.write({
      ...type('note', { b: string, size: string }),
      ...migration(
        '1',
        `{ changeType: 'size', of: '${NOTE}', to: 'string', back: (value) => value }, { renameAttribute: 'a', of: '${NOTE}', to: 'b' }`,
      ),
    });
    await migrate(opened);
    await using(opened, ({ documents }) => documents(NOTE).create({ data: { b: 'b', size: 'many' } }));
    expect((await opened.run('migrate', 'down')).stderr).to.include('nothing was written');
    expect(await stored().countDocuments({ b: 'b' })).to.equal(1);
    expect((await opened.run('migrate', 'status')).stdout).to.not.include('undoing');
  });
});
