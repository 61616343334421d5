/** Whatever a role was granted, an import gives it that or less, and reports what it does not give. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Random, randomOf, SEED } from '../../packages/engine/test/support/random.js';
import { listRoles } from '../../src/store/access/roles.js';
import { type TestStore, testStore } from '../support/engine.js';
import { rounds } from '../support/rounds.js';
import {
  openSource,
  type SourceModel,
  type SourceRole,
  schemaFrom,
  VERSIONS,
  type Version,
} from '../support/sources.js';
import { importAll, targetIn } from '../support/transfer.js';

const RUNS = rounds(2, 10);

/** Among them names that differ only in case or hyphens, and those of built-in types. */
const NAMES = ['shop', 'site-setting', 'sitesetting', 'user', 'file', 'role'];
const MODELS: readonly SourceModel[] = NAMES.map((name) => ({
  name,
  attributes: { title: { type: 'string' } },
}));
const CONTENT = ['find', 'findOne', 'create', 'update', 'delete'];
const PLUGINS = [
  ...['callback', 'connect', 'forgotPassword', 'register', 'changePassword'].map((name) => `auth.${name}`),
  ...['find', 'findOne', 'me', 'count', 'create', 'update', 'destroy'].map((name) => `user.${name}`),
].map((name) => `plugin::users-permissions.${name}`);
const FILES = ['find', 'findOne', 'upload', 'destroy'].map((name) => `plugin::upload.content-api.${name}`);
/** Actions of custom controllers and of plugins. */
const OTHERS = [
  'api::shop.shop.own',
  'api::shop.shop.constructor',
  'api::nothing.nothing.find',
  'plugin::email.email.send',
  'plugin::users-permissions.auth.own',
];

const actionsOf = (version: Version): readonly string[] => [
  ...NAMES.flatMap((name) => CONTENT.map((action) => `api::${name}.${name}.${action}`)),
  ...PLUGINS,
  ...FILES,
  ...OTHERS,
  ...(version === 3 ? NAMES.map((name) => `api::${name}.${name}.count`) : []),
];

const rolesFrom = (random: Random, version: Version): readonly SourceRole[] =>
  ['public', 'authenticated', 'editor'].map((type) => ({
    type,
    actions: actionsOf(version).filter(() => random.below(3) === 0),
  }));

/** The actions that a role has to have after the import; Strapi 4 and 5 keep those of code that may be added. */
const wantedOf = ({ actions }: SourceRole, version: Version): readonly string[] =>
  actions.filter((action) => version !== 3 || !(OTHERS.includes(action) || /^api::.*\.count$/.test(action)));

/** The name in Strapi 3. */
const oldName = (action: string): string => {
  const [origin = '', rest = ''] = action.split('::');
  const [owner = '', controller = '', name = ''] = rest.split('.');
  return [origin === 'api' ? 'application' : owner, controller, name.toLowerCase()].join('.');
};

describe('permissions after an import', function () {
  this.timeout(180_000);
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-permissions-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  for (const version of VERSIONS)
    for (let run = 0; run < RUNS; run += 1)
      it(`Strapi ${version}, seed ${SEED + run}: no role gets more, and what it does not get is reported`, async () => {
        const roles = rolesFrom(randomOf(SEED + run), version);
        const opened: TestStore = await testStore();
        const database = `${opened.name}_old`;
        const own = join(folder, `${version}-${run}`);
        const source = await openSource(version, MODELS, {
          opened,
          folder: own,
          database,
          access: { roles, settings: { allow_register: false } },
        });
        try {
          const schema = await schemaFrom(source);
          const report = await importAll(source, targetIn(opened.store, schema, own), { verify: true });
          expect(report.verified?.differences).to.eql([]);
          const stored = new Map((await listRoles(opened.store)).map(({ type, grants }) => [type, grants]));
          const said = report.problems.filter(({ what }) => what === 'role').map(({ why }) => why);
          for (const role of roles) {
            const wanted = wantedOf(role, version);
            expect([...(stored.get(role.type) ?? [])].sort(), role.type).to.eql([...wanted].sort());
            for (const action of role.actions.filter((one) => !wanted.includes(one)))
              expect(said.join(' ').split(/[\s,]+/), action).to.include(oldName(action));
          }
        } finally {
          await source.close();
          await opened.store.client.db(database).dropDatabase();
          await opened.close();
        }
      });
});
