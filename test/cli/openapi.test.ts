import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { mangrove } from '../support/run-command.js';
import { typeFile } from '../support/schemas.js';
import { writeFiles } from '../support/write-files.js';

describe('mangrove openapi', function () {
  this.timeout(180_000);
  let root: string;
  const at = (name: string): string => join(root, name);
  const schemas = (attributes: Parameters<typeof typeFile>[1]): Promise<void> =>
    writeFiles(root, { 'content-types/thing/schema.json': typeFile('thing', attributes).content });
  const run = (...args: readonly string[]) => mangrove('--root', root, 'openapi', ...args);

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'mangrove-openapi-'));
    await schemas({ title: { type: 'string' }, kind: { type: 'enumeration', enum: ['a', 'b'] } });
    expect((await run('--out', 'old.json')).status).to.equal(0);
  });
  after(() => rm(root, { recursive: true }));

  it('writes the same output each time, to a file and to stdout', async () => {
    const { status, stdout } = await run();
    expect(status).to.equal(0);
    expect(JSON.parse(stdout)).to.deep.equal(JSON.parse(await readFile(at('old.json'), 'utf8')));
    await run('--out', 'again.json');
    expect(await readFile(at('again.json'), 'utf8')).to.equal(await readFile(at('old.json'), 'utf8'));
  });

  it('diff: exits with 0 if nothing breaks', async () => {
    await schemas({
      title: { type: 'string' },
      kind: { type: 'enumeration', enum: ['a', 'b'] },
      more: { type: 'integer' },
    });
    const { status, stdout, stderr } = await run('diff', 'old.json');
    expect([status, stdout]).to.deep.equal([0, '']);
    expect(stderr).to.include('nothing breaks');
  });

  it('diff: exits with 1 if something does, and names it', async () => {
    await schemas({ kind: { type: 'enumeration', enum: ['a'] } });
    const { status, stdout } = await run('diff', 'old.json');
    expect(status).to.equal(1);
    expect(stdout)
      .to.match(/POST \/api\/things body\.data\.title +is no longer accepted/)
      .and.match(/POST \/api\/things body\.data\.kind +no longer accepts b/);
    const asJson = await mangrove('--json', '--root', root, 'openapi', 'diff', 'old.json');
    const result = JSON.parse(asJson.stdout) as {
      readonly ok: boolean;
      readonly breaking: readonly object[];
    };
    expect(asJson.status).to.equal(1);
    expect(result.ok).to.equal(false);
    expect(result.breaking).to.deep.include({
      place: 'POST /api/things body.data.title',
      what: 'is no longer accepted',
    });
  });

  for (const [what, file, content] of [
    ['a missing file', 'nowhere.json', null],
    ['a file that is not JSON', 'text.json', 'openapi: 3.1.0'],
    ['JSON that is not an OpenAPI description', 'other.json', '{"openapi":"3.1.0"}'],
  ] as const)
    it(`diff: exits with 2 for ${what}`, async () => {
      if (content !== null) await writeFile(at(file), content);
      const { status, stdout, stderr } = await run('diff', file);
      expect([status, stdout]).to.deep.equal([2, '']);
      expect(stderr).to.include(file);
    });
});
