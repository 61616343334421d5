import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { REFUSED, SERVICES, SUPPORTED } from '../../src/strapi/names.js';

/** How the page writes a name that throws, by the object that it belongs to. */
const WRITTEN: Readonly<Record<keyof typeof REFUSED, string>> = {
  '': 'strapi.',
  db: 'strapi.db.',
  server: 'strapi.server.',
  '@strapi/utils': '',
};

describe('docs/strapi-code.md', () => {
  const page = readFileSync('docs/strapi-code.md', 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));

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
