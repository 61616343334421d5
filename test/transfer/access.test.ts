/** Access never becomes wider: what nobody could read in Strapi, nobody can read after the import. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { randomOf, SEED } from '../../packages/engine/test/support/random.js';
import { modelOf } from '../../src/schema/find.js';
import type { Schema } from '../../src/schema/types.js';
import { compareSchemas } from '../../src/transfer/schemas/compare.js';
import { type TestStore, testStore } from '../support/engine.js';
import { rounds } from '../support/rounds.js';
import { schemaOf, typeFile } from '../support/schemas.js';
import {
  openSource,
  type SourceModel,
  schemaFrom,
  uidOf,
  VERSIONS,
  type Version,
} from '../support/sources.js';
import { importAll, targetIn } from '../support/transfer.js';

const RUNS = rounds(3, 20);

const TYPES = ['string', 'text', 'integer', 'boolean', 'json', 'email', 'password', 'datetime'];
const NAMES = ['title', 'notes', 'first_name', 'lastName', 'status', 'meta', 'wage', 'locale', 'documentId'];
/** The names in each version of what Strapi adds to a type, by the name here. */
const AUTOMATIC: Readonly<Record<Version, Readonly<Record<string, string>>>> = {
  3: { createdAt: 'createdAt', updatedAt: 'updatedAt', created_by: 'createdBy', published_at: 'publishedAt' },
  4: { createdAt: 'createdAt', updatedAt: 'updatedAt', createdBy: 'createdBy', publishedAt: 'publishedAt' },
  5: { createdAt: 'createdAt', updatedAt: 'updatedAt', createdBy: 'createdBy', publishedAt: 'publishedAt' },
};

/** The accounts of each version, whose `email` and `role` a project may make private. */
const accounts = (version: Version, isPrivate: (name: string) => boolean): SourceModel => ({
  name: 'user',
  uid: 'plugin::users-permissions.user',
  attributes: {
    username: { type: 'string', ...(isPrivate('username') && { private: true }) },
    email: { type: 'email', ...(isPrivate('email') && { private: true }) },
    password: { type: 'password', private: true },
    resetPasswordToken: { type: 'string', private: true },
    wage: { type: 'integer', ...(isPrivate('wage') && { private: true }) },
    ...(version !== 3 && {
      role: {
        type: 'relation',
        relation: 'manyToOne',
        target: 'plugin::users-permissions.role',
        inversedBy: 'users',
        ...(isPrivate('role') && { private: true }),
      },
    }),
  },
});

function modelsFor(version: Version, seed: number): readonly SourceModel[] {
  const random = randomOf(seed);
  const chance = (): boolean => random.below(3) === 0;
  const some = (names: readonly string[]): readonly string[] => names.filter(chance);
  const model = (name: string): SourceModel => {
    const own = NAMES.filter(
      (attribute) => random.below(2) === 0 && !(version === 5 && /locale|Id/.test(attribute)),
    );
    return {
      name,
      attributes: Object.fromEntries(
        own.map((attribute) => [attribute, { type: random.pick(TYPES), ...(chance() && { private: true }) }]),
      ),
      draftAndPublish: true,
      options: {
        populateCreatorFields: chance(),
        privateAttributes: [
          ...some(own),
          ...(name.includes('.') ? [] : some(Object.keys(AUTOMATIC[version]))),
        ],
      },
    };
  };
  const hidden = new Set(some(['username', 'email', 'wage', 'role']));
  const listed = some(['username', 'email', 'createdAt']);
  return [
    model('shop'),
    model('order'),
    model('box.part'),
    { ...accounts(version, (name) => hidden.has(name)), options: { privateAttributes: listed } },
  ];
}

/** Whether Strapi left the attribute out of every answer. */
function wasPrivate(model: SourceModel, name: string): boolean {
  const { private: flag, type } = model.attributes[name] ?? {};
  const { privateAttributes = [], populateCreatorFields = false } = model.options ?? {};
  const listed = Array.isArray(privateAttributes) && privateAttributes.includes(name);
  const isCreator = /^(created|updated)(By|_by)$/.test(name);
  return flag === true || type === 'password' || listed || (isCreator && populateCreatorFields !== true);
}

describe('access after an import', function () {
  this.timeout(180_000);
  let opened: TestStore;
  let folder: string;
  before(async () => {
    opened = await testStore();
    folder = await mkdtemp(join(tmpdir(), 'mangrove-access-'));
  });
  after(async () => {
    await opened?.close();
    await rm(folder, { recursive: true, force: true });
  });

  for (const version of VERSIONS)
    it(`Strapi ${version}: exactly the attributes that were private are private`, async () => {
      for (let run = 0; run < RUNS; run += 1) {
        const models = modelsFor(version, SEED + run);
        const database = `${opened.name}_${version}_${run}`;
        const source = await openSource(version, models, {
          opened,
          folder: join(folder, `${version}-${run}`),
          database,
        });
        try {
          const schema = await schemaFrom(source);
          for (const model of models) {
            const now = modelOf(schema, uidOf(model));
            const at = (name: string): string => `seed ${SEED + run}, ${uidOf(model)} ${name}`;
            for (const name of Object.keys(model.attributes)) {
              const attribute = now?.attributes.get(`${name}_v${version}`) ?? now?.attributes.get(name);
              expect(attribute?.private, at(name)).to.equal(wasPrivate(model, name));
            }
            if (now?.modelType !== 'contentType') continue;
            for (const [name, here] of Object.entries(AUTOMATIC[version])) {
              const attribute = now.attributes.get(here);
              expect(attribute?.private, at(name)).to.equal(wasPrivate(model, name));
            }
          }
        } finally {
          await source.close();
          await opened.store.client.db(database).dropDatabase();
        }
      }
    });

  for (const version of VERSIONS)
    it(`Strapi ${version}: reading back names what a schema makes readable`, async () => {
      const model: SourceModel = {
        name: 'shop',
        attributes: { title: { type: 'string' }, wage: { type: 'integer', private: true } },
        options: { privateAttributes: ['title', 'createdAt'] },
      };
      const database = `${opened.name}_open_${version}`;
      const source = await openSource(version, [model], {
        opened,
        folder: join(folder, `open-${version}`),
        database,
      });
      const open = schemaOf(typeFile('shop', { title: { type: 'string' }, wage: { type: 'integer' } }));
      const differences = async (schema: Schema): Promise<readonly string[] | undefined> => {
        const { verified } = await importAll(source, targetIn(opened.store, schema, folder), {
          mode: 'replace',
          verify: true,
        });
        return verified?.differences.filter((text) => text.includes('private')).sort();
      };
      try {
        expect(await differences(await schemaFrom(source))).to.eql([]);
        const names = ['createdAt', 'title', 'wage'];
        expect(await differences(open)).to.eql(
          names.map((name) => `api::shop.shop ${name}: it is private in the source, and is not here`),
        );
      } finally {
        await source.close();
        await opened.store.client.db(database).dropDatabase();
      }
    });

  it('attributes that the schemas of the project make readable are reported', () => {
    const source = typeFile(
      'a',
      { x: { type: 'string', private: true }, y: { type: 'string' }, z: { type: 'string' } },
      {
        options: { privateAttributes: ['y', 'z'] },
      },
    );
    const project = typeFile('a', { x: { type: 'string' }, y: { type: 'string' }, z: { type: 'string' } });
    const schemas = [
      { uid: source.uid, modelType: 'contentType' as const, content: source.content as object as never },
    ];
    const said = compareSchemas(schemas, [project], ['z']).map(({ at, why }) => `${at} ${why}`);
    expect(said).to.eql(
      ['x', 'y'].map((name) => `api::a.a ${name} is private in the source, not in the project`),
    );
    expect(compareSchemas(schemas, [source])).to.eql([]);
  });
});
