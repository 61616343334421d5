import { errors } from '../../errors.js';
import { type AuthBody, checkBody, objectBody } from '../body.js';
import { enabledActions } from './actions.js';
import type { NewRole, RoleChange } from './roles.js';

const name = { max: 255 } as const;
const RULES = { name: { ...name, required: true }, description: { max: 2000 }, type: name } as const;
const CHANGE_RULES = { name, description: { max: 2000 } } as const;

/** `Blog Writer 2` becomes `blog_writer_2`. */
const typeFor = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/(?<=[a-z])(?=\d)|(?<=\d)(?=[a-z])/g, '_')
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '');

const filled = (given: unknown): AuthBody => {
  const body = objectBody(given);
  if (Object.keys(body).length === 0)
    throw errors.validation('role-body-empty', 'Request body cannot be empty');
  return body;
};

/** The role described by a body. Throws a 400. */
export const readNewRole = (given: unknown): NewRole => {
  const body = filled(given);
  const { name, description, type } = checkBody(body, RULES);
  return { name, description, type: type ?? typeFor(name), grants: enabledActions(body['permissions']) };
};

/** The changes that a body makes to a role. Throws a 400. */
export const readRoleChange = (given: unknown): RoleChange => {
  const body = filled(given);
  const { name, description } = checkBody(body, CHANGE_RULES);
  return {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...('permissions' in body ? { grants: enabledActions(body['permissions']) } : {}),
  };
};
