/** Values that their attributes no longer allow are imported and reported, and do not prevent updates of the others. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ImportReport } from '../../src/transfer/import/report.js';
import { writeFiles } from '../../src/transfer/schemas/files.js';
import { planFiles } from '../../src/transfer/schemas/plan.js';
import type { ImportSource } from '../../src/transfer/source/types.js';
import { type TestStore, testStore } from '../support/engine.js';
import { importInto } from '../support/imported-server.js';
import { openSource, type SourceModel, VERSIONS, type Version } from '../support/sources.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const attributes = {
  title: { type: 'string' },
  kind: { type: 'enumeration', enum: ['a', 'b'] },
  size: { type: 'integer', max: 5 },
  least: { type: 'integer', min: 3 },
  code: { type: 'string', regex: '^[a-z]+$' },
  short: { type: 'string', maxLength: 3 },
  needed: { type: 'string', required: true },
};
const WRONG = { kind: 'gone', size: 9, least: 1, code: 'A1', short: 'abcd', needed: null };
const RIGHT = { kind: 'a', size: 1, least: 4, code: 'a', short: 'ab', needed: 'x' };
/** Strapi 3 had no patterns. */
const namesIn = (version: Version): readonly string[] =>
  Object.keys(WRONG).filter((name) => version !== 3 || name !== 'code');

const modelsOf = (version: Version): readonly SourceModel[] =>
  [false, true].map((draftAndPublish) => ({
    name: draftAndPublish ? 'page' : 'note',
    attributes,
    draftAndPublish,
    rows: [RIGHT, WRONG, WRONG].map((row, at) => ({
      ...row,
      title: `row ${at}`,
      ...(version === 3 && draftAndPublish && { published_at: new Date() }),
    })),
  }));

describe('values that are no longer allowed', function () {
  this.timeout(180_000);
  for (const version of VERSIONS)
    describe(`from Strapi ${version}`, () => {
      let opened: TestStore;
      let source: ImportSource;
      let server: TestServer;
      let folder: string;
      let report: ImportReport;
      before(async () => {
        folder = await mkdtemp(join(tmpdir(), 'mangrove-disallowed-'));
        opened = await testStore();
        source = await openSource(version, modelsOf(version), {
          opened,
          folder,
          database: `${opened.name}_old`,
        });
        await writeFiles(folder, planFiles(await source.schemas()));
        server = await startTestServer({}, { schemaFolder: folder });
        report = await importInto(server, source, { verify: true });
      });
      after(async () => {
        await source?.close();
        await server?.close();
        await opened?.store.client.db(`${opened.name}_old`).dropDatabase();
        await opened?.close();
        await rm(folder, { recursive: true, force: true });
      });
      const wrongOf = async (uid: string): Promise<string> => {
        const [found] = await server.project
          .documents(uid)
          .findMany({ filters: { title: 'row 1' }, status: 'published' });
        return String(found?.documentId);
      };
      const update = (uid: string, documentId: string, data: object, status: 'draft' | 'published') =>
        server.project.documents(uid).update({ documentId, data, status });
      const refusal = async (work: Promise<unknown>): Promise<unknown> =>
        work.then(
          () => null,
          (error: unknown) => error,
        );

      it('are kept, counted for each attribute and reported with an example', () => {
        expect(report.verified?.differences).to.eql([]);
        for (const uid of ['api::note.note', 'api::page.page']) {
          const said = report.problems.filter(({ at, kept }) => kept && at.startsWith(`${uid} `));
          const names = namesIn(version).map((name) => `${uid} ${name}`);
          expect(said.map(({ at }) => at).sort()).to.eql(names.sort());
          for (const { at, why } of said) {
            const value = JSON.stringify(WRONG[at.slice(uid.length + 1) as keyof typeof WRONG]);
            expect(why)
              .to.match(/^[24] entries/)
              .and.include(value);
          }
        }
      });

      it('do not prevent an update of other attributes without Draft & Publish, or of the draft', async () => {
        const note = await wrongOf('api::note.note');
        expect(await update('api::note.note', note, { title: 'new' }, 'published')).to.include({
          title: 'new',
          kind: 'gone',
        });
        const page = await wrongOf('api::page.page');
        expect(await update('api::page.page', page, { title: 'new' }, 'draft')).to.include({
          title: 'new',
          kind: 'gone',
        });
        const sent = await refusal(update('api::note.note', note, { kind: 'gone' }, 'published'));
        expect(sent).to.have.property('message').that.includes('kind must be one of');
      });

      it('do not prevent that the entry is published again, unless they are sent or changed', async () => {
        const [entry] = await server.project
          .documents('api::page.page')
          .findMany({ filters: { kind: 'gone', title: 'row 2' } });
        const id = String(entry?.documentId);
        expect(await update('api::page.page', id, { title: 'new' }, 'published')).to.include({
          title: 'new',
          kind: 'gone',
        });
        const names = [...namesIn(version)].sort();
        const { needed: _, ...rest } = WRONG;
        const sent = Object.fromEntries(Object.entries(rest).filter(([name]) => names.includes(name)));
        for (const [name, value] of Object.entries(sent)) {
          const error = await refusal(update('api::page.page', id, { [name]: value }, 'published'));
          expect(error, name).to.have.property('status', 400);
        }
        await update('api::page.page', id, { least: 2, short: 'abc' }, 'draft');
        const error = await refusal(update('api::page.page', id, { title: 'newer' }, 'published'));
        const paths = (error as { details: { errors: { path: string[] }[] } }).details.errors;
        expect(paths.map(({ path }) => path.join('.'))).to.eql(['least']);
        expect(await update('api::page.page', id, { ...RIGHT, title: 'new' }, 'published')).to.include({
          kind: 'a',
        });
      });

      it('are refused when a draft is published for the first time', async () => {
        const { documentId } = await server.project
          .documents('api::page.page')
          .create({ data: { title: 'draft' }, status: 'draft' });
        const error = await refusal(
          update('api::page.page', String(documentId), { title: 'new' }, 'published'),
        );
        expect(error).to.have.property('message').that.includes('needed');
      });
    });
});
