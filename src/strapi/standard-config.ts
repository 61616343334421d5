import type { Config } from '../config/types.js';
import { objectAt } from '../values/plain-object.js';
import type { Values } from './types.js';

/** What `strapi.config` has without files. */
export const standardConfig = ({ environment, server, rest }: Config): Values => ({
  environment,
  launchedAt: Date.now(),
  autoReload: false,
  server: {
    host: server.host,
    port: server.port,
    proxy: false,
    cron: { enabled: false },
    dirs: { public: './public' },
  },
  admin: { serveAdminPanel: false },
  api: { rest: { prefix: rest.prefix } },
});

/** What the plugins have without `config/plugins`. */
export const standardPlugins = ({ plugins, secrets }: Config): Values => {
  const { jwt, jwtManagement, sessions, register, ratelimit } = plugins.usersPermissions;
  return {
    'users-permissions': {
      jwtSecret: secrets.jwtSecret,
      jwt,
      jwtManagement,
      sessions,
      register,
      ratelimit: { enabled: ratelimit.enabled, interval: ratelimit.interval, max: ratelimit.max },
    },
    upload: { enabled: true, provider: 'local', sizeLimit: plugins.upload.sizeLimit, actionOptions: {} },
    email: { provider: 'sendmail', providerOptions: {}, settings: {} },
    i18n: {},
  };
};

const trimmed = (value: unknown): string => String(value ?? '').replace(/^[/ ]+|[/ ]+$/g, '');

/** The addresses that Strapi makes of `server.url` and `admin.url`. */
export function withUrls(values: Values): Values {
  const [server, admin] = [objectAt(values['server']), objectAt(values['admin'])];
  const given = trimmed(server['url']);
  const url = given === '' || given.startsWith('http') ? given : `/${given}`;
  const own = trimmed(admin['url'] ?? '/admin');
  const adminUrl = own.startsWith('http') ? own : `${url}/${own}`;
  const isLocal =
    values['environment'] === 'development' &&
    ['127.0.0.1', '0.0.0.0', '::1', '::'].includes(String(server['host']));
  const host = isLocal ? 'localhost' : String(server['host']);
  const absolute = (one: string): string =>
    one.startsWith('http')
      ? one
      : `http://${host.includes(':') ? `[${host}]` : host}:${server['port']}${one}`;
  return {
    ...values,
    server: { ...server, url, absoluteUrl: absolute(url) },
    admin: { ...admin, url: adminUrl, absoluteUrl: absolute(adminUrl) },
  };
}
