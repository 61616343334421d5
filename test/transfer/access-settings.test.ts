/** Roles, registration and drafts after an import: nobody can do what the source did not let them do. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ConfigOverrides } from '../../src/config/load.js';
import { listRoles } from '../../src/store/access/roles.js';
import type { ImportReport } from '../../src/transfer/import/report.js';
import { writeFiles } from '../../src/transfer/schemas/files.js';
import { planFiles, withoutMissing } from '../../src/transfer/schemas/plan.js';
import type { ImportSource } from '../../src/transfer/source/types.js';
import { openArchiveSource } from '../../src/transfer/strapi/source.js';
import { type TestStore, testStore } from '../support/engine.js';
import { importInto } from '../support/imported-server.js';
import {
  openSource,
  type SourceAccess,
  type SourceModel,
  type SourceRole,
  VERSIONS,
  type Version,
} from '../support/sources.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { exportAll, importAll, targetIn } from '../support/transfer.js';

const SETTINGS = {
  unique_email: false,
  allow_register: false,
  email_confirmation: true,
  email_reset_password: 'https://site.example/reset',
  email_confirmation_redirection: '',
  default_role: 'reader',
};
const KEY = 'plugin_users-permissions_advanced';
const REGISTER = 'plugin::users-permissions.auth.register';

const ROLES: readonly SourceRole[] = [
  { type: 'public', actions: ['api::shop.shop.find', 'api::note.note.find', REGISTER] },
  { type: 'authenticated', actions: ['api::shop.shop.find', 'api::shop.shop.update', 'api::shop.shop.own'] },
  { type: 'reader', actions: ['api::note.note.findOne', 'plugin::upload.content-api.upload'] },
];

/** `shop` has drafts. In Strapi 4, a row of `note` may have no `publishedAt` and is public all the same. */
const modelsOf = (version: Version): readonly SourceModel[] => [
  {
    name: 'shop',
    attributes: { title: { type: 'string' } },
    draftAndPublish: true,
    rows: [
      { title: 'live', ...(version === 3 && { published_at: new Date() }) },
      ...(version === 5 ? [] : [{ title: 'hidden', [version === 3 ? 'published_at' : 'publishedAt']: null }]),
    ],
  },
  { name: 'note', attributes: { title: { type: 'string' } }, rows: [{ title: 'a note' }] },
];

describe('who may do what after an import', function () {
  this.timeout(180_000);
  for (const version of VERSIONS)
    describe(`from Strapi ${version}`, () => {
      let opened: TestStore;
      let folder: string;
      const sources: ImportSource[] = [];
      const servers: TestServer[] = [];
      let number = 0;
      before(async () => {
        opened = await testStore();
        folder = await mkdtemp(join(tmpdir(), 'mangrove-roles-'));
      });
      after(async () => {
        for (const server of servers.reverse()) await server.close();
        for (const source of sources) await source.close();
        for (let at = 1; at <= number; at += 1)
          await opened.store.client.db(`${opened.name}_${at}`).dropDatabase();
        await opened?.close();
        await rm(folder, { recursive: true, force: true });
      });

      const open = async (access: SourceAccess): Promise<ImportSource> => {
        number += 1;
        const source = await openSource(version, modelsOf(version), {
          opened,
          folder: join(folder, String(number)),
          database: `${opened.name}_${number}`,
          access,
        });
        sources.push(source);
        return source;
      };
      /** A server on the database of an import, started after it. */
      const served = async (
        access: SourceAccess,
        overrides: ConfigOverrides = {},
      ): Promise<{ readonly server: TestServer; readonly report: ImportReport }> => {
        const source = await open(access);
        const schemaFolder = join(folder, `${number}-schemas`);
        await writeFiles(schemaFolder, planFiles(withoutMissing(await source.schemas())));
        const first = await startTestServer({}, { schemaFolder });
        servers.push(first);
        await first.project.store.db.collection('mangrove.roles').deleteMany({});
        const report = await importInto(first, source, { verify: true });
        expect(report.verified?.differences).to.eql([]);
        const server = await startTestServer(overrides, { schemaFolder, beside: first });
        servers.push(server);
        return { server, report };
      };
      let both: ReturnType<typeof served> | undefined;
      /** The same server for all tests that leave it as it is. */
      const whole = (): ReturnType<typeof served> => {
        both ??= served({ roles: ROLES, settings: SETTINGS });
        return both;
      };
      const register = (server: TestServer, email: string) =>
        fetch(`${server.url}/api/auth/local/register`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ username: email, email, password: 'long enough' }),
        });
      const titles = async (server: TestServer, path: string): Promise<unknown> => {
        const { data } = (await (await fetch(`${server.url}/api/${path}`)).json()) as {
          data: readonly { title: string }[] | null;
        };
        return data?.map(({ title }) => title) ?? [];
      };

      it('registration stays closed, and its other settings are those of the source', async () => {
        const { server, report } = await whole();
        const answer = await register(server, 'a@example.org');
        expect(answer.status).to.equal(400);
        expect(await answer.text()).to.include('Register action is currently disabled');
        expect(server.project.config.plugins.usersPermissions.advanced).to.eql({
          ...SETTINGS,
          email_confirmation_redirection: null,
        });
        const said = report.problems.filter(({ at }) => at === KEY);
        expect(said).to.have.length(1);
        expect(said[0]).to.have.property('kept', true);
        expect(said[0]?.why).to.include('allow_register false, email_confirmation true');
      });

      it('new accounts have the default role of the source, and must confirm their address', async () => {
        const { server } = await served({ roles: ROLES, settings: { ...SETTINGS, allow_register: true } });
        const answer = await register(server, 'b@example.org');
        expect([answer.status, Object.keys((await answer.json()) as object)]).to.eql([200, ['user']]);
        const [user] = await server.project.store.db
          .collection('mangrove.users')
          .find({ email: 'b@example.org' })
          .toArray();
        const roles = await listRoles(server.project.store);
        expect(user).to.include({ confirmed: false });
        expect(roles.find(({ documentId }) => documentId === user?.['role'])?.type).to.equal('reader');
      });

      it('a setting of config/plugins applies in place of the one of the source', async () => {
        const advanced = { allow_register: true };
        const { server } = await served(
          { roles: ROLES, settings: SETTINGS },
          { plugins: { usersPermissions: { advanced } } },
        );
        expect(server.project.config.plugins.usersPermissions.advanced).to.include({
          allow_register: true,
          default_role: 'reader',
        });
        const source = await open({ settings: SETTINGS });
        const { store, schema } = server.project;
        const target = { ...targetIn(store, schema, folder), givenAccountSettings: advanced };
        const report = await importAll(source, target, { dryRun: true });
        expect(report.problems.filter(({ at }) => at === KEY).map(({ why }) => why)).to.include(
          'allow_register is false in the source, true in config/plugins, which applies',
        );
      });

      it('flags that are missing count as false, other values that do not fit are reported', async () => {
        const { server, report } = await served({ settings: { default_role: ['reader'] } });
        expect(server.project.config.plugins.usersPermissions.advanced).to.include({
          allow_register: false,
          default_role: 'authenticated',
        });
        expect(report.problems.filter(({ at, kept }) => at === KEY && !kept).map(({ why }) => why)).to.eql([
          'default_role is ["reader"], not a string: "authenticated" applies',
        ]);
      });

      it('an export has the settings', async () => {
        const { server } = await whole();
        const { store, schema, config } = server.project;
        const { advanced } = config.plugins.usersPermissions;
        const path = join(folder, `${number}.tar`);
        const target = { ...targetIn(store, schema, folder), givenAccountSettings: advanced };
        await exportAll(target, path, { gzip: false });
        const records: unknown[] = [];
        for await (const record of (await openArchiveSource(path, null)).records())
          if (record.kind === 'accountSettings') records.push(record.settings);
        expect(records).to.eql([advanced]);
      });

      it('each role may do what it could, and nothing else', async () => {
        const { server, report } = await whole();
        const roles = await listRoles(server.project.store);
        const has = Object.fromEntries(roles.map(({ type, grants }) => [type, [...grants].sort()]));
        const own = 'api::shop.shop.own';
        const expected = ROLES.map(({ type, actions }) => [
          type,
          actions.filter((action) => version !== 3 || action !== own).sort(),
        ]);
        expect(has).to.eql(Object.fromEntries(expected));
        if (version === 3) expect(report.problems.map(({ why }) => why).join()).to.include('shop.own');
        expect((await fetch(`${server.url}/api/shops`)).status).to.equal(200);
        const [{ documentId = '' } = {}] = await server.project.documents('api::note.note').findMany({});
        expect((await fetch(`${server.url}/api/notes/${documentId}`)).status).to.equal(403);
      });

      it('the public sees what is published, and types without drafts', async () => {
        const { server } = await whole();
        expect(await titles(server, 'shops')).to.eql(['live']);
        expect(await titles(server, 'shops?status=draft')).to.not.include('hidden');
        expect(await titles(server, 'notes')).to.eql(['a note']);
      });

      it('permissions that a role had before a merge are reported', async () => {
        const { server } = await whole();
        const [first] = ROLES;
        const fewer = [{ type: 'public', actions: first?.actions.slice(1) ?? [] }];
        const report = await importInto(server, await open({ roles: fewer }));
        expect(report.problems.filter(({ what }) => what === 'role').map(({ why }) => why)).to.include(
          'public already had, and keeps: api::shop.shop.find',
        );
      });
    });
});
