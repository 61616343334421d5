import type { StoredUser } from '../../src/access/index.js';
import type { Project } from '../../src/project.js';

interface Account {
  readonly user: StoredUser;
  /** A token with which it is signed in. */
  readonly key: string;
}

/** Makes an account that may sign in, with a role by its type. */
export async function makeAccount(
  { access }: Pick<Project, 'access'>,
  username: string,
  role: string,
): Promise<Account> {
  const user = await access.users.make({
    username,
    email: `${username}@example.org`,
    password: 'secret word',
    role: (await access.roles.byType(role))?.role.documentId ?? '',
    confirmed: true,
  });
  return { user, key: (await access.sessions.issue(user)).jwt };
}
