import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { listCode } from '../../src/strapi/list-files.js';
import { CODE, INSTALLED_UTILS, REFUSED, SERVICES, SUPPORTED } from '../../src/strapi/names.js';
import { writeFiles } from '../support/write-files.js';

/** How the page writes a name that throws, by the object that it belongs to. */
const WRITTEN: Readonly<Record<keyof typeof REFUSED, string>> = {
  '': 'strapi.',
  db: 'strapi.db.',
  server: 'strapi.server.',
  '@strapi/utils': '',
};

/** A file of each kind. */
const PLACES: Readonly<Record<keyof typeof CODE, readonly string[]>> = {
  controller: ['src/api/note/controllers/note.js'],
  service: ['src/api/note/services/note.js'],
  route: ['src/api/note/routes/note.js'],
  policy: ['src/api/note/policies/own.js', 'src/policies/all.js'],
  middleware: ['src/api/note/middlewares/own.js', 'src/middlewares/all.js'],
  index: ['src/index.js'],
  lifecycles: ['src/api/note/content-types/note/lifecycles.js'],
  extension: ['src/extensions/upload/strapi-server.js'],
  plugin: ['src/plugins/own/strapi-server.js'],
  cron: ['config/cron-tasks.js'],
};

describe('docs/strapi-code.md', () => {
  const page = readFileSync('docs/strapi-code.md', 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));

  it('has a row for each kind of file that runs, which the loader finds there', async () => {
    const runs = page.slice(page.indexOf('## What runs'), page.indexOf('## The `strapi` object'));
    const shown = runs
      .split('\n')
      .filter((line) => line.startsWith('| ') && !/^\| (?:code|`ctx`) \|/.test(line));
    expect(shown).to.eql(Object.values(CODE).map(([place, says]) => `| ${place} | ${says} |`));
    const root = await mkdtemp(join(tmpdir(), 'mangrove-strapi-kinds-'));
    const files = Object.values(PLACES).flat();
    await writeFiles(root, Object.fromEntries(files.map((file) => [file, ''])));
    const { files: found } = await listCode(root, { own: './src/plugins/own' });
    await rm(root, { recursive: true });
    for (const [kind, expected] of Object.entries(PLACES))
      expect(found.filter((file) => file.kind === kind).map(({ file }) => file)).to.have.members(expected);
  });

  it('has a row for each name that is supported, and no other', () => {
    const expected = Object.entries(SUPPORTED).map(([name, says]) => `| \`strapi.${name}\` | ${says} |`);
    expect(rows.filter((row) => /^\| `strapi\.[\w.]+` \|/.test(row))).to.eql(expected);
  });

  it('has a row for each service of a plugin, and no other', () => {
    const expected = Object.entries(SERVICES).flatMap(([plugin, services]) =>
      Object.entries(services).map(
        ([name, says]) => `| \`plugin('${plugin}').service('${name}')\` | ${says} |`,
      ),
    );
    expect(rows.filter((row) => row.startsWith("| `plugin('"))).to.eql(expected);
  });

  it('names what of the installed package runs', () => {
    const row = rows.find((one) => one.includes("of the project's installed package")) ?? '';
    const named = [...(row.split(' | ')[0]?.matchAll(/`([^`]+)`/g) ?? [])].map(([, name]) => name);
    expect(named).to.eql([...INSTALLED_UTILS, '@strapi/utils']);
  });

  it('names everything that throws', () => {
    const thrown = rows.filter((row) => row.endsWith('| throws |'));
    const named = thrown.flatMap((row) =>
      [...(row.split(' | ')[0]?.matchAll(/`([^`]+)`/g) ?? [])].map(([, name]) => name),
    );
    const expected = Object.entries(REFUSED).flatMap(([of, names]) =>
      [...names].map((name) => WRITTEN[of as keyof typeof REFUSED] + name),
    );
    expect(named.filter((name) => name !== '@strapi/utils')).to.eql(expected);
  });
});
