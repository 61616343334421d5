/** An entry that refers to tens of thousands of others. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { testDocuments } from '../support/documents.js';
import { schemaOf, typeFile } from '../support/schemas.js';
import { exportAll, targetIn } from '../support/transfer.js';

const PAGE = 'api::page.page';
const MANY = 75_000;
const schema = schemaOf(
  typeFile('page', { links: { type: 'relation', relation: 'oneToMany', target: PAGE } }),
);

it('an export has all links of an entry, however many', async () => {
  const { documents, store, close } = await testDocuments(schema);
  const folder = await mkdtemp(join(tmpdir(), 'mangrove-links-'));
  try {
    const { documentId } = await documents(PAGE).create({ data: {} });
    const links = Array.from({ length: MANY }, () => documentId);
    await store.db.collection('pages').updateOne({ documentId }, { $set: { links } });
    const report = await exportAll(targetIn(store, schema, folder), join(folder, 'archive'));
    expect(report.links).to.equal(MANY);
    expect(report.problems).to.deep.equal([]);
  } finally {
    await close();
    await rm(folder, { recursive: true, force: true });
  }
}).timeout(60_000);
