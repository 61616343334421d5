import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openProject, type Project } from '../../src/project.js';
import { type TestStore, testStore } from '../support/engine.js';
import { PEOPLE, schemaFolder } from './shops.js';

const PERSON = {
  'person/schema.json': {
    kind: 'collectionType',
    info: { singularName: 'person', pluralName: 'persons', displayName: 'Person' },
    pluginOptions: {
      mangrove: { storage: { collection: 'people', id: 'number', fields: { badge: 'card.no' } } },
    },
    attributes: { name: { type: 'string' }, badge: { type: 'string' } },
  },
};
const NOTE = {
  'note/schema.json': {
    kind: 'collectionType',
    info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
    attributes: { text: { type: 'string' } },
  },
};

describe("Mangrove's own collections, kept apart from those of other programs", () => {
  let theirs: TestStore;
  let root: string;
  let folder: string;
  let refused = '';
  before(async () => {
    theirs = await testStore();
    root = await mkdtemp(join(tmpdir(), 'mangrove-apart-'));
    folder = await schemaFolder({ ...PERSON, ...NOTE });
    await theirs.store.db.collection('people').insertMany(PEOPLE.map((person) => ({ ...person })));
  });
  after(async () => {
    await theirs?.close();
    await rm(root, { recursive: true, force: true });
    await rm(folder, { recursive: true, force: true });
  });

  const open = (database: object, agreed = false, schemas = folder): Promise<Project> =>
    openProject({
      root,
      env: {},
      schemaFolder: schemas,
      agreed,
      overrides: {
        secrets: {
          jwtSecret: 'for tests alone, and long enough',
          apiTokenSalt: 'for tests alone, and long enough',
        },
        database: { uri: theirs.uri, name: theirs.name, dataDir: join(root, 'data'), ...database },
      },
    });
  const names = async (): Promise<readonly string[]> =>
    (await theirs.store.db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name).sort();
  const namesOf = async ({ documents }: Project): Promise<readonly unknown[]> =>
    (await documents('api::person.person').findMany({ sort: 'name', fields: ['name'] })).map(
      ({ name }) => name,
    );

  it('lists what a start would create, and creates nothing without consent', async () => {
    refused = await open({}).then(
      async (project) => project.close().then(() => ''),
      (error: Error) => error.message,
    );
    expect(refused).to.match(
      /would add these, with their indexes: .*mangrove\.roles.*notes\. Start it with --yes/,
    );
    expect(await names()).to.deep.equal(['people']);
  });

  for (const [where, system] of [
    ['another database of the deployment', () => `${theirs.name}_own`],
    ['an embedded engine', () => 'embedded'],
    ['another deployment', () => `${theirs.uri.replace(/\/(\?|$)/, `/${theirs.name}_far$1`)}`],
  ] as const)
    it(`are kept in ${where}`, async () => {
      const project = await open({ system: system() });
      try {
        expect(await namesOf(project)).to.deep.equal(['Ada', 'Bob', 'Cyd']);
        expect(await project.documents('api::person.person').count({ filters: { badge: 'B-2' } })).to.equal(
          1,
        );
        await project.documents('api::note.note').create({ data: { text: 'ours' } });
        expect(await project.documents('api::note.note').count()).to.equal(1);
        expect(project.store.db.databaseName).to.not.equal(theirs.name);
      } finally {
        await project.store.db.dropDatabase();
        await project.close();
      }
      expect(await names()).to.deep.equal(['people']);
    });

  it('refuses relations to a type in another database', async () => {
    const both = await schemaFolder({
      ...PERSON,
      'note/schema.json': {
        ...NOTE['note/schema.json'],
        attributes: { about: { type: 'relation', relation: 'manyToOne', target: 'api::person.person' } },
      },
    });
    const refused = await open({ system: `${theirs.name}_own` }, false, both).then(
      async (project) => project.close().then(() => ''),
      (error: Error) => error.message,
    );
    expect(refused).to.contain(
      'attributes.about: no relation to api::person.person, which "database.system" keeps',
    );
    await rm(both, { recursive: true, force: true });
  });

  it('refuses drafts that no query would reach, and drafts that nothing publishes', async () => {
    const drafted = (storage: object) => {
      const person = PERSON['person/schema.json'] as { pluginOptions: { mangrove: { storage: object } } };
      const { storage: given } = person.pluginOptions.mangrove;
      const own = { mangrove: { storage: { ...given, drafts: true, ...storage } } };
      return schemaFolder({ 'person/schema.json': { ...person, pluginOptions: own } });
    };
    const refusal = async (storage: object, settings: object): Promise<string> => {
      const folder = await drafted(storage);
      const outcome = await open(settings, false, folder).then(
        async (project) => project.close().then(() => ''),
        (error: Error) => error.message,
      );
      await rm(folder, { recursive: true, force: true });
      return outcome;
    };
    const path = 'pluginOptions.mangrove.storage.drafts: none';
    expect(await refusal({ write: true }, { system: `${theirs.name}_own` })).to.contain(
      `${path}: "database.system" keeps`,
    );
    expect(await refusal({}, {})).to.contain(`${path} without "write"`);
    expect(await refusal({ write: true, database: 'other' }, {})).to.contain(`${path} with "database"`);
    expect(await refusal({ write: true }, {})).to.contain('mangrove.drafts.person.person');
  });

  it('creates what it listed after consent, and does not ask again', async () => {
    const project = await open({}, true);
    expect(await namesOf(project)).to.deep.equal(['Ada', 'Bob', 'Cyd']);
    await project.close();
    expect(await names()).to.include.members(['mangrove.roles', 'mangrove.settings', 'notes', 'people']);
    const listed = (await names()).filter((name) => name !== 'people');
    const again = await open({});
    await again.close();
    for (const name of listed) expect(refused).to.contain(name);
    expect(await theirs.store.db.collection('people').indexes()).to.have.length(1);
  });
});
