/** Who asks, and what each of them may not see. */
import { compileGrants } from '../../../src/access/identity/grants.js';
import type { Grants } from '../../../src/query/read-plan.js';
import type { TestServer } from '../test-server.js';
import { type RandomRules, randomRules, WRITES } from './rules.js';

export interface Asking {
  readonly name: string;
  readonly key: string | undefined;
  readonly grants: Grants;
  /** The account that asks. */
  readonly account: string | null;
  readonly rules?: RandomRules;
}

const read = (...types: readonly string[]): string[] =>
  types.flatMap((name) => [`api::${name}.${name}.find`, `api::${name}.${name}.findOne`]);

/** Who may see earlier versions sees of them what is visible now. */
const past = (...types: readonly string[]): string[] =>
  types.map((name) => `api::${name}.${name}.findVersions`);

/** Who may see what is scheduled sees it for what is visible now. */
const later = 'api::note.note.findScheduled';

const USER = 'plugin::users-permissions.user';
const FILE = 'plugin::upload.content-api';

export const ACTIONS = {
  public: [...read('note', 'tag', 'shelf', 'front', 'mark', 'crate'), ...past('note')],
  user: [
    ...read('note', 'tag', 'shelf', 'front', 'person', 'mark', 'crate'),
    ...past('note', 'person'),
    later,
    `${USER}.me`,
  ],
  token: [
    ...read('note', 'shelf', 'vault', 'mark'),
    ...past('note'),
    later,
    ...[`${USER}.find`, `${USER}.findOne`, `${USER}.count`, `${FILE}.find`, `${FILE}.findOne`],
  ],
};

export interface Callers {
  readonly all: readonly Asking[];
  /** The documentIds of accounts. */
  readonly owners: readonly string[];
}

/** Callers with random rules. */
export const RULED = 3;

/** Gives each caller its grants, and creates the accounts and the token. `writes`: callers with rules may write. */
export async function makeCallers(
  { project }: TestServer,
  ruleSeed: number,
  writes = false,
): Promise<Callers> {
  const { roles, users, tokens, sessions } = project.access;
  const role = (await roles.byType('public'))?.role;
  if (!role) throw new Error('no public role');
  const grants = [...role.grants, ...ACTIONS.public];
  await roles.change(role, { grants });
  const reader = await roles.create({
    name: 'Reader',
    type: 'reader',
    description: 'reads',
    grants: ACTIONS.user,
  });
  const accounts = [];
  for (const name of ['ann', 'bob', 'cid', 'dot'])
    accounts.push(
      await users.make({
        username: name,
        email: `${name}@example.org`,
        password: `password of ${name}`,
        role: reader.documentId,
        confirmed: true,
      }),
    );
  const [ann] = accounts;
  if (!ann) throw new Error('no account');
  const { jwt } = await sessions.issue(ann);
  const ruled: Asking[] = [];
  const actions = [...ACTIONS.user, ...(writes ? WRITES : [])];
  for (const at of Array.from({ length: RULED }, (_, index) => index)) {
    const username = `eve${at}`;
    // The account exists before its role, whose rules name it.
    const made = await users.make({
      username,
      email: `${username}@example.org`,
      password: `password of ${username}`,
      role: reader.documentId,
      confirmed: true,
    });
    accounts.push(made);
    const rules = randomRules(ruleSeed + at, made, writes);
    const type = `ruled${at}`;
    const held = new Set(rules.stored.map(({ action }) => action));
    const role = await roles.create({
      type,
      grants: actions.filter((action) => !held.has(action)),
      rules: rules.stored,
    });
    await users.edit(made.id, { role: role.id });
    const account = await users.byId(made.id);
    if (!account) throw new Error('no account');
    const { jwt } = await sessions.issue(account);
    const grants = compileGrants(actions);
    ruled.push({ name: `a user under rules ${at + 1}`, key: jwt, grants, account: made.documentId, rules });
  }
  const { key } = await tokens.create({ name: 'some', type: 'custom', permissions: ACTIONS.token });
  return {
    owners: accounts.map(({ documentId }) => documentId),
    all: [
      { name: 'the public', key: undefined, grants: compileGrants(grants), account: null },
      { name: 'a user', key: jwt, grants: compileGrants(ACTIONS.user), account: ann.documentId },
      ...ruled,
      { name: 'an API token', key, grants: compileGrants(ACTIONS.token), account: null },
    ],
  };
}
