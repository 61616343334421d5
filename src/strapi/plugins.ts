import type { StoredUser } from '../access/index.js';
import { errors } from '../errors.js';
import { parseFileInfos } from '../media/file-info.js';
import { readLinkTarget } from '../media/link-files.js';
import type { FileInput } from '../media/prepare-file.js';
import { storeFiles } from '../media/store-file.js';
import { FILE_UID, LOCALE_UID, USER_UID } from '../schema/uids.js';
import { objectAt } from '../values/plain-object.js';
import type { Live } from './live.js';
import { describeModel } from './models.js';
import { SERVICES } from './names.js';
import { shownRole } from './permissions.js';
import { accountOf } from './signed-in.js';
import type { CodeContext, Values } from './types.js';
import { refuse, withRefused } from './unsupported.js';

interface Parts {
  readonly live: () => Live;
  readonly query: (uid: string) => Values;
  readonly config: Values;
}

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

function usersPermissions({ live, query }: Parts): Services {
  const users = (): Values => query(USER_UID);
  const access = () => live().access;
  const withRole = async ({ id }: StoredUser) => accountOf(live(), id);
  const issue = async (payload: unknown): Promise<string> => {
    const { id } = objectAt(payload);
    const user = await access().users.byId(Number(id));
    if (!user) throw errors.missing('user-not-found', 'User not found');
    return (await access().sessions.issue(user, null)).jwt;
  };
  const verify = async (token: unknown): Promise<object> => {
    const identity = await access().identify(`Bearer ${String(token)}`);
    if (identity.kind !== 'user') throw errors.credentialUnknown();
    return { id: identity.userId };
  };
  const bearer = (ctx: CodeContext): string | null =>
    /^Bearer\s+(\S+)$/i.exec(ctx.get('authorization'))?.[1] ?? null;
  return {
    user: {
      fetch: (id: unknown, params: unknown = {}) =>
        method(users(), 'findOne', { ...objectAt(params), where: { id: Number(id) } }),
      fetchAll: (params: unknown = {}) => {
        const { filters, ...rest } = objectAt(params);
        return method(users(), 'findMany', { ...rest, where: filters });
      },
      count: (params: unknown = {}) => method(users(), 'count', { where: params }),
      add: async (values: unknown) => withRole(await access().users.create(values)),
      edit: async (id: unknown, values: unknown = {}) =>
        withRole(await access().users.edit(Number(id), values)),
      remove: async (where: unknown) => {
        const { id } = objectAt(where);
        return access().users.remove(Number(id));
      },
    },
    jwt: {
      issue: (payload: unknown) =>
        awaited("plugin('users-permissions').service('jwt').issue", issue(payload)),
      verify,
      getToken: async (ctx: CodeContext) => {
        const token = bearer(ctx);
        return token === null ? null : verify(token);
      },
    },
    role: {
      find: async () => (await access().roles.all()).map(({ role }) => shownRole(role)),
      findOne: async (id: unknown) => {
        const entry = (await access().roles.all()).find(({ role }) => role.id === Number(id));
        return entry ? shownRole(entry.role) : null;
      },
    },
  };
}

/** A file of `ctx.request.files`, or one with the names that Strapi 4 gave. */
function fileInput(file: unknown): FileInput {
  const { filepath, path = filepath, originalFilename, name = originalFilename, ...rest } = objectAt(file);
  const mime = rest['mimetype'] ?? rest['type'];
  if (typeof path !== 'string') throw errors.validation('files-empty', 'Files are empty');
  return { path, name: String(name), ...(typeof mime === 'string' && { mime }) };
}

const filesOf = ({ live, query }: Parts): Services => ({
  upload: {
    findOne: (id: unknown) => method(query(FILE_UID), 'findOne', { where: { id: Number(id) } }),
    findMany: (params: unknown = {}) => {
      const { filters, ...rest } = objectAt(params);
      return method(query(FILE_UID), 'findMany', { ...rest, where: filters });
    },
    /** Stores files as `ctx.request.files` has them, all or none, and links them to the entry that `data` names. */
    upload: async (given: unknown) => {
      const { files, data } = objectAt(given);
      const { fileInfo, ...fields } = objectAt(data);
      const { schema, media, documents } = live();
      const target = readLinkTarget(
        schema,
        new Map(Object.entries(fields).map(([name, value]) => [name, [String(value)]])),
      );
      const infos = parseFileInfos(fileInfo === undefined ? [] : [fileInfo]);
      const list = (Array.isArray(files) ? files : [files]).map(fileInput);
      return storeFiles(list, { media, documents, infos, target, caller: { grants: null } });
    },
  },
});

const emails = ({ live }: Parts): Services => ({
  email: { send: (email: unknown) => live().access.users.sendEmail(email) },
});

const locales = ({ live, query }: Parts): Services => ({
  locales: {
    find: (params: unknown = {}) => method(query(LOCALE_UID), 'findMany', { where: params }),
    findByCode: (code: unknown) => method(query(LOCALE_UID), 'findOne', { where: { code } }),
    getDefaultLocale: async () => live().config.plugins.i18n.defaultLocale,
  },
});

const PLUGINS: Readonly<Record<string, (parts: Parts) => Services>> = {
  'users-permissions': usersPermissions,
  upload: filesOf,
  email: emails,
  i18n: locales,
};

/** `strapi.plugin(name)`: the plugins that Mangrove has; any other throws. */
export function pluginsOf(parts: Parts): (name: string) => unknown {
  const made = new Map<string, unknown>();
  const make = (name: string): unknown => {
    const servicesOf = Object.hasOwn(PLUGINS, name) ? PLUGINS[name] : undefined;
    if (!servicesOf) return refuse(`plugin('${name}')`);
    const at = `plugin('${name}')`;
    const own = servicesOf(parts);
    const services = withRefused<Values>(
      `${at}.services`,
      Object.fromEntries(
        Object.keys(SERVICES[name] ?? {}).map((one) => [
          one,
          withRefused<Values>(`${at}.service('${one}')`, own[one] ?? {}, 'all'),
        ]),
      ),
      'all',
    );
    const get = parts.config['get'];
    return withRefused<Values>(
      at,
      {
        services,
        service: (one: string) => services[one],
        config: (path: string, standard?: unknown) =>
          typeof get === 'function' ? get(`plugin::${name}.${path}`, standard) : standard,
        contentType: (one: string) => {
          const type = parts.live().schema.contentTypes.get(`plugin::${name}.${one}`);
          return type && describeModel(type);
        },
      },
      'all',
    );
  };
  return (name) => {
    const known = made.get(name) ?? make(name);
    made.set(name, known);
    return known;
  };
}
