/** Schemas that Strapi accepts and Mangrove does not have are imported in a supported form. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { compareSchemas } from '../../src/transfer/schemas/compare.js';
import { writeFiles } from '../../src/transfer/schemas/files.js';
import { planFiles, withoutMissing } from '../../src/transfer/schemas/plan.js';
import { repairFiles } from '../../src/transfer/schemas/repair.js';
import { openArchiveSource } from '../../src/transfer/strapi/source.js';
import { importInto } from '../support/imported-server.js';
import { type SourceModel, schemaLine } from '../support/sources.js';
import { startTestServer } from '../support/test-server.js';
import { link, writeArchive } from '../support/transfer.js';

const TAG = 'api::tag.tag';
const relation = (kind: string, more: object = {}) => ({
  type: 'relation',
  relation: kind,
  target: TAG,
  ...more,
});

const MODELS: readonly SourceModel[] = [
  {
    name: 'box.part',
    attributes: {
      title: { type: 'string' },
      one: relation('manyToOne'),
      several: relation('manyToMany'),
      owned: relation('oneToMany'),
      mapped: relation('oneToMany', { mappedBy: 'name' }),
      inverse: relation('manyToOne', { inversedBy: 'name' }),
      zone: { type: 'dynamiczone', components: ['box.part'] },
    },
  },
  {
    name: 'page',
    attributes: {
      title: { type: 'string', regex: '(' },
      kind: { type: 'enumeration', enum: ['1st', '2nd'] },
      parts: { type: 'component', component: 'box.part', repeatable: true },
      first: relation('manyToOne', { inversedBy: 'pages' }),
      second: relation('manyToOne', { inversedBy: 'pages' }),
    },
  },
  {
    name: 'tag',
    attributes: {
      name: { type: 'string' },
      pages: { type: 'relation', relation: 'oneToMany', target: 'api::page.page', mappedBy: 'first' },
    },
  },
];

const DATE = '2022-01-01T00:00:00.000Z';
const row = (version: 4 | 5, uid: string, id: number, data: object) => ({
  type: uid,
  id,
  data: {
    createdAt: DATE,
    updatedAt: DATE,
    ...(version === 5 && {
      documentId: `doc${id}${uid.length}`.padEnd(24, 'a'),
      publishedAt: DATE,
      locale: null,
    }),
    ...data,
  },
});

const part = (id: number) => ({
  id,
  title: `part ${id}`,
  zone: [{ __component: 'box.part', id: 10 + id, title: 'inner' }],
});

const archiveOf = (version: 4 | 5) => ({
  metadata: { strapi: { version: version === 4 ? '4.26.0' : '5.54.0' } },
  schemas: MODELS.map((model) => schemaLine(model, version)),
  entities: [
    row(version, 'api::page.page', 1, { title: 'page', kind: '1st', parts: [part(1), part(2)] }),
    ...[1, 2, 3].map((id) => row(version, TAG, id, { name: `tag ${id}` })),
  ],
  links: [
    ...[1, 2].flatMap((id) => [
      link('manyToOne', ['box.part', id], 'one', [TAG, 1]),
      link('manyToMany', ['box.part', id, 1], 'several', [TAG, 3]),
      link('manyToMany', ['box.part', id, 2], 'several', [TAG, 1]),
      link('oneToMany', ['box.part', id, 1], 'owned', [TAG, 2]),
      link('manyToOne', ['box.part', id], 'inverse', [TAG, 2], 'name'),
    ]),
    link('manyToOne', ['api::page.page', 1], 'first', [TAG, 1, 1], 'pages'),
    link('manyToOne', ['api::page.page', 1], 'second', [TAG, 2, 1], 'pages'),
  ],
});

interface Tag {
  readonly name: string;
}
interface Part {
  readonly one: Tag;
  readonly several: readonly Tag[];
  readonly owned: readonly Tag[];
  readonly inverse: Tag;
  readonly zone: unknown;
}

describe('schemas that have no exact equivalent', function () {
  this.timeout(180_000);
  for (const version of [4, 5] as const)
    it(`of Strapi ${version} are written in a supported form, marked and reported, and nothing is lost`, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'mangrove-in-the-way-'));
      const path = await writeArchive(join(folder, 'archive'), archiveOf(version));
      const source = await openArchiveSource(path, null);
      const schemas = await source.schemas();
      const { files, problems } = repairFiles(planFiles(withoutMissing(schemas)));
      await writeFiles(folder, files);
      const said = problems.map(({ at }) => at).sort();
      expect(said).to.eql([
        'api::page.page attributes.first.inversedBy',
        'api::page.page attributes.kind.enum',
        'api::page.page attributes.title.regex',
        'api::tag.tag attributes.pages.mappedBy',
        'box.part attributes.inverse.inversedBy',
        'box.part attributes.mapped.mappedBy',
        'box.part attributes.zone.type',
      ]);
      expect(compareSchemas(schemas, planFiles(schemas))).to.eql([]);
      const file = JSON.parse(await readFile(join(folder, 'content-types/page/schema.json'), 'utf8'));
      expect(Object.keys(file.pluginOptions.mangrove.changed).sort()).to.eql(
        ['first.inversedBy', 'kind.enum', 'title.regex'].map((name) => `attributes.${name}`),
      );
      const server = await startTestServer({}, { schemaFolder: folder });
      try {
        const report = await importInto(server, source, { verify: true });
        expect(report.verified?.differences).to.eql([]);
        expect(report.problems).to.eql([]);
        const pages = server.project.documents('api::page.page');
        const populate = {
          parts: { populate: { one: true, several: true, owned: true, inverse: true } },
          first: true,
          second: true,
        };
        const [page] = await pages.findMany({ populate });
        const parts = page?.['parts'] as readonly Part[];
        expect(parts).to.have.length(2);
        for (const { one, several, owned, inverse, zone } of parts) {
          expect(one.name).to.equal('tag 1');
          expect(several.map(({ name }) => name)).to.eql(['tag 3', 'tag 1']);
          expect(owned.map(({ name }) => name)).to.eql(['tag 2']);
          expect(inverse.name).to.equal('tag 2');
          expect(zone).to.have.nested.property('[0].title', 'inner');
        }
        expect(page).to.have.nested.property('first.name', 'tag 1');
        expect(page).to.have.nested.property('second.name', 'tag 2');
        const [found] = await pages.findMany({ filters: { parts: { several: { name: 'tag 3' } } } });
        expect(found?.['title']).to.equal('page');
        const tags = await server.project.documents(TAG).findMany({ sort: 'id', populate: ['pages'] });
        expect(tags.map(({ pages: list }) => (list as readonly unknown[]).length)).to.eql([0, 1, 0]);
        const ids = tags.map(({ documentId }) => documentId);
        // Two items may refer to the same target.
        const items = [ids[1], ids[1]].map((id) => ({ title: 'new', one: id, several: [id, ids[0]] }));
        const made = await pages.create({ data: { title: 'new', parts: items }, populate });
        const written = made['parts'] as readonly Part[];
        expect(written.map(({ one, several }) => [one.name, ...several.map(({ name }) => name)])).to.eql([
          ['tag 2', 'tag 2', 'tag 1'],
          ['tag 2', 'tag 2', 'tag 1'],
        ]);
      } finally {
        await server.close();
        await source.close();
        await rm(folder, { recursive: true, force: true });
      }
    });
});
