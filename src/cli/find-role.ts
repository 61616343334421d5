import type { RoleEntry } from '../access/index.js';
import { errors } from '../errors.js';
import type { Project } from '../project.js';
import { didYouMean } from '../values/nearest.js';

/** The role of this type. @throws ApiError if there is none; `hint` is appended to the message */
export async function findRole({ access }: Project, type: string, hint = ''): Promise<RoleEntry['role']> {
  const roles = (await access.roles.all()).map(({ role }) => role);
  const found = roles.find((role) => role.type === type);
  if (found) return found;
  const types = roles.map((role) => role.type);
  throw errors.application('role-not-found', `There is no role ${type}${didYouMean(type, types)}${hint}`);
}
