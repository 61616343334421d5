/** Attributes with names that are reserved here but were not in the version of Strapi that they come from. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openArchiveSource } from '../../src/transfer/strapi/source.js';
import {
  type Imported,
  importedFrom,
  type SourceModel,
  schemaLine,
  type Version,
} from '../support/sources.js';
import { link, writeArchive } from '../support/transfer.js';

/** The names that the project may use for its own attributes, by version and by the type's features. */
const PLAIN = [
  'status',
  'meta',
  'entry_id',
  'strapi_id',
  'toString',
  'constructor',
  'related',
  'url',
  'kind',
];
const WITHOUT_LOCALES = ['locale', 'localizations'];
const WITHOUT_DRAFTS: Readonly<Record<Version, readonly string[]>> = {
  3: ['published_at', 'publishedAt'],
  4: ['publishedAt'],
  5: [],
};
const OWN: Readonly<Record<Version, readonly string[]>> = {
  3: ['documentId', 'createdBy', ...PLAIN],
  4: ['documentId', ...PLAIN],
  5: PLAIN,
};

interface Shape {
  readonly localized: boolean;
  readonly draftAndPublish: boolean;
}
const SHAPES: readonly Shape[] = [false, true].flatMap((localized) =>
  [false, true].map((draftAndPublish) => ({ localized, draftAndPublish })),
);

const namesIn = (version: Version, { localized, draftAndPublish }: Shape): readonly string[] => [
  ...OWN[version],
  ...(localized || version === 5 ? [] : WITHOUT_LOCALES),
  ...(draftAndPublish ? [] : WITHOUT_DRAFTS[version]),
];

const strings = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
const values = (names: readonly string[], from: string) =>
  Object.fromEntries(names.map((name) => [name, `${from} ${name}`]));

/** Every value of the row, wherever it is. */
const leavesOf = (value: unknown): readonly unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [value];

describe('reserved attribute names', function () {
  this.timeout(180_000);
  let imported: Imported | null = null;
  afterEach(async () => {
    await imported?.close();
    imported = null;
  });

  for (const version of [3, 4, 5] as const)
    for (const shape of SHAPES) {
      const about = `${shape.localized ? 'localized' : 'not localized'}, ${shape.draftAndPublish ? 'with' : 'without'} drafts`;
      it(`Strapi ${version}: are changed, with their values, and reported (${about})`, async () => {
        const names = namesIn(version, shape);
        const locale = shape.localized ? { locale: 'en' } : {};
        const live = version === 3 && shape.draftAndPublish ? { published_at: new Date() } : {};
        const rows = ['first', 'second'].map((from) => ({ ...values(names, from), ...locale, ...live }));
        imported = await importedFrom(version, [
          { name: 'thing', attributes: { ...strings(names), title: { type: 'string' } }, ...shape, rows },
        ]);
        const { schema, messages, report } = imported;
        const type = schema.contentTypes.get('api::thing.thing');
        const own = [...(type?.attributes.values() ?? [])].filter(({ system }) => !system);
        expect(own).to.have.length(names.length + 1);
        const stored = await imported.rows('things');
        expect(stored).to.have.length(2);
        expect(new Set(stored.map(({ documentId }) => documentId)).size).to.equal(2);
        for (const name of names) {
          const attribute = own.find((one) => one.name === name || one.name.startsWith(`${name}_v`));
          expect(stored.map((row) => row[attribute?.name ?? '']).sort(), name).to.eql([
            `first ${name}`,
            `second ${name}`,
          ]);
          if (attribute?.name !== name)
            expect(messages.filter((text) => text.includes(`api::thing.thing ${name}:`))).to.have.length(1);
        }
        expect(report.verified?.differences).to.eql([]);
      });
    }

  for (const version of [4, 5] as const)
    it(`Strapi ${version}: are changed in components at every depth`, async () => {
      const names =
        version === 4 ? ['documentId', 'locale', 'createdAt', ...PLAIN] : ['locale', 'createdAt', ...PLAIN];
      const inner: SourceModel = { name: 'box.inner', attributes: strings(names) };
      const outer: SourceModel = {
        name: 'box.outer',
        attributes: {
          ...strings(names),
          inner: { type: 'component', component: 'box.inner', repeatable: true },
        },
      };
      const item = (id: number) => ({ id, ...values(names, `item ${id}`) });
      imported = await importedFrom(version, [
        inner,
        outer,
        {
          name: 'page',
          attributes: {
            one: { type: 'component', component: 'box.outer' },
            zone: { type: 'dynamiczone', components: ['box.inner'] },
          },
          rows: [
            {
              one: { ...item(1), inner: [item(1), item(2)] },
              zone: [{ __component: 'box.inner', ...item(3) }],
            },
          ],
        },
      ]);
      const [row] = await imported.rows('pages');
      const leaves = leavesOf({ one: row?.['one'], zone: row?.['zone'] });
      for (const name of names) for (const id of [1, 2, 3]) expect(leaves).to.include(`item ${id} ${name}`);
      expect(JSON.stringify(row)).not.to.include('"_strapi"');
      expect(imported.report.verified?.differences).to.eql([]);
    });

  it('Strapi 5: the unused locale of a type that is not localized is kept, and reported', async () => {
    imported = await importedFrom(5, [{ name: 'thing', attributes: {}, rows: [{ locale: 'de' }, {}] }]);
    const [first, second] = await imported.rows('things');
    expect(first).to.have.nested.property('_strapi.locale', 'de');
    expect(second).not.to.have.property('_strapi');
    expect(imported.messages.filter((text) => text.includes('thing 1 locale'))).to.have.length(1);
  });

  it('relations, the other side and private names follow the new name', async () => {
    const relation = (kind: string, target: string, more: object) => ({
      type: 'relation',
      relation: kind,
      target,
      ...more,
    });
    const folder = await mkdtemp(join(tmpdir(), 'mangrove-names-'));
    try {
      const models: readonly SourceModel[] = [
        {
          name: 'a',
          attributes: {
            locale: relation('manyToOne', 'api::b.b', { inversedBy: 'documentId' }),
            title: { type: 'string' },
            publishedAt: { type: 'uid', targetField: 'title' },
          },
          options: { privateAttributes: ['locale'] },
          rows: [{ title: 'one' }],
        },
        {
          name: 'b',
          attributes: { documentId: relation('oneToMany', 'api::a.a', { mappedBy: 'locale' }) },
          rows: [{}],
        },
      ];
      const archive = {
        metadata: { strapi: { version: '4.26.1' } },
        schemas: models.map((model) => schemaLine(model, 4)),
        links: [link('manyToOne', ['api::a.a', 1], 'locale', ['api::b.b', 1, 1], 'documentId')],
      };
      const source = await openArchiveSource(await writeArchive(join(folder, 'archive'), archive), null);
      const [a, b] = await source.schemas();
      expect(a?.content).to.have.nested.property('attributes.locale_v4.inversedBy', 'documentId_v4');
      expect(b?.content).to.have.nested.property('attributes.documentId_v4.mappedBy', 'locale_v4');
      expect(a?.content).to.have.deep.nested.property('options.privateAttributes', ['locale_v4']);
      const records = [];
      for await (const record of source.records())
        if (record.kind === 'link') records.push(record.link.field);
      expect(records).to.eql(['locale_v4']);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('the version of an archive', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-version-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const row = (id: number, data: object) => ({
    type: 'api::a.a',
    id,
    data: { publishedAt: '2022-01-01', ...data },
  });
  /** Of two rows with the same value in `documentId`, and one without: how many versions, and which documents. */
  const entities = [row(1, { documentId: 'CAT-7' }), row(2, { documentId: 'CAT-7' }), row(3, {})];
  const file = (publishedAt: boolean) => ({
    uid: 'plugin::upload.file',
    modelType: 'contentType',
    attributes: { name: { type: 'string' }, ...(publishedAt && { publishedAt: { type: 'datetime' } }) },
  });
  const cases: readonly (readonly [string, object, boolean])[] = [
    ['metadata of version 4', { metadata: { strapi: { version: '4.25.24' } } }, false],
    ['metadata of version 5', { metadata: { strapi: { version: '5.54.0' } } }, true],
    ['built-in types of version 4', { metadata: {}, schemas: [file(false)] }, false],
    ['built-in types of version 5', { metadata: {}, schemas: [file(true)] }, true],
    ['nothing but rows, one of them without documentId', { metadata: {} }, false],
  ];
  for (const [name, parts, isNew] of cases)
    it(`is decided once: ${name}`, async () => {
      const path = await writeArchive(join(folder, 'archive'), { entities, ...parts });
      const source = await openArchiveSource(path, null);
      const found = [];
      for await (const entry of source.entries()) found.push([entry.documentId, entry.versions]);
      const versions = isNew ? 'published' : 'both';
      expect(found).to.eql([
        [isNew ? 'CAT-7' : null, versions],
        [isNew ? 'CAT-7' : null, versions],
        [null, versions],
      ]);
    });
});
