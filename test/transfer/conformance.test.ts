/** The archive that Strapi itself exported from the conformance fixture produces Strapi's recorded responses. */
import { join } from 'node:path';
import { expect } from 'chai';
import { engineOf, exceptionsOn } from '../contract/exceptions.js';
import { type Configuration, settingsOf } from '../support/conformance-server.js';
import { startImportedServer } from '../support/imported-server.js';
import { CONFORMANCE, describeDifference, matchersFor, replayer } from '../support/replay.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

type Imported = Awaited<ReturnType<typeof startImportedServer>>;

const cases = replayer.loadCases([join(CONFORMANCE, 'public')]).filter(({ kind }) => kind === 'read');

describe('imported archive', function () {
  this.timeout(180_000);
  let imported: Imported;
  let excepted: Readonly<Record<string, unknown>>;

  before(async () => {
    imported = await startImportedServer(settingsOf('default'));
    excepted = exceptionsOn(await engineOf(imported.project.store));
  });
  after(() => imported?.close());

  it('omits no entry and no link, and reads all of them back', () => {
    const { entries, links, files, verified } = imported.report;
    expect(Object.values(entries).reduce((sum, { written }) => sum + written, 0)).to.equal(262);
    expect(Object.values(entries).reduce((sum, { leftOut }) => sum + leftOut, 0)).to.equal(0);
    expect(links).to.deep.equal({ read: 1001, written: 1001, leftOut: 0 });
    expect(files.written).to.equal(13);
    expect(verified?.differences).to.deep.equal([]);
  });

  for (const configuration of ['default', 'strict'] satisfies Configuration[])
    describe(`${configuration} configuration`, () => {
      let server: TestServer;
      let client: object;
      let matchers: ReturnType<typeof matchersFor>;

      before(async () => {
        server = await startTestServer(settingsOf(configuration), { beside: imported });
        client = new replayer.Client({ base: server.url, map: imported.map });
        matchers = matchersFor(imported.map);
      });
      after(() => server?.close());

      for (const recorded of cases.filter((of) => (of.server ?? 'default') === configuration))
        it(recorded.name, async () => {
          const difference = await replayer.runCase(recorded, client, matchers);
          if (difference && !excepted[recorded.name]) throw new Error(describeDifference(difference));
        });
    });
});
