/** The archive that Strapi itself exported from the conformance fixture produces Strapi's recorded responses. */
import { join } from 'node:path';
import { expect } from 'chai';
import { engineOf, exceptionsOn } from '../contract/exceptions.js';
import { type Configuration, settingsOf } from '../support/conformance-server.js';
import { startImportedServer } from '../support/imported-server.js';
import { CONFORMANCE, describeDifference, matchersFor, replayer } from '../support/replay.js';

type Imported = Awaited<ReturnType<typeof startImportedServer>>;

const cases = replayer.loadCases([join(CONFORMANCE, 'public')]).filter(({ kind }) => kind === 'read');

for (const configuration of ['default', 'strict'] satisfies Configuration[])
  describe(`imported archive: ${configuration} configuration`, function () {
    this.timeout(180_000);
    let server: Imported;
    let client: object;
    let matchers: ReturnType<typeof matchersFor>;
    let excepted: Readonly<Record<string, unknown>>;

    before(async function () {
      this.timeout(180_000);
      server = await startImportedServer(settingsOf(configuration));
      excepted = exceptionsOn(await engineOf(server.project.store));
      client = new replayer.Client({ base: server.url, map: server.map });
      matchers = matchersFor(server.map);
    });
    after(() => server?.close());

    it('omits no entry and no link, and reads all of them back', () => {
      const { entries, links, files, verified } = server.report;
      expect(Object.values(entries).reduce((sum, { written }) => sum + written, 0)).to.equal(262);
      expect(Object.values(entries).reduce((sum, { leftOut }) => sum + leftOut, 0)).to.equal(0);
      expect(links).to.deep.equal({ read: 1001, written: 1001, leftOut: 0 });
      expect(files.written).to.equal(13);
      expect(verified?.differences).to.deep.equal([]);
    });

    for (const recorded of cases.filter((of) => (of.server ?? 'default') === configuration))
      it(recorded.name, async () => {
        const difference = await replayer.runCase(recorded, client, matchers);
        if (difference && !excepted[recorded.name]) throw new Error(describeDifference(difference));
      });
  });
