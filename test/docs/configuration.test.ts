import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { defaults } from '../../src/config/defaults.js';
import { MIDDLEWARES, SETTINGS } from '../../src/config/settings.js';
import { VARIABLES } from '../../src/config/variables.js';

const text = readFileSync('docs/configuration.md', 'utf8');
/** What stands under `## <heading>`. */
const sectionOf = (heading: string): string => text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';

describe('docs/configuration.md', () => {
  for (const [file, settings] of Object.entries(SETTINGS))
    for (const { path } of settings.filter((setting) => setting.path !== ''))
      it(`has config/${file} ${path}`, () => {
        expect(sectionOf(`config/${file}`)).to.include(`| \`${path}\` |`);
      });

  for (const [name, settings] of Object.entries(MIDDLEWARES).filter(([, list]) => list.length > 0))
    it(`has ${name} and its options`, () => {
      const row = sectionOf('config/middlewares')
        .split('\n')
        .find((line) => line.startsWith(`| \`${name}\` |`));
      expect(row).to.be.a('string');
      for (const { path } of settings.filter((setting) => setting.path !== ''))
        expect(row).to.include(`\`${path}\``);
    });

  for (const name of Object.keys(VARIABLES))
    it(`has ${name}`, () => {
      expect(sectionOf('The environment')).to.include(`\`${name}\``);
    });

  const values = defaults('/project');
  const defaultAt = (to: string): unknown =>
    to.split('.').reduce<unknown>((at, key) => Reflect.get(Object(at), key), values);
  const printed = (value: unknown): string => {
    if (value === undefined) return '–';
    if (value === '') return 'made once';
    if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
    return `\`${typeof value === 'string' ? value.replace('/project/', '') : JSON.stringify(value)}\``;
  };
  for (const [file, settings] of Object.entries(SETTINGS))
    for (const { path, to } of settings.filter((setting) => setting.path !== ''))
      it(`tells the default of config/${file} ${path}`, () => {
        const row = sectionOf(`config/${file}`)
          .split('\n')
          .find((line) => line.startsWith(`| \`${path}\` |`));
        expect(row?.split(' | ')[1]).to.equal(printed(defaultAt(to)));
      });

  it('has no row of a setting that does not exist', () => {
    for (const [file, settings] of Object.entries(SETTINGS)) {
      const rows = [...sectionOf(`config/${file}`).matchAll(/^\| `([^`]+)` \|/gm)].map(([, key]) => key);
      expect(settings.map(({ path }) => path)).to.include.members(rows);
    }
  });
});
