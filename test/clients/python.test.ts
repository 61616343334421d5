/**
 * The client that openapi-python-client generates from the running server's description, checked by a type checker and
 * run by a program.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { ConformanceServer } from '../support/conformance-server.js';
import { leaveServer, useServer } from './server.js';

const FOLDER = resolve('test/clients/python');
const BIN = join(FOLDER, 'installed/bin');
const run = promisify(execFile);

/** The Python module that docs/clients.md recommends. */
const nestedModule = async (): Promise<string> => {
  const page = await readFile('docs/clients.md', 'utf8');
  const [, module] = /```python\n(""".*?)```/s.exec(page) ?? [];
  if (module === undefined) throw new Error('docs/clients.md has no module in Python');
  return module;
};

/**
 * The type checker's complaints about the programs in a folder; generated clients declare some names twice, which is
 * harmless.
 */
const complaintsOf = async (folder: string, file: string): Promise<string> => {
  const checked = run(join(BIN, 'mypy'), ['--strict', '--disable-error-code', 'no-redef', file], {
    cwd: folder,
  });
  return checked.then(
    () => '',
    (error: { readonly stdout?: string }) => error.stdout || String(error),
  );
};

describe('openapi-python-client', function () {
  this.timeout(240_000);
  let server: ConformanceServer;
  let folder: string;

  before(async function () {
    if (!existsSync(join(BIN, 'openapi-python-client'))) {
      console.log(
        `    left out: python3 -m venv ${BIN.slice(0, -4)} and pip install -r ${FOLDER}/requirements.txt there`,
      );
      this.skip();
    }
    this.timeout(300_000);
    server = await useServer();
    folder = await mkdtemp(join(tmpdir(), 'mangrove-python-'));
    const answer = await fetch(`${server.url}/api/openapi.json`, {
      headers: { authorization: `Bearer ${server.map.tokens['full'] ?? ''}` },
    });
    await writeFile(join(folder, 'openapi.json'), await answer.text());
    await writeFile(join(folder, 'nested.py'), await nestedModule());
    await copyFile(join(FOLDER, 'program.py'), join(folder, 'program.py'));
    // The generator fails on anything that it cannot process.
    const { stdout } = await run(
      join(BIN, 'openapi-python-client'),
      [
        'generate',
        '--path',
        'openapi.json',
        '--output-path',
        'content_api',
        '--meta',
        'none',
        '--config',
        join(FOLDER, 'generator.yml'),
        '--fail-on-warning',
      ],
      { cwd: folder },
    );
    expect(stdout).to.match(/^Generating /);
  });
  after(async () => {
    if (!server) return;
    await leaveServer();
    await rm(folder, { recursive: true, force: true });
  });

  it('generates a client that type-checks, alone and with a program that uses it', async () => {
    expect(await complaintsOf(folder, '.')).to.equal('');
  });

  for (const [says, right, wrong] of [
    ['an attribute that does not exist', 'read.data.name', 'read.data.nmae'],
    ['a filter on an attribute that does not exist', 'name="Italian"', 'nmae="Italian"'],
    ['an input value of the wrong type', 'CategoryInput(name="Python one")', 'CategoryInput(name=5)'],
    ['options of another content type', 'RestaurantPopulateOptions(fields', 'CategoryPopulateOptions(fields'],
  ] as const)
    it(`reports a type error: ${says}`, async () => {
      const program = await readFile(join(folder, 'program.py'), 'utf8');
      expect(program).to.include(right);
      await writeFile(join(folder, 'wrong.py'), program.replaceAll(right, wrong));
      expect(await complaintsOf(folder, 'wrong.py')).to.match(/^wrong\.py:\d+: error/m);
      await rm(join(folder, 'wrong.py'));
    });

  it('signs in, lists, reads, creates, updates, deletes and uploads, and receives errors with a reason', async () => {
    const { tokens, passwords } = server.map;
    const { stdout } = await run(
      join(BIN, 'python'),
      ['program.py', server.url, tokens['full'] ?? '', 'amy@example.test', passwords['user.amy'] ?? ''],
      { cwd: folder },
    );
    const { italian, ...did } = JSON.parse(stdout) as {
      readonly italian: readonly { readonly categories: readonly string[] }[];
    };
    expect(did).to.deep.equal({
      signedIn: 'amy',
      found: ['Python two', 'Python one'],
      totals: 2,
      changed: ['Python three', 'Python three'],
      uploaded: [['python.txt', 'A text']],
      gone: [204, 204],
      missing: [404, 'NotFoundError'],
    });
    expect(italian).to.have.length.above(1);
    for (const { categories } of italian) expect(categories).to.include('Italian');
  });
});
