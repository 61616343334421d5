import { allActions, permissionTree, type RoleEntry, readNewRole, readRoleChange } from '../access/index.js';
import { errors } from '../errors.js';
import { LOCALE_UID, USER_UID } from '../schema/uids.js';
import { memberOf } from '../values/once-per.js';
import { numericId, objectAt } from '../values/plain-object.js';
import type { Live } from './live.js';
import { filledTemplate } from './mail-templates.js';
import { SERVICES } from './names.js';
import { shownRole } from './permissions.js';
import { allowedParams, queryParams } from './query-params.js';
import type { CodeContext, CodeRoute, Values } from './types.js';
import { type Unsupported, withRefused } from './unsupported.js';
import { uploadService } from './upload-service.js';

interface Parts {
  readonly live: () => Live;
  readonly query: (uid: string) => Values;
  /** Why an action is closed, if an extension changed what it needs. */
  readonly closed: (action: string) => Unsupported | null;
  /** The routes of the project's code. */
  readonly routes: () => readonly CodeRoute[];
}

/** No account has this id. */
const NO_ID = -1;

type Services = Readonly<Record<string, Values>>;

const method = (of: Values, name: string, ...args: unknown[]): unknown => {
  const run = of[name];
  return typeof run === 'function' ? run.apply(of, args) : undefined;
};

/** A promise that says so if it is sent as an answer: in Strapi this call is not asynchronous. */
const awaited = <T>(what: string, promise: Promise<T>): Promise<T> =>
  Object.assign(promise, {
    toJSON: (): never => {
      throw errors.strapiUnsupported(`${what} returns a promise: await it`);
    },
  });

type AccessNow = () => ReturnType<Parts['live']>['access'];

function tokenServices(access: AccessNow): Values {
  const hasSessions = (): boolean => access().refreshCookie !== null;
  const startSession = async (payload: unknown): Promise<string> => {
    const { id } = objectAt(payload);
    const user = await access().users.byId(Number(id));
    if (!user) throw errors.missing('user-not-found', 'User not found');
    return (await access().sessions.issue(user, null)).jwt;
  };
  const verify = async (token: unknown): Promise<object> => {
    const { at: _, v: __, ...claims } = access().sessions.claims(String(token)) ?? {};
    // A token that names no account serves a purpose of the project's own.
    if (!hasSessions() && Object.keys(claims).length > 0 && claims['id'] === undefined) return claims;
    const identity = await access()
      .identify(`Bearer ${String(token)}`)
      .catch(() => null);
    if (identity?.kind !== 'user') throw errors.ofStrapiCode(401, 'UnauthorizedError', 'Invalid token.', {});
    const { userId: id, session: sessionId } = identity;
    return sessionId === null ? { ...claims, id } : { id, sessionId };
  };
  const bearer = (ctx: CodeContext): string | null =>
    /^Bearer\s+(\S+)$/i.exec(ctx.get('authorization'))?.[1] ?? null;
  return {
    issue: (payload: unknown, options: unknown = {}) =>
      hasSessions()
        ? awaited("plugin('users-permissions').service('jwt').issue", startSession(payload))
        : access().sessions.sign(objectAt(payload), objectAt(options)),
    verify,
    getToken: async (ctx: CodeContext) => {
      const token = bearer(ctx);
      return token === null ? null : verify(token);
    },
  };
}

function roleServices(access: AccessNow, { live, routes }: Parts): Values {
  const roleOf = async (id: unknown): Promise<RoleEntry> => {
    const entry = (await access().roles.all()).find(({ role }) => role.id === numericId(id));
    if (!entry) throw errors.missing('role-not-found', 'Role not found');
    return entry;
  };
  return {
    createRole: async (params: unknown) => {
      await access().roles.create(readNewRole(params));
    },
    updateRole: async (id: unknown, params: unknown) => {
      await access().roles.change((await roleOf(id)).role, readRoleChange(params));
    },
    deleteRole: async (id: unknown) => {
      const { role } = await roleOf(id);
      await access().roles.remove(role);
    },
    find: async () => {
      const [entries, counts] = await Promise.all([access().roles.all(), access().users.countByRole()]);
      return entries.map(({ role }) => ({
        ...shownRole(role),
        nb_users: counts.get(role.documentId) ?? 0,
      }));
    },
    findOne: async (id: unknown) => {
      const entry = await roleOf(id);
      const entries = await access().roles.all();
      const isHeld = (name: string): boolean => entries.some(({ grants }) => grants.allows(name));
      const actions = allActions(live().schema, routes(), isHeld);
      return {
        ...shownRole(entry.role),
        permissions: permissionTree(actions, (name) => entry.grants.allows(name)),
      };
    },
  };
}

function usersPermissions(parts: Parts): Services {
  const { live, query } = parts;
  const users = (): Values => query(USER_UID);
  const access: AccessNow = () => live().access;
  const asked = (params: unknown): Values => queryParams(allowedParams(params), access().userType);
  const accounts = () => live().documents(USER_UID);
  return {
    user: {
      fetch: (id: unknown, params: unknown = {}) => {
        const { where, ...rest } = asked(params);
        return method(users(), 'findOne', {
          ...rest,
          where: { id: numericId(id) ?? NO_ID, ...(where !== undefined && { $and: [where] }) },
        });
      },
      fetchAll: (params: unknown = {}) => method(users(), 'findMany', asked(params)),
      count: (params: unknown = {}) => method(users(), 'count', asked(params)),
      add: (values: unknown) => accounts().create({ data: objectAt(values), populate: ['role'] }),
      edit: async (id: unknown, values: unknown = {}) => {
        const user = await access().users.byId(numericId(id) ?? NO_ID);
        if (!user) return null;
        const { documentId } = user;
        return accounts().update({ documentId, data: objectAt(values), populate: ['role'] });
      },
      remove: async (where: unknown) => {
        const found = objectAt(await method(users(), 'findOne', { where }));
        if (found['id'] === undefined) return null;
        return (await access().users.remove(Number(found['id']))) && found;
      },
      fetchAuthenticatedUser: (id: unknown) =>
        method(users(), 'findOne', { where: { id: numericId(id) ?? NO_ID }, populate: ['role'] }),
      validatePassword: (password: unknown, hash: unknown) =>
        access().users.verifyPassword(String(password), String(hash)),
      sendConfirmationEmail: async (given: unknown) => {
        const user = await access().users.byId(Number(objectAt(given)['id']));
        if (!user) throw errors.missing('user-not-found', 'User not found');
        await access().users.mailConfirmation(user);
      },
    },
    jwt: tokenServices(access),
    role: roleServices(access, parts),
    'users-permissions': { syncPermissions: async () => undefined },
  };
}

const emails = ({ live }: Parts): Services => ({
  email: {
    send: (email: unknown) => live().access.users.sendEmail(email),
    sendTemplatedEmail: async (email: unknown, template: unknown, data: unknown = {}) =>
      live().access.users.sendEmail({ ...objectAt(email), ...filledTemplate(template, data) }),
  },
});

const locales = ({ live, query }: Parts): Services => ({
  locales: {
    find: (params: unknown = {}) => method(query(LOCALE_UID), 'findMany', { where: params }),
    findByCode: (code: unknown) => method(query(LOCALE_UID), 'findOne', { where: { code } }),
    getDefaultLocale: async () => live().config.plugins.i18n.defaultLocale,
  },
});

/** What code says of a GraphQL schema, which is not served: `shadowCRUD(uid).field(name).disable()` and the like. */
function graphql(): Services {
  const rule: object = new Proxy(
    {},
    { get: (_, name) => (typeof name === 'string' && name !== 'then' ? () => rule : undefined) },
  );
  return { extension: { use: () => undefined, shadowCRUD: () => rule } };
}

const PLUGINS: Readonly<Record<string, (parts: Parts) => Services>> = {
  'users-permissions': usersPermissions,
  upload: ({ live, closed }) => ({ upload: uploadService(live, closed) }),
  email: emails,
  i18n: locales,
  graphql,
};

/** The services that Mangrove has of a plugin, by name; null for a plugin that it does not have. */
export type BuiltInServices = (plugin: string) => Values | null;

export function builtInServices(parts: Parts): BuiltInServices {
  const made = new Map<string, Values>();
  return (name) => {
    const servicesOf = Object.hasOwn(PLUGINS, name) ? PLUGINS[name] : undefined;
    if (!servicesOf) return null;
    const make = (): Values => {
      const own = servicesOf(parts);
      return Object.fromEntries(
        Object.keys(SERVICES[name] ?? {}).map((one) => [
          one,
          withRefused<Values>(`plugin('${name}').service('${one}')`, own[one] ?? {}, 'all'),
        ]),
      );
    };
    return memberOf(made, name, make);
  };
}
