/** Dumps of a Strapi 3 database in every form that MongoDB's tools write, and a project folder with one. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { EJSON, serialize } from 'bson';
import { expect } from 'chai';
import { readDump } from '../../src/transfer/strapi3/dump.js';
import { mangrove } from '../support/run-command.js';
import { fill, library } from '../support/strapi3.js';
import { startTestServer } from '../support/test-server.js';

type Collections = ReturnType<typeof library>;

const bson = (documents: readonly object[]): Buffer =>
  Buffer.concat(documents.map((document) => Buffer.from(serialize(document))));
const lines = (documents: readonly object[]): string =>
  documents.map((document) => `${EJSON.stringify(document, { relaxed: false })}\n`).join('');

const END = Buffer.from('ffffffff', 'hex');

/** As written by `mongodump --archive`: the blocks of several collections alternate. */
const archiveOf = (databases: Readonly<Record<string, Collections>>): Buffer => {
  const all = Object.entries(databases).flatMap(([db, collections]) =>
    Object.entries(collections).map(([collection, documents]) => ({ db, collection, documents })),
  );
  const block = (header: object, documents: readonly object[]): Buffer =>
    Buffer.concat([bson([header]), bson(documents), END]);
  const halves = (from: (length: number) => number, to: (length: number) => number): Buffer[] =>
    all.map(({ db, collection, documents }) =>
      block(
        { db, collection, EOF: false, CRC: 0 },
        documents.slice(from(documents.length), to(documents.length)),
      ),
    );
  return Buffer.concat([
    Buffer.from('6de29981', 'hex'),
    bson([{ concurrent_collections: 4, version: '0.1' }]),
    bson(all.map(({ db, collection }) => ({ db, collection, metadata: '{}', size: 1, type: 'collection' }))),
    END,
    ...halves(
      () => 0,
      (length) => Math.ceil(length / 2),
    ),
    ...halves(
      (length) => Math.ceil(length / 2),
      (length) => length,
    ),
    ...all.map(({ db, collection }) => block({ db, collection, EOF: true, CRC: 1 }, [])),
  ]);
};

describe('dumps of Strapi 3', function () {
  this.timeout(180_000);
  const content = library('');
  let folder: string;

  const given = process.env['MONGODB_URI'];

  before(async () => {
    // Dumps are imported into separate engines.
    delete process.env['MONGODB_URI'];
    folder = await mkdtemp(join(tmpdir(), 'mangrove-dump-'));
  });
  after(async () => {
    if (given !== undefined) process.env['MONGODB_URI'] = given;
    await rm(folder, { recursive: true, force: true });
  });

  const writeFolder = async (
    path: string,
    ending: string,
    write: (documents: readonly object[]) => Buffer | string,
  ): Promise<string> => {
    await mkdir(path, { recursive: true });
    for (const [name, documents] of Object.entries(content)) {
      await writeFile(join(path, `${name}${ending}`), write(documents));
      await writeFile(join(path, `${name}.metadata.json${ending.endsWith('.gz') ? '.gz' : ''}`), 'not read');
    }
    return path;
  };
  const read = async (path: string): Promise<Record<string, unknown[]>> => {
    const found: Record<string, unknown[]> = {};
    const { documents, share } = await readDump(path);
    for await (const { collection, document } of documents)
      found[collection] = [...(found[collection] ?? []), EJSON.parse(EJSON.stringify(document))];
    expect(share()).to.equal(1);
    return found;
  };
  const expected = Object.fromEntries(
    Object.entries(content).map(([name, documents]) => [
      name,
      documents.map((document) => EJSON.parse(EJSON.stringify(document)) as unknown),
    ]),
  );

  const FORMS: Readonly<Record<string, () => Promise<string>>> = {
    'a folder of BSON': () => writeFolder(join(folder, 'bson'), '.bson', bson),
    'its parent folder': async () => {
      await writeFolder(join(folder, 'above', 'strapi'), '.bson', bson);
      await mkdir(join(folder, 'above', 'admin'));
      await writeFile(join(folder, 'above', 'admin', 'system.version.bson'), bson([{ _id: 'x' }]));
      return join(folder, 'above');
    },
    'gzipped BSON': () =>
      writeFolder(join(folder, 'gz'), '.bson.gz', (documents) => gzipSync(bson(documents))),
    'lines of Extended JSON': () => writeFolder(join(folder, 'json'), '.json', lines),
    'gzipped lines': () =>
      writeFolder(join(folder, 'jsongz'), '.ndjson.gz', (documents) => gzipSync(lines(documents))),
    'an archive': async () => {
      await writeFile(join(folder, 'a.archive'), archiveOf({ strapi: content }));
      return join(folder, 'a.archive');
    },
    'a gzipped archive that contains other databases': async () => {
      const others = { other: { things: [{ _id: 1 }] }, strapi: content };
      await writeFile(join(folder, 'a.archive.gz'), gzipSync(archiveOf(others)));
      return join(folder, 'a.archive.gz');
    },
  };
  for (const [form, write] of Object.entries(FORMS))
    it(`reads ${form}`, async () => {
      expect(await read(await write())).to.eql(expected);
    });

  const refused = async (path: string): Promise<string> =>
    read(path).then(
      () => 'read',
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );

  it('refuses what is not a dump, or damaged, with a reason', async () => {
    expect(await refused(join(folder, 'nowhere'))).to.match(/is not there$/);
    await mkdir(join(folder, 'empty'));
    expect(await refused(join(folder, 'empty'))).to.match(/contains no \.bson/);
    await writeFile(join(folder, 'text'), 'this is a letter');
    expect(await refused(join(folder, 'text'))).to.equal('text is not an archive of mongodump');
    await mkdir(join(folder, 'cut'));
    await writeFile(join(folder, 'cut', 'core_store.bson'), bson([{ a: 'long enough' }]).subarray(0, 12));
    expect(await refused(join(folder, 'cut'))).to.match(/is truncated/);
    await mkdir(join(folder, 'lines'));
    await writeFile(join(folder, 'lines', 'core_store.ndjson'), '{"key": "a"}\n[1]\n');
    expect(await refused(join(folder, 'lines'))).to.equal(
      'core_store.ndjson, line 2 is not a document of Extended JSON',
    );
    await writeFile(join(folder, 'two'), archiveOf({ a: content, b: content }));
    expect(await refused(join(folder, 'two'))).to.match(/several Strapi 3 databases, a, b/);
  });

  it('imports one with its project: uploads and names', async () => {
    const dump = await writeFolder(join(folder, 'whole'), '.bson', bson);
    const project = join(folder, 'project');
    const uploads = join(project, 'public', 'uploads');
    await mkdir(uploads, { recursive: true });
    await writeFile(join(uploads, 'c_1.png'), 'bytes of c');
    await mkdir(join(project, 'api', 'post', 'models'), { recursive: true });
    await writeFile(
      join(project, 'api', 'post', 'models', 'post.settings.json'),
      JSON.stringify({ globalId: 'BlogPost', collectionName: 'posts' }),
    );
    const root = join(folder, 'root');
    await mkdir(join(root, 'config'), { recursive: true });
    await writeFile(join(root, 'config', 'api.js'), 'module.exports = { rest: { maxLimits: 10 } };');
    const { status, stdout, stderr } = await mangrove(
      ...['--root', root, '--json', 'import', '--verify'],
      ...['--from-dump', dump, '--project', project],
    );
    expect(status, stderr).to.equal(0);
    expect(stderr).to.match(/^warning: config\/api\.js: unknown key rest\.maxLimits/m);
    const report = JSON.parse(stdout) as {
      readonly files: object;
      readonly entries: Record<string, object>;
      readonly verified: { readonly differences: readonly string[] };
    };
    expect(report.files).to.deep.include({ read: 1, written: 1, bytes: 10 });
    expect(report.entries['api::post.post']).to.eql({ read: 4, written: 4, leftOut: 0 });
    expect(report.verified.differences).to.eql([]);
    const post = JSON.parse(await readFile(join(root, 'content-types', 'post', 'schema.json'), 'utf8')) as {
      readonly options: object;
    };
    expect(post.options).to.deep.include({
      strapi3: { globalId: 'BlogPost', timestamps: ['createdAt', 'updatedAt'] },
    });
  });

  it('can be exported and imported again: the same is private', async () => {
    const dump = await writeFolder(join(folder, 'again'), '.bson', bson);
    const [first, second] = [join(folder, 'first'), join(folder, 'second')];
    await mkdir(first);
    await mkdir(second);
    const runs = [
      ['--root', first, 'import', '--from-dump', dump],
      ['--root', first, 'export', '--file', join(folder, 'exported')],
      ['--root', second, 'import', '--verify', join(folder, 'exported.tar.gz')],
    ];
    for (const run of runs) {
      const { status, stdout, stderr } = await mangrove(...run);
      expect(status, stdout + stderr).to.equal(0);
    }
  });

  it('writes nothing into a Strapi 3 database, whatever its URI', async () => {
    if (given !== undefined) process.env['MONGODB_URI'] = given;
    const scratch = await startTestServer();
    delete process.env['MONGODB_URI'];
    const name = `strapi3_target_${process.pid}`;
    const client = scratch.project.store.client;
    try {
      await fill(scratch.project.databaseUri, name, content);
      const uri = withDatabase(scratch.database, name);
      const root = join(folder, 'same');
      await mkdir(join(root, 'config'), { recursive: true });
      await writeFile(
        join(root, 'config', 'database.js'),
        `module.exports = ${JSON.stringify({ uri: scratch.project.databaseUri, name })};`,
      );
      const { status, stderr } = await mangrove('--root', root, 'import', uri);
      expect(status).to.equal(1);
      expect(stderr).to.match(/is a Strapi 3 database \(it has core_store\) and is only read/);
      const names = await client.db(name).listCollections({}, { nameOnly: true }).toArray();
      expect(names.map((one) => one.name).sort()).to.eql(Object.keys(content).sort());
      expect(await readdir(root)).to.not.include('content-types');
    } finally {
      await client.db(name).dropDatabase();
      await scratch.close();
    }
  });
});

/** The same server, another database. */
const withDatabase = (uri: string, name: string): string =>
  uri.replace(/^(mongodb(?:\+srv)?:\/\/[^/]+\/)[^?]*/, (_, server: string) => `${server}${name}`);
