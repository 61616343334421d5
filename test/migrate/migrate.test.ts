import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Project } from '../../src/project.js';
import { OUTBOX } from '../../src/store/outbox/outbox.js';
import { type ChangingProject, changingProject, type, using } from './project.js';

type Row = Record<string, unknown> & { documentId: string };
const NOTE = 'api::note.note';
const DP = { options: { draftAndPublish: true } };
const LOCALIZED = { pluginOptions: { i18n: { localized: true } } };
const shared = { pluginOptions: { i18n: { localized: false } } };
const own = { pluginOptions: { i18n: { localized: true } } };

interface Scenario {
  readonly before: object;
  readonly after: object;
  readonly fill: (project: Project) => Promise<unknown>;
  /** What a developer changes in the generated migration. */
  readonly edit?: (text: string) => string;
  readonly says: RegExp;
  readonly check: (project: Project, opened: ChangingProject) => Promise<unknown>;
  /** What holds again after `down`, or why it cannot be undone. */
  readonly undone: ((project: Project) => Promise<unknown>) | RegExp;
}

const create = (project: Project, data: object, more: object = {}): Promise<Row> =>
  project.documents(NOTE).create({ data, ...more } as never) as unknown as Promise<Row>;
const all = async (project: Project, params: object = {}): Promise<Row[]> =>
  (await project.documents(NOTE).findMany({ sort: 'id', ...params } as never)) as unknown as Row[];
const values = async (project: Project, name: string, params: object = {}): Promise<unknown[]> =>
  (await all(project, params)).map((row) => row[name]);

const seo = (attributes: object) => ({ 'content-types/components/shared/seo.json': { attributes } });
const string = { type: 'string' };

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'a renamed attribute, in drafts and published entries of all locales': {
    before: type('note', { title: { ...string, ...own }, text: { type: 'text' } }, { ...DP, ...LOCALIZED }),
    after: type('note', { headline: { ...string, ...own }, text: { type: 'text' } }, { ...DP, ...LOCALIZED }),
    fill: async (project) => {
      const { documentId } = await create(project, { title: 'one' }, { status: 'published', locale: 'en' });
      await project.documents(NOTE).update({ documentId, locale: 'fr', data: { title: 'un' } } as never);
      await project
        .documents(NOTE)
        .update({ documentId, locale: 'en', data: { title: 'one, again' } } as never);
    },
    says: /title: it was removed, and headline of the same type was added/,
    check: async (project) => {
      expect(await values(project, 'headline', { locale: '*' })).to.eql(['one, again', 'un']);
      expect(await values(project, 'headline', { status: 'published' })).to.eql(['one']);
    },
    undone: async (project) =>
      expect(await values(project, 'title', { locale: '*' })).to.eql(['one, again', 'un']),
  },
  'a renamed attribute of a component, nested in a zone and in a list': {
    before: {
      ...seo({ label: string }),
      'content-types/components/shared/card.json': {
        attributes: { seo: { type: 'component', component: 'shared.seo', repeatable: true } },
      },
      ...type('note', { zone: { type: 'dynamiczone', components: ['shared.card', 'shared.seo'] } }, DP),
    },
    after: seo({ caption: string }),
    fill: (project) =>
      create(
        project,
        {
          zone: [
            { __component: 'shared.seo', label: 'a' },
            { __component: 'shared.card', seo: [{ label: 'b' }, { label: 'c' }] },
          ],
        },
        { status: 'published' },
      ),
    says: /shared\.seo\.label: it was removed/,
    check: async (project) => {
      const populate = { zone: { on: { 'shared.seo': true, 'shared.card': { populate: '*' } } } };
      for (const status of ['draft', 'published']) {
        const [row] = await all(project, { populate, status });
        expect(JSON.stringify(row?.['zone']).match(/"caption":"(\w)"/g)).to.have.length(3);
      }
    },
    undone: async (project) => {
      const [row] = await all(project, { populate: { zone: { on: { 'shared.seo': true } } } });
      expect(JSON.stringify(row?.['zone'])).to.include('"label":"a"');
    },
  },
  'a new attribute type, with custom conversions in both directions': {
    before: type('note', { price: { type: 'decimal' }, size: string }),
    after: type('note', { price: { type: 'integer' }, size: { type: 'integer' } }),
    fill: async (project) => {
      await create(project, { price: 45.5, size: '12' });
      await create(project, { price: null, size: ' 7 ' });
    },
    edit: (text) =>
      text
        .replace(
          /changeType: 'price',[^}]*\}/,
          '$&'.replace(
            '$&',
            "changeType: 'price', of: 'api::note.note', to: 'integer', convert: (v) => Math.round(Number(String(v)) * 100), back: (v) => v / 100 }",
          ),
        )
        .replace(
          /changeType: 'size',[^}]*\}/,
          "changeType: 'size', of: 'api::note.note', to: 'integer', back: (v) => v }",
        ),
    says: /price: its type was decimal and is now integer[\s\S]*size: its type was string and is now integer/,
    check: async (project) => {
      expect(await values(project, 'price')).to.eql([4550, null]);
      expect(await values(project, 'size')).to.eql([12, 7]);
      await project
        .documents(NOTE)
        .update({ documentId: (await all(project))[0]?.documentId ?? '', data: { size: 13 } });
    },
    undone: async (project) => {
      expect((await values(project, 'price')).map((v) => v && Number(v))).to.eql([45.5, null]);
      expect(await values(project, 'size')).to.eql(['13', '7']);
    },
  },
  'a single component becomes a list': {
    before: {
      ...seo({ label: string }),
      ...type('note', { seo: { type: 'component', component: 'shared.seo' } }),
    },
    after: type('note', { seo: { type: 'component', component: 'shared.seo', repeatable: true } }),
    fill: async (project) => {
      await create(project, { seo: { label: 'a' } });
      await create(project, {});
    },
    says: /seo: it is now a list/,
    check: async (project) => {
      const rows = await all(project, { populate: '*' });
      expect(rows.map((row) => (row['seo'] as object[]).length)).to.eql([1, 0]);
    },
    undone: async (project) => {
      const [row] = await all(project, { populate: '*' });
      expect(row?.['seo']).to.include({ label: 'a' });
    },
  },
  'localized on: existing entries get the default locale': {
    before: type('note', { title: string }, DP),
    after: type('note', { title: { ...string, ...own } }, { ...DP, ...LOCALIZED }),
    fill: (project) => create(project, { title: 'one' }, { status: 'published' }),
    says: /it is now localized/,
    check: async (project) => {
      const [row] = await all(project, { locale: 'en' });
      expect(row).to.include({ title: 'one', locale: 'en' });
      expect(await values(project, 'title', { locale: 'en', status: 'published' })).to.eql(['one']);
      await project
        .documents(NOTE)
        .update({ documentId: row?.documentId, locale: 'fr', data: { title: 'un' } } as never);
      await project.documents(NOTE).delete({ documentId: row?.documentId ?? '', locale: 'fr' } as never);
    },
    undone: async (project) => expect(await values(project, 'title')).to.eql(['one']),
  },
  'localized off: the default locale remains; a document without it keeps its first one': {
    before: type('note', { title: { ...string, ...own } }, LOCALIZED),
    after: type('note', { title: string }),
    fill: async (project) => {
      const { documentId } = await create(project, { title: 'one' }, { locale: 'en' });
      await project.documents(NOTE).update({ documentId, locale: 'fr', data: { title: 'un' } } as never);
      await create(project, { title: 'deux' }, { locale: 'fr' });
    },
    edit: (text) => text.replace("keep: 'en' }", "keep: 'en', dropOthers: true }"),
    says: /no longer localized/,
    check: async (project) => expect(await values(project, 'title')).to.eql(['one', 'deux']),
    undone: /the other locales were deleted/,
  },
  "an attribute becomes shared by all locales: the default locale's value is used": {
    before: type('note', { title: { ...string, ...own }, size: { type: 'integer', ...own } }, LOCALIZED),
    after: type('note', { title: { ...string, ...own }, size: { type: 'integer', ...shared } }, LOCALIZED),
    fill: async (project) => {
      const { documentId } = await create(project, { title: 'one', size: 1 }, { locale: 'en' });
      await project
        .documents(NOTE)
        .update({ documentId, locale: 'fr', data: { title: 'un', size: 2 } } as never);
    },
    says: /size: it is now shared by all locales/,
    check: async (project) => expect(await values(project, 'size', { locale: '*' })).to.eql([1, 1]),
    undone: /values of other locales were deleted/,
  },
  'Draft & Publish on: existing entries are published and get drafts': {
    before: {
      ...seo({ label: string }),
      ...type('note', { title: string, seo: { type: 'component', component: 'shared.seo' } }),
    },
    after: type('note', { title: string, seo: { type: 'component', component: 'shared.seo' } }, DP),
    fill: (project) => create(project, { title: 'one', seo: { label: 'a' } }),
    says: /Draft & Publish was enabled/,
    check: async (project) => {
      for (const status of ['draft', 'published'])
        expect(await values(project, 'title', { status })).to.eql(['one']);
      const [draft] = await all(project, { populate: '*' });
      const seo = draft?.['seo'] as Row | undefined;
      await project.documents(NOTE).update({
        documentId: draft?.documentId ?? '',
        data: { title: 'two', seo: { id: seo?.['id'], label: 'b' } },
      });
      await project.documents(NOTE).publish?.({ documentId: draft?.documentId ?? '' });
      expect(await values(project, 'title', { status: 'published' })).to.eql(['two']);
    },
    undone: /removeDrafts|Undid/,
  },
  'Draft & Publish off: published entries remain, unpublished drafts are removed': {
    before: type('note', { title: string }, DP),
    after: type('note', { title: string }),
    fill: async (project) => {
      const { documentId } = await create(project, { title: 'live' }, { status: 'published' });
      await project.documents(NOTE).update({ documentId, data: { title: 'edited' } });
      await create(project, { title: 'draft' });
    },
    says: /Draft & Publish was disabled/,
    check: async (project) => expect((await values(project, 'title')).sort()).to.eql(['draft', 'live']),
    undone: /the drafts are in the backup collection/,
  },
  'a new collectionName': {
    before: type('note', { title: { ...string, unique: true } }, DP),
    after: type('note', { title: { ...string, unique: true } }, { ...DP, collectionName: 'papers' }),
    fill: (project) => create(project, { title: 'one' }, { status: 'published' }),
    says: /its collection was notes and is now papers/,
    check: async (project, { store }) => {
      expect(await values(project, 'title', { status: 'published' })).to.eql(['one']);
      expect(await store.db.collection('papers.drafts').countDocuments()).to.equal(1);
      const second = await create(project, { title: 'one' }, { status: 'published' }).catch(String);
      expect(second).to.include('must be unique');
    },
    undone: async (project) => expect(await values(project, 'title')).to.eql(['one']),
  },
  'attributes moved into a component': {
    before: {
      ...seo({ label: string }),
      ...type(
        'note',
        { metaTitle: string, title: string, seo: { type: 'component', component: 'shared.seo' } },
        DP,
      ),
    },
    after: {
      ...seo({ label: string, metaTitle: string }),
      ...type('note', { title: string, seo: { type: 'component', component: 'shared.seo' } }, DP),
    },
    fill: async (project) => {
      await create(project, { title: 'a', metaTitle: 'm' }, { status: 'published' });
      await create(project, { title: 'b', metaTitle: 'n', seo: { label: 'l' } });
    },
    edit: () =>
      `export default { steps: [{ moveIntoComponent: ['metaTitle'], of: '${NOTE}', into: 'seo', component: 'shared.seo' }] };`,
    says: /./,
    check: async (project) => {
      const rows = await all(project, { populate: '*' });
      const held = rows.map((row) => row['seo'] as Row);
      expect(held.map((item) => item['metaTitle'])).to.eql(['m', 'n']);
      expect(held[1]).to.include({ label: 'l' });
      expect(held[0]?.['id']).to.be.a('number');
    },
    undone: async (project) => expect(await values(project, 'metaTitle')).to.eql(['m', 'n']),
  },
  'a function over the documents, with its undo': {
    before: type('note', { title: string }, DP),
    after: {},
    fill: (project) => create(project, { title: 'one' }, { status: 'published' }),
    edit: () =>
      `export default { steps: [{ documents: '${NOTE}',
        change: (entry, { status }) => ({ ...entry, title: entry.title + ' ' + status }),
        undo: async (entry) => ({ ...entry, title: entry.title.split(' ')[0] }) }] };`,
    says: /./,
    check: async (project) => {
      expect(await values(project, 'title')).to.eql(['one draft']);
      expect(await values(project, 'title', { status: 'published' })).to.eql(['one published']);
    },
    undone: async (project) => expect(await values(project, 'title')).to.eql(['one']),
  },
};

describe('migrations', function () {
  this.timeout(180_000);
  for (const [name, scenario] of Object.entries(SCENARIOS))
    it(name, async () => {
      const opened = await changingProject(scenario.before as never);
      try {
        await using(opened, scenario.fill);
        await opened.write(scenario.after as never);
        const refused = await opened.open().then(
          async (project) => project.close(),
          (error: Error) => error.message,
        );
        const made = await opened.run('migrate', 'create', 'change');
        let file = made.stdout.trim();
        if (file === '') file = (await opened.run('migrate', 'create', 'change', '--empty')).stdout.trim();
        else {
          expect(refused).to.include('does not match the schema');
          expect(made.stderr).to.match(scenario.says);
        }
        if (scenario.edit) await opened.write({ [file]: scenario.edit(await opened.read(file)) });
        expect((await opened.run('migrate', 'status')).status).to.equal(1);
        const dry = await opened.run('migrate', 'up', '--dry-run');
        expect(dry.status, dry.stderr + dry.stdout).to.equal(0);
        expect(dry.stdout).to.match(/: [1-9]\d* entries/);
        const applied = await opened.run('migrate', 'up');
        expect(applied.status, applied.stderr).to.equal(0);
        expect((await opened.run('migrate', 'status')).status).to.equal(0);
        await using(opened, (project) => scenario.check(project, opened));
        const marked = await opened.store.db
          .collection('notes')
          .countDocuments({ _migrated: { $exists: true } });
        expect(marked).to.equal(0);
        const told = await opened.store.db.collection(OUTBOX).distinct('uid', { event: 'entries.replace' });
        expect(told).to.include(NOTE);

        const previewed = await opened.run('migrate', 'down', '--dry-run');
        const undo = await opened.run('migrate', 'down');
        if (scenario.undone instanceof RegExp) {
          expect(undo.stderr).to.match(scenario.undone);
          expect(previewed.status, 'as the preview').to.equal(undo.status);
          return;
        }
        expect(previewed.status, previewed.stderr).to.equal(0);
        expect(previewed.stdout).to.match(/: [1-9]\d* entries/);
        expect(undo.status, undo.stderr).to.equal(0);
        await opened.write(scenario.before as never);
        await rm(join(opened.root, file));
        await using(opened, scenario.undone);
      } finally {
        await opened.close();
      }
    });
});
