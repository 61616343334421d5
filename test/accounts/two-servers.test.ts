/** What one process checks before it writes, several must not store at once. */
import { expect } from 'chai';
import { examine } from '../../src/store/doctor/doctor.js';
import { has } from '../support/engines/lacks.js';
import { send } from '../support/send.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const PASSWORD = 'secret-1';
const off = { enabled: false, interval: 1000, max: 1 };
const overrides = { plugins: { usersPermissions: { ratelimit: off } } };

describe('accounts: two servers on one database', function () {
  this.timeout(180_000);
  let first: TestServer;
  let second: TestServer;
  before(async () => {
    first = await startTestServer(overrides);
    second = await startTestServer(overrides, { beside: first });
  });
  after(async () => {
    await second.close();
    await first.close();
  });
  const users = () => first.project.store.db.collection('mangrove.users');
  const register = ({ url }: TestServer, username: string, email: string): Promise<number> =>
    send(url, '/api/auth/local/register', { body: { username, email, password: PASSWORD } }).then(
      ({ status }) => status,
    );

  it('one of several registrations of a name in different cases succeeds', async () => {
    for (let round = 0; round < 6; round++) {
      const names = [`race${round}`, `RACE${round}`, `Race${round}`, `rAcE${round}`];
      const statuses = await Promise.all(
        names.map((name, at) =>
          register(at % 2 === 0 ? first : second, name, `race-${round}-${at}@example.test`),
        ),
      );
      expect(
        statuses.filter((status) => status === 200),
        String(statuses),
      ).to.have.length(1);
      expect(statuses.filter((status) => status === 400)).to.have.length(3);
    }
  });

  it('a name and an address of two registrations are never the same', async () => {
    for (let round = 0; round < 6; round++) {
      const shared = `shared${round}@example.test`;
      const statuses = await Promise.all([
        register(first, shared, `own${round}@example.test`),
        register(second, `name${round}`, shared),
      ]);
      expect(statuses.filter((status) => status === 200).length, String(statuses)).to.be.at.most(1);
    }
  });

  it('a name and an address of two accounts that an administrator creates are never the same', async () => {
    const role = (await first.project.access.roles.byType('authenticated'))?.role.id;
    const create = ({ project }: TestServer, username: string, email: string): Promise<boolean> =>
      project.access.users.create({ username, email, password: PASSWORD, role }).then(
        () => true,
        ({ status }) => {
          expect(status).to.equal(400);
          return false;
        },
      );
    for (let round = 0; round < 6; round++) {
      const shared = `made${round}@example.test`;
      const made = await Promise.all([
        create(first, shared, `mine${round}@example.test`),
        create(second, `called${round}`, shared),
      ]);
      expect(made.filter((one) => one).length).to.be.at.most(1);
      const named = { $or: [{ username: shared }, { email: shared }] };
      expect(await users().countDocuments(named)).to.be.at.most(1);
    }
  });

  it('an account that a script renames gives up its name and takes the new one', async () => {
    expect(await register(first, 'before', 'renamed@example.test')).to.equal(200);
    const documentId = String((await users().findOne({ username: 'before' }))?.['documentId']);
    const data = { username: 'Afterwards' };
    await first.project.documents('plugin::users-permissions.user').update({ documentId, data });
    expect((await users().findOne({ documentId }))?.['nameKey']).to.equal('afterwards');
    expect(await register(second, 'AFTERWARDS', 'late@example.test')).to.equal(400);
    if (has('unique values that an update has freed'))
      expect(await register(second, 'BEFORE', 'later@example.test')).to.equal(200);
  });

  it('one of two accounts is given a name', async () => {
    const { access } = first.project;
    const role = (await access.roles.byType('authenticated'))?.role.id;
    const made = await Promise.all(
      ['left', 'right'].map((username) =>
        access.users.create({ username, email: `${username}@example.test`, password: PASSWORD, role }),
      ),
    );
    const renamed = await Promise.allSettled(
      made.map(({ id }, at) =>
        (at === 0 ? first : second).project.access.users.edit(id, { username: at === 0 ? 'Same' : 'SAME' }),
      ),
    );
    expect(renamed.map(({ status }) => status).sort()).to.deep.equal(['fulfilled', 'rejected']);
    const reason = renamed.flatMap((one) => (one.status === 'rejected' ? [one.reason.status] : []));
    expect(reason).to.deep.equal([400]);
  });

  it('starts on a database in which names are equal, and doctor lists them', async () => {
    await users().dropIndex('name_unique');
    const base = { locale: null, provider: 'local', password: null, confirmed: true, blocked: false };
    await users().insertMany([
      { ...base, id: 901, documentId: 'd901', username: 'twin', nameKey: 'twin', email: 'a@twin.test' },
      { ...base, id: 902, documentId: 'd902', username: 'TWIN', nameKey: 'twin', email: 'b@twin.test' },
      { ...base, id: 903, documentId: 'd903', username: 'Twin', email: 'c@twin.test' },
    ]);
    const third = await startTestServer(overrides, { beside: first });
    expect(await register(third, 'tWin', 'd@twin.test')).to.equal(400);
    const { store, schema } = third.project;
    const [found] = await examine(store, schema, ['accounts']);
    expect(found?.text).to.equal('names of accounts that pass for each other: twin, TWIN, Twin');
    await third.close();
    await users().deleteMany({ id: { $gte: 902 } });
    const fourth = await startTestServer(overrides, { beside: first });
    expect((await examine(fourth.project.store, schema, ['accounts']))[0]?.level).to.equal('ok');
    expect(await users().indexExists('name_unique')).to.equal(true);
    await fourth.close();
  });
});
