/** The replayer of the corpus, with the built package as its Document Service. */
import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { type ConformanceServer, startConformanceServer } from '../support/conformance-server.js';
import { CONFORMANCE } from '../support/replay.js';
import { engineOf, exceptionsOn } from './exceptions.js';

const DRIVER = fileURLToPath(new URL('../support/document-service-driver.mjs', import.meta.url));
const CASES = join(CONFORMANCE, 'public', 'document-service.jsonl');

describe('conformance: the driver of the Document Service', () => {
  let server: ConformanceServer;

  before(async () => {
    server = await startConformanceServer('default');
  });
  after(() => server?.close());

  it('replays the recorded calls on the built package', async () => {
    const map = join(await mkdtemp(join(tmpdir(), 'mangrove-')), 'map.json');
    await writeFile(map, JSON.stringify({ ...server.map, database: server.database }));
    const args = [join(CONFORMANCE, 'replay-docs.mjs'), '--driver', DRIVER, '--map', map, CASES];
    const { stdout } = await promisify(execFile)(process.execPath, args).catch(
      (error: { stdout?: string; stderr?: string }) => {
        if (error.stderr) throw new Error(error.stderr);
        return { stdout: error.stdout ?? '' };
      },
    );
    const failed = [...stdout.matchAll(/^FAIL (\S+)/gm)].map(([, name]) => name);
    const excepted = Object.keys(exceptionsOn(await engineOf(server.project.store)));
    expect(failed.filter((name) => !excepted.includes(name ?? ''))).to.eql([]);
    expect(stdout).to.match(/^\d\d+ passed, \d+ failed$/m);
  });
});
