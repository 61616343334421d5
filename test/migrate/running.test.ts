import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { until } from '../../packages/engine/test/support/until.js';
import { type Serving, startServing } from '../../src/serve/index.js';
import { takeMigrationLock } from '../../src/store/leases/migrations.js';
import { compiled } from '../support/compiled.js';
import { type ChangingProject, changingProject, type, using } from './project.js';

const MAIN = compiled('src/cli/main.ts');
const NOTE = 'api::note.note';
const ENTRIES = 3000;
const string = { type: 'string' };

describe('migrating a database in use', function () {
  this.timeout(180_000);
  let opened: ChangingProject;
  afterEach(() => opened.close());

  it('after a kill -9, a migration resumes where it stopped, and changes each entry once', async () => {
    opened = await changingProject(type('note', { n: { type: 'integer' } }));
    await using(opened, async () => undefined);
    const notes = opened.store.db.collection('notes');
    await notes.insertMany(
      Array.from({ length: ENTRIES }, (_, id) => ({ id: id + 1, documentId: `d${id}`, locale: null, n: 0 })),
    );
    await opened.write({
      // It does not get past its last entry before it is killed, except when it tries itself before it writes anything.
      'migrations/1-count.mjs': `
        let passes = Number(process.env.PASSES);
        const add = (more) => (entry) => {
          const n = entry.n + more;
          const waits = entry.id === ${ENTRIES} && String(n) === process.env.WAITS_AT && passes-- === 0;
          return waits ? new Promise(() => {}) : { ...entry, n };
        };
        export default { steps: [{ documents: '${NOTE}', change: add(1) }, { documents: '${NOTE}', change: add(10) }] };`,
    });
    for (const [value, from, passes] of [
      [1, 700, 1],
      [11, 1200, 0],
    ] as const) {
      const env = { ...process.env, WAITS_AT: String(value), PASSES: String(passes) };
      const child = spawn(process.execPath, [MAIN, '--root', opened.root, 'migrate', 'up'], { env });
      const ended = once(child, 'exit');
      await until(
        async () => (await notes.countDocuments({ n: value })) >= from,
        () => `fewer than ${from}`,
        { every: 20, over: () => child.exitCode !== null },
      );
      child.kill('SIGKILL');
      await ended;
      expect(await notes.countDocuments({ n: value })).to.be.below(ENTRIES);
    }
    const { stderr } = await opened.open().then(
      (project) => project.close().then(() => ({ stderr: 'served' })),
      (error: Error) => ({ stderr: error.message }),
    );
    expect(stderr).to.include('1-count was interrupted');
    const up = await opened.run('migrate', 'up');
    expect(up.status, up.stderr).to.equal(0);
    expect(await notes.countDocuments({ n: 11 })).to.equal(ENTRIES);
    expect(await notes.countDocuments({ _migrated: { $exists: true } })).to.equal(0);
    expect((await opened.run('migrate', 'down')).stderr).to.include('it has no "undo"');
  });

  it('only one process migrates at a time; the lock of a dead process is taken over', async () => {
    opened = await changingProject(type('note', { title: string }));
    const { db } = opened.store;
    const first = await takeMigrationLock(db, 200);
    expect(first).not.to.equal(null);
    expect(await takeMigrationLock(db, 200)).to.equal(null);
    expect((await opened.run('migrate', 'up')).stderr).to.include('another process is migrating');
    await first?.release();
    await db
      .collection<{ _id: string }>('mangrove.migrations')
      .insertOne({ _id: 'lock', owner: 'dead', beat: 3 } as never);
    const [one, two] = await Promise.all([takeMigrationLock(db, 200), takeMigrationLock(db, 200)]);
    expect([one, two].filter((lock) => lock !== null)).to.have.length(1);
    await (one ?? two)?.release();
  });

  it('values that cannot be converted are reported, and nothing is written', async () => {
    opened = await changingProject(type('note', { a: string, size: string }));
    await using(opened, async ({ documents }) => {
      await documents(NOTE).create({ data: { a: 'x', size: '12' } });
      await documents(NOTE).create({ data: { a: 'y', size: 'many' } });
    });
    await opened.write(type('note', { b: string, size: { type: 'integer' } }));
    const file = (await opened.run('migrate', 'create')).stdout.trim();
    const dry = await opened.run('migrate', 'up', '--dry-run');
    expect(dry.status).to.equal(1);
    expect(dry.stdout).to.match(/cannot: api::note\.note \w+: size "?\\?"many/);
    const { status, stderr } = await opened.run('migrate', 'up');
    expect(status).to.equal(1);
    expect(stderr).to.include('nothing was written');
    expect(await opened.store.db.collection('notes').countDocuments({ a: { $exists: true } })).to.equal(2);
    await rm(join(opened.root, file));
    await opened.write({
      'migrations/2.mjs': `export default { steps: [{ renameAttribute: 'a', of: '${NOTE}', to: 'b' }, { changeType: 'size', of: '${NOTE}', to: 'integer', otherwise: 'null' }] };`,
    });
    // A start may also apply pending migrations.
    await opened.write({
      'config/database.json': { uri: opened.uri, name: opened.store.db.databaseName, migrations: 'run' },
    });
    await using(opened, async ({ documents }) => {
      const rows = (await documents(NOTE).findMany({ sort: 'id' })) as unknown as {
        b: string;
        size: number;
      }[];
      expect(rows.map(({ b, size }) => [b, size])).to.eql([
        ['x', 12],
        ['y', null],
      ]);
    });
  });

  it('a relation now stored on its other side is reported, and its links are not silently lost', async () => {
    const relation = (kind: string, target: string, more: object) => ({
      type: 'relation',
      relation: kind,
      target: `api::${target}.${target}`,
      ...more,
    });
    const types = (here: object, there: object) => ({
      ...type('note', { title: { type: 'string' }, tags: relation('oneToMany', 'tag', here) }),
      ...type('tag', { label: { type: 'string' }, ...there }),
    });
    opened = await changingProject(types({}, {}));
    await using(opened, async ({ documents }) => {
      const tag = await documents('api::tag.tag').create({ data: { label: 'x' } });
      await documents('api::note.note').create({ data: { title: 'a', tags: [tag['documentId']] } });
    });
    await opened.write(
      types({ mappedBy: 'note' }, { note: relation('manyToOne', 'note', { inversedBy: 'tags' }) }),
    );
    const refused = await opened.open().catch(({ message }: Error) => message);
    expect(refused).to.include(
      'api::note.note.tags: its links were stored here and are now stored on the other side',
    );
  });

  it('additions need no migration, and an older server may start next to a newer one', async () => {
    opened = await changingProject(type('note', { title: string }));
    await using(opened, ({ documents }) => documents(NOTE).create({ data: { title: 'a' } }));
    await opened.write(type('note', { title: string, size: { type: 'integer' } }));
    await using(opened, ({ documents }) => documents(NOTE).create({ data: { title: 'b', size: 1 } }));
    await opened.write(type('note', { title: string }));
    await using(opened, async () => undefined);
    await opened.write(type('note', { title: string, size: { type: 'integer' }, more: string }));
    await using(opened, async ({ documents }) => {
      expect(await documents(NOTE).count({})).to.equal(2);
    });
  });

  it('expand, migrate, contract: two versions of a server share a database, and no request fails', async () => {
    opened = await changingProject({
      ...type('note', { title: string }),
      'config/roles.json': { public: ['find', 'create', 'update'].map((name) => `api::note.note.${name}`) },
    });
    const start = () =>
      startServing({
        root: opened.root,
        env: {},
        overrides: { server: { port: 0, host: '127.0.0.1' }, middlewares: { logger: { level: 'silent' } } },
      });
    const send = async ({ port }: Serving, method: string, path: string, data?: object) => {
      const response = await fetch(`http://127.0.0.1:${port}/api/notes${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(data && { body: JSON.stringify({ data }) }),
      });
      const body = (await response.json()) as { data: never };
      expect(response.status, JSON.stringify(body)).to.be.below(300);
      return body.data;
    };
    const running: Serving[] = [];
    try {
      const old = await start();
      running.push(old);
      const { documentId } = (await send(old, 'POST', '', { title: 'one' })) as { documentId: string };

      // Expand: the new server knows both attributes, the old one keeps running.
      await opened.write(type('note', { title: string, headline: string }));
      const expanded = await start();
      running.push(expanded);
      await send(old, 'POST', '', { title: 'two' });
      await send(expanded, 'POST', '', { title: 'three', headline: 'three' });
      await send(old, 'PUT', `/${documentId}`, { title: 'one!' });

      // Migrate, with both running.
      await opened.write({
        'migrations/1-headline.mjs': `export default { steps: [{ documents: '${NOTE}', change: (entry) => entry.headline ? undefined : { ...entry, headline: entry.title } }] };`,
      });
      const writing = Promise.all([1, 2, 3, 4, 5].map((n) => send(old, 'POST', '', { title: `late ${n}` })));
      expect((await opened.run('migrate', 'up')).status).to.equal(0);
      await writing;
      await old.stop();
      running.shift();
      // The old server's last writes are migrated by a second run, once it has stopped.
      await opened.write({
        'migrations/2-headline.mjs': `export default { steps: [{ documents: '${NOTE}', change: (entry) => entry.headline ? undefined : { ...entry, headline: entry.title } }] };`,
      });
      expect((await opened.run('migrate', 'up')).status).to.equal(0);

      // Contract: the newest server only knows the new attribute.
      await opened.write(type('note', { headline: string }));
      const newest = await start();
      running.push(newest);
      const rows = (await send(newest, 'GET', '?pagination[pageSize]=100')) as { headline: string | null }[];
      expect(rows).to.have.length(8);
      expect(rows.map(({ headline }) => headline)).to.include.members(['one!', 'two', 'three', 'late 5']);
      expect((await send(expanded, 'GET', '')) as { title: string }[]).to.have.length(8);
      await opened.write({
        'migrations/3-title.mjs': `export default { steps: [{ removeAttribute: 'title', of: '${NOTE}' }] };`,
      });
      expect((await opened.run('migrate', 'up')).status).to.equal(0);
      expect(await opened.store.db.collection('notes').countDocuments({ title: { $exists: true } })).to.equal(
        0,
      );
    } finally {
      for (const server of running) await server.stop();
    }
  });
});
