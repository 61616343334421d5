/** The schemas in Mangrove's archive are those that Strapi itself exports for the same project. */
import { join } from 'node:path';
import { expect } from 'chai';
import { loadSchema } from '../../src/schema/load.js';
import { jsonLines } from '../../src/transfer/archive/lines.js';
import { members, openArchive } from '../../src/transfer/archive/members.js';
import { schemaLines } from '../../src/transfer/export/schemas.js';
import { ownSchemaFiles } from '../../src/transfer/schemas/files.js';
import { ARCHIVE } from '../support/imported-server.js';
import { FIXTURE } from '../support/test-server.js';

/** Administrators, releases and review workflows are Strapi's own. */
const OTHERS = /^admin::|^plugin::(?:content-releases|review-workflows)\./;

describe('schemas of an exported archive', () => {
  it("are the same as Strapi's", async () => {
    const folder = join(FIXTURE, 'schemas');
    const files = (await ownSchemaFiles(folder)).map(({ uid, content }) => [uid, content] as const);
    const ours = schemaLines(await loadSchema({ folder }), new Map(files)) as { uid: string }[];
    const theirs: object[] = [];
    for await (const { path, bytes } of members(await openArchive(ARCHIVE, null)))
      if (path.startsWith('schemas/'))
        for await (const line of jsonLines(bytes))
          if ('value' in line && !OTHERS.test(String(line.value['uid']))) theirs.push(line.value);
    // As JSON: undefined values are absent.
    const found = JSON.parse(JSON.stringify(ours)) as { uid: string }[];
    expect(found.length).to.equal(theirs.length);
    for (const line of theirs) {
      const { uid } = line as { uid: string };
      expect(found.find((each) => each.uid === uid)).to.deep.equal(line);
    }
  });
});
