import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { globalPrivateAttributes } from '../../src/cli/strapi3-config.js';

describe('the private attributes in the configuration of a Strapi 3 project', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-config3-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const settings = "{ responses: { privateAttributes: ['wage', 'created_by'] } }";
  const cases: readonly (readonly [string, Readonly<Record<string, string>>, readonly string[] | null])[] = [
    ['none', {}, []],
    ['an object', { 'api.js': `module.exports = ${settings};` }, ['wage', 'created_by']],
    ['a function', { 'api.js': `module.exports = ({ env }) => (${settings});` }, ['wage', 'created_by']],
    [
      'a function with a body',
      { 'api.js': `module.exports = () => { return ${settings}; };` },
      ['wage', 'created_by'],
    ],
    [
      'a constant',
      { 'api.js': `const own = ['a']; module.exports = { responses: { privateAttributes: own } };` },
      ['a'],
    ],
    ['JSON', { 'api.json': '{"responses": {"privateAttributes": ["a"]}}' }, ['a']],
    ['one environment', { 'env/production/api.js': `module.exports = ${settings};` }, ['wage', 'created_by']],
    ['other settings', { 'api.js': 'module.exports = { rest: { maxLimit: 5 } };' }, []],
    [
      'names that code makes',
      { 'api.js': 'module.exports = { responses: { privateAttributes: make() } };' },
      null,
    ],
    ['responses that code makes', { 'api.js': 'module.exports = { responses: make() };' }, null],
    ['code that cannot be parsed', { 'api.js': 'module.exports = {' }, null],
    [
      'settings that are replaced later',
      { 'api.js': `module.exports = ${settings}; module.exports.responses = make();` },
      null,
    ],
    ['exports by name', { 'api.js': "exports.responses = { privateAttributes: ['a'] };" }, null],
    [
      'a variable',
      { 'api.js': `let own = ['a']; module.exports = { responses: { privateAttributes: own } };` },
      null,
    ],
    [
      'code that throws when it is run',
      { 'api.js': `process.exit(1); module.exports = ${settings};` },
      ['wage', 'created_by'],
    ],
  ];
  for (const [name, files, expected] of cases)
    it(`${name}: ${expected === null ? 'unknown' : JSON.stringify(expected)}`, async () => {
      for (const [file, content] of Object.entries(files)) {
        const path = join(folder, 'config', file);
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, content);
      }
      expect(await globalPrivateAttributes(folder)).to.eql(expected);
    });
});
