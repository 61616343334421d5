/** Types that openapi-typescript generates from the running server's description, and openapi-fetch using them. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { compilerMessages } from '../support/compiler-messages.js';
import type { ConformanceServer } from '../support/conformance-server.js';
import { leaveServer, useServer } from './server.js';

const PROGRAM = `
import createClient from 'openapi-fetch';
import qs from 'qs';
import type { paths } from './paths.js';

export async function run(baseUrl: string, token: string): Promise<readonly unknown[]> {
  const client = createClient<paths>({
    baseUrl,
    // Its own serializer writes only one level of an object.
    querySerializer: (query) => qs.stringify(query),
    headers: { authorization: \`Bearer \${token}\` },
  });
  const made = await client.POST('/api/categories', { body: { data: { name: 'Made by openapi-fetch' } } });
  const documentId = made.data?.data?.documentId ?? '';
  const page = await client.GET('/api/categories', {
    params: { query: { filters: { name: { $eq: 'Made by openapi-fetch' } }, fields: ['name'], pagination: { pageSize: 1 } } },
  });
  const one = await client.GET('/api/categories/{documentId}', { params: { path: { documentId } } });
  const gone = await client.DELETE('/api/categories/{documentId}', { params: { path: { documentId } } });
  const missing = await client.GET('/api/categories/{documentId}', { params: { path: { documentId } } });
  return [made.response.status, page.data?.data?.[0]?.name, one.data?.data?.name, gone.response.status, missing.error?.error?.status];
}
`;
const WRONG = [
  ['a path that is not served', PROGRAM.replace("'/api/categories',", "'/api/categoriez',")],
  ['an attribute that does not exist', PROGRAM.replace('[0]?.name,', '[0]?.nmae,')],
  [
    'an input value of the wrong type',
    PROGRAM.replace("name: 'Made by openapi-fetch' } } });", 'name: 5 } } });'),
  ],
] as const;

describe('openapi-typescript and openapi-fetch', function () {
  this.timeout(180_000);
  const at = (name: string): string => resolve('test/clients', name);
  let server: ConformanceServer;
  let token: string;
  let messages: ReadonlyMap<string, readonly string[]>;
  before(async function () {
    // Loading the fixture is slow on some engines.
    this.timeout(300_000);
    server = await useServer();
    token = server.map.tokens['full'] ?? '';
    const answer = await fetch(`${server.url}/api/openapi.json`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(answer.status).to.equal(200);
    const declared = astToString(await openapiTS(await answer.text()));
    const wrong = WRONG.map(([, code], n) => [at(`wrong-${n}.ts`), code] as const);
    messages = compilerMessages(
      new Map([[at('paths.d.ts'), declared], [at('program.ts'), PROGRAM], ...wrong]),
    );
  });
  after(leaveServer);

  it('the types compile, and so does a program that uses them', () => {
    expect(messages.get(at('paths.d.ts'))).to.eql([]);
    expect(messages.get(at('program.ts'))).to.eql([]);
  });
  for (const [n, [says]] of WRONG.entries())
    it(`does not compile: ${says}`, () => {
      expect(messages.get(at(`wrong-${n}.ts`))).to.have.length.of.at.least(1);
    });

  it('the program works', async () => {
    const folder = await mkdtemp(resolve('node_modules/.openapi-fetch-'));
    try {
      const code = ts.transpile(PROGRAM, { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext });
      const file = join(folder, 'program.mjs');
      await writeFile(file, code);
      const { run }: { run(baseUrl: string, token: string): Promise<readonly unknown[]> } = await import(
        pathToFileURL(file).href
      );
      expect(await run(server.url, token)).to.eql([
        201,
        'Made by openapi-fetch',
        'Made by openapi-fetch',
        204,
        404,
      ]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
