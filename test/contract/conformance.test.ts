/** Strapi's recorded responses compared with Mangrove's: every request and scenario, on both server configurations. */
import { join } from 'node:path';
import {
  type Configuration,
  type ConformanceServer,
  startConformanceServer,
} from '../support/conformance-server.js';
import { CONFORMANCE, describeDifference, type Matchers, matchersFor, replayer } from '../support/replay.js';
import { type Exception, engineOf, exceptionsOn } from './exceptions.js';
import { Tally } from './tally.js';

const cases = replayer.loadCases([join(CONFORMANCE, 'public')]);

for (const configuration of ['default', 'strict'] satisfies Configuration[])
  describe(`conformance: ${configuration} configuration`, function () {
    this.timeout(180_000);
    const tally = new Tally();
    let server: ConformanceServer;
    let client: object;
    let matchers: Matchers;
    let excepted: Readonly<Record<string, Exception>>;

    before(async function () {
      this.timeout(180_000);
      server = await startConformanceServer(configuration);
      excepted = exceptionsOn(await engineOf(server.project.store));
      client = new replayer.Client({ base: server.url, map: server.map });
      matchers = matchersFor(server.map);
    });
    after(async () => {
      await server?.close();
      tally.print();
    });

    for (const recorded of cases.filter((of) => (of.server ?? 'default') === configuration))
      it(recorded.name, async () => {
        const difference = await replayer.runCase(recorded, client, matchers);
        const exception = excepted[recorded.name];
        tally.count(recorded.group, difference === null, exception !== undefined);
        if (exception && difference === null)
          throw new Error('agrees with Strapi now: remove it from exceptions.json');
        if (!exception && difference) throw new Error(describeDifference(difference));
      });
  });
