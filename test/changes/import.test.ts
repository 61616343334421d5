/** An import writes entries without a change for each: its types are reported as a whole, when their content is in place. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { currentPosition, readChanges } from '../../src/store/outbox/read-changes.js';
import { openArchiveSource } from '../../src/transfer/strapi/source.js';
import { testDocuments } from '../support/documents.js';
import { schemaOf, typeFile } from '../support/schemas.js';
import { entity, importAll, targetIn, writeArchive } from '../support/transfer.js';

const PAGE = 'api::page.page';
const schema = schemaOf(typeFile('page', { title: { type: 'string' } }));

describe('changes of an import', () => {
  for (const mode of ['merge', 'replace'] as const)
    it(`say that entries of a type were written, if it is to ${mode}`, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'mangrove-changes-'));
      const opened = await testDocuments(schema);
      try {
        const after = await currentPosition(opened.store);
        const entities = [entity(PAGE, 1, { title: 'one' })];
        const source = await openArchiveSource(
          await writeArchive(join(folder, 'archive'), { entities }),
          null,
        );
        await importAll(source, targetIn(opened.store, schema, folder), { mode });
        for await (const change of readChanges(opened.store, { after, uids: [PAGE], every: 5 })) {
          const { event, documentId, by, versions, indirect } = change;
          expect({ event, documentId, by, versions, indirect }).to.deep.equal({
            event: 'entries.replace',
            documentId: null,
            by: { kind: 'import' },
            versions: [],
            indirect: false,
          });
          break;
        }
        expect(await opened.documents(PAGE).findMany()).to.have.length(1);
      } finally {
        await opened.close();
        await rm(folder, { recursive: true, force: true });
      }
    });
});
