/** Callers with the same rules share plans, and each gets what a plan with its own values would return. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { compileGrants, withRules } from '../../src/access/identity/grants.js';
import type { StoredUser } from '../../src/access/index.js';
import { callerValues } from '../../src/access/rule-terms.js';
import { textQuery } from '../../src/query/query.js';
import type { Grants } from '../../src/query/read-plan.js';
import { existingType } from '../../src/schema/find.js';
import { makeAccount } from '../support/accounts.js';
import { typeFile } from '../support/schemas.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { writeFiles } from '../support/write-files.js';

const POST = 'api::post.post';
const USER = 'plugin::users-permissions.user';
const ACTIONS = [`${POST}.find`, 'api::note.note.find', `${USER}.find`];
const FILES = [
  typeFile(
    'post',
    {
      title: { type: 'string' },
      score: { type: 'integer' },
      price: { type: 'decimal' },
      at: { type: 'datetime' },
      author: { type: 'relation', relation: 'manyToOne', target: USER },
      readers: { type: 'relation', relation: 'manyToMany', target: USER },
      parts: { type: 'component', component: 'box.part', repeatable: true },
      notes: { type: 'relation', relation: 'oneToMany', target: 'api::note.note', mappedBy: 'post' },
    },
    { draftAndPublish: true },
  ),
  typeFile('note', {
    text: { type: 'string' },
    post: { type: 'relation', relation: 'manyToOne', target: POST, inversedBy: 'notes' },
  }),
];
const PART = {
  'content-types/components/box/part.json': {
    info: { displayName: 'part' },
    attributes: {
      label: { type: 'string' },
      owner: { type: 'relation', relation: 'oneToOne', target: USER },
    },
  },
};

/** A rule, and whether all callers share its plan. */
const WHERES: readonly (readonly [where: object, shared: boolean])[] = [
  [{ author: { id: '$caller.id' } }, true],
  [{ author: { documentId: '$caller.documentId' } }, true],
  [{ author: '$caller.id' }, true],
  [{ author: { username: '$caller.username' } }, true],
  [{ author: { id: { $ne: '$caller.id' } } }, true],
  [{ $not: { author: { id: '$caller.id' } } }, true],
  [{ readers: { id: '$caller.id' } }, true],
  [{ readers: { id: { $in: ['$caller.id', 2] } } }, true],
  [{ parts: { owner: { id: '$caller.id' } } }, true],
  [{ parts: { label: '$caller.username' } }, true],
  [{ title: '$caller.username' }, true],
  [{ title: ['$caller.username', 'user1'] }, true],
  [{ title: { $notIn: ['$caller.username'] } }, true],
  [{ score: { $lte: '$caller.id' } }, true],
  [{ score: { $between: [1, '$caller.id'] } }, true],
  [{ price: { $gt: '$caller.id' } }, true],
  [{ at: { $lte: '$now' }, author: { id: '$caller.id' } }, true],
  [{ notes: { text: '$caller.username' } }, true],
  [{ $or: [{ title: 'user0' }, { author: { id: '$caller.id' } }] }, true],
  [{ title: { $startsWith: '$caller.username' } }, false],
  [{ author: { username: { $containsi: '$caller.username' } } }, false],
  [{ title: { $eqi: '$caller.username' } }, false],
];

const QUERIES = [
  'sort=id&pagination[pageSize]=100',
  'filters[score][$gt]=1&sort=score,id&populate=notes',
  'pagination[pageSize]=3&pagination[withCount]=true',
  'status=draft&sort=author.username,id',
];

describe('plans that callers share', function () {
  this.timeout(180_000);
  let folder: string;
  let server: TestServer;
  const users: StoredUser[] = [];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mangrove-shared-'));
    await writeFiles(folder, {
      ...Object.fromEntries(FILES.map(({ file, content }) => [`content-types/${file}`, content])),
      ...PART,
    });
    server = await startTestServer({}, { schemaFolder: folder });
    const { documents } = server.project;
    for (const at of [0, 1, 2, 3])
      users.push((await makeAccount(server.project, `user${at}`, 'authenticated')).user);
    for (let at = 0; at < 24; at++) {
      const user = users[at % 4];
      const made = await documents(POST).create({
        data: {
          title: at % 3 === 0 ? `user${at % 5} and more` : `user${at % 5}`,
          score: at % 6,
          price: (at % 7) / 2,
          at: at % 5 === 0 ? '2999-01-01T00:00:00.000Z' : '2020-01-01T00:00:00.000Z',
          author: at % 7 === 0 ? null : user?.id,
          readers: users.filter((_, one) => (at + one) % 3 === 0).map(({ id }) => id),
          parts: [{ label: `user${at % 4}`, owner: users[(at + 1) % 4]?.id }, { label: 'none' }],
        } as never,
        ...(at % 4 !== 3 && { status: 'published' }),
      });
      await documents('api::note.note').create({
        data: { text: `user${at % 3}`, post: made['documentId'] } as never,
      });
    }
  });
  after(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  const grantsBy = (where: object, of: (name: string) => unknown): Grants =>
    withRules(
      compileGrants(ACTIONS),
      [{ action: `${POST}.find`, terms: JSON.stringify({ where }) }],
      callerValues(of),
    );
  const valueIn = (user: StoredUser, name: string): unknown =>
    (user as unknown as Record<string, unknown>)[name];
  /** The rule with the values of an account written into it. */
  const writtenFor = (where: object, user: StoredUser): object =>
    JSON.parse(
      JSON.stringify(where).replace(/"\$caller\.(\w+)"/g, (_, name: string) =>
        JSON.stringify(valueIn(user, name)),
      ),
    ) as object;

  for (const [where, shared] of WHERES)
    it(`${JSON.stringify(where)}: ${shared ? 'one plan for all' : "each caller's own"}`, async () => {
      const { reader, schema } = server.project;
      const type = existingType(schema, POST);
      const seen = new Set<string>();
      for (const query of QUERIES)
        for (const [at, user] of [...users, ...users].entries()) {
          const ask = async (grants: Grants) => {
            const { data, pagination, timings } = await reader.list({
              type,
              query: textQuery(query),
              caller: { grants },
            });
            return {
              answer: JSON.stringify([data, pagination]),
              made: timings.some(([name]) => name === 'plan'),
            };
          };
          const own = await ask(grantsBy(where, (name) => valueIn(user, name)));
          const plain = await ask(grantsBy(writtenFor(where, user), () => undefined));
          expect(own.answer, `${user.username} ${query}`).to.equal(plain.answer);
          if (at > 0) expect(own.made, `${user.username} ${query}`).to.equal(!shared);
          seen.add(own.answer);
        }
      // The rule tells callers apart, so the comparison says something.
      expect(seen.size).to.be.above(QUERIES.length);
    });

  it('one entry is asked for by many callers at once, each of which gets its own answer', async () => {
    const { reader, schema } = server.project;
    const type = existingType(schema, POST);
    const rows = await server.project.documents(POST).findMany({ populate: ['author'], status: 'published' });
    const asked = rows.flatMap((row) => users.map((user) => ({ row, user })));
    const answers = await Promise.all(
      asked.map(async ({ row, user }) => {
        const grants = grantsBy({ author: { id: '$caller.id' } }, (name) => valueIn(user, name));
        const request = { type, query: textQuery('fields=title'), caller: { grants } };
        return (await reader.one(request, String(row['documentId']))).data !== null;
      }),
    );
    expect(answers).to.deep.equal(
      asked.map(({ row, user }) => (row['author'] as { id?: number } | null)?.id === user.id),
    );
  });

  for (const [where, matches] of [
    [
      { author: { id: '$caller.id' } },
      (row, user) => (row['author'] as { id?: number } | null)?.id === user.id,
    ],
    [
      { title: { $startsWith: '$caller.username' } },
      (row, user) => String(row['title']).startsWith(user.username),
    ],
  ] satisfies [object, (row: Readonly<Record<string, unknown>>, user: StoredUser) => boolean][])
    it(`a write is tested for its own document and caller: ${JSON.stringify(where)}`, async () => {
      const documents = server.project.documents(POST);
      const rows = (await documents.findMany({ populate: ['author'], sort: ['id'] })).slice(0, 8);
      const refused: string[] = [];
      const expected: string[] = [];
      for (const row of rows)
        for (const user of users) {
          const name = `${String(row['id'])} ${user.username}`;
          const grants = withRules(
            compileGrants([`${USER}.find`]),
            [{ action: `${POST}.update`, terms: JSON.stringify({ where }) }],
            callerValues((value) => valueIn(user, value)),
          );
          await documents
            .forRequest({ query: textQuery('status=draft'), data: { score: 1 }, caller: { grants } })
            .update(String(row['documentId']))
            .catch((error: unknown) => {
              expect(error).to.have.property('code', 'rule-refused');
              refused.push(name);
            });
          if (!matches(row, user)) expected.push(name);
        }
      expect(refused).to.deep.equal(expected);
      expect(expected.length).to.be.within(1, rows.length * users.length - 1);
    });
});
