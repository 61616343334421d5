import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { makeConfig } from '../../src/config/load.js';
import { isAccepted, printedValues, rowsOf } from '../../src/config/setting.js';
import { SETTINGS } from '../../src/config/settings.js';
import { WITHOUT_EFFECT } from '../../src/config/without-effect.js';

const text = readFileSync('docs/configuration.md', 'utf8');
const rows = rowsOf(SETTINGS);

/** The tables themselves are checked by tables.test.ts. */
describe('the table of settings', () => {
  for (const { to, setting } of rows) {
    it(`${to} accepts its default, states its purpose, and is in docs/configuration.md`, () => {
      expect(isAccepted(setting, setting.row.standard)).to.equal(true);
      expect(setting.row.about).to.not.equal('');
      if (setting.row.file !== null && setting.row.path !== '')
        expect(text).to.include(`| \`${setting.row.path}\` |`);
    });
  }

  it('is what `config dump` prints, without secrets', () => {
    const config = makeConfig('.', {
      database: { uri: 'mongodb://me:secret@db.test/x' },
      plugins: { email: { providerOptions: { pass: 'secret' } } },
      secrets: { jwtSecret: 'secret', apiTokenSalt: 'secret' },
    });
    const shown = printedValues(SETTINGS, config);
    for (const { to, setting } of rows) {
      const at = to.split('.').reduce<unknown>((value, key) => Reflect.get(Object(value), key), shown);
      if (setting.row.standard !== undefined) expect(at, to).to.not.equal(undefined);
    }
    expect(JSON.stringify(shown)).to.include('mongodb://me:***@db.test/x').and.not.include('secret"');
  });

  it('rejects invalid values from the calling program', () => {
    expect(() => makeConfig('.', { server: { port: -1 }, middlewares: { cors: null } })).to.throw(
      'server.port: an integer from 0 to 65535',
    );
  });

  it('reads each setting from one place', () => {
    const places = rows
      .filter(({ setting }) => setting.row.file !== null)
      .map(({ setting }) => `${setting.row.file} ${setting.row.path}`);
    expect(new Set(places).size).to.equal(places.length);
    expect(Object.keys(WITHOUT_EFFECT)).to.include.members(
      rows.flatMap(({ setting }) => (setting.row.file === null ? [] : [setting.row.file])),
    );
  });
});
