import type { Config, UsersPermissionsConfig } from '../config/types.js';

/** What the access room needs to know of the configuration (SPEC H.3, H.4). */
export interface AccessSettings {
  readonly jwtSecret: string;
  readonly apiTokenSalt: string;
  /** Seconds, or a text such as `30d`. */
  readonly jwtExpiresIn: string | number;
  readonly sessions: SessionSettings;
  readonly registerAllowedFields: readonly string[];
  readonly rateLimit: UsersPermissionsConfig['ratelimit'];
  readonly advanced: UsersPermissionsConfig['advanced'];
  /** Where callers reach this server, `https://cms.example.org`; mailed links begin with it. */
  readonly publicUrl: string;
  /** `/api` */
  readonly prefix: string;
}

/** `jwtManagement: 'refresh'`; lifespans in seconds (SPEC H.3). */
interface SessionSettings {
  readonly enabled: boolean;
  readonly accessTokenLifespan: number;
  readonly idleRefreshTokenLifespan: number;
  readonly maxRefreshTokenLifespan: number;
}

const DAY = 86_400;
const LIFESPANS = {
  accessTokenLifespan: 600,
  idleRefreshTokenLifespan: 14 * DAY,
  maxRefreshTokenLifespan: 30 * DAY,
} as const;

export const accessSettings = ({ plugins, rest, secrets, server }: Config): AccessSettings => {
  const { advanced, jwt, jwtManagement, ratelimit, register } = plugins.usersPermissions;
  return {
    ...secrets,
    jwtExpiresIn: jwt.expiresIn,
    sessions: { enabled: jwtManagement === 'refresh', ...LIFESPANS },
    registerAllowedFields: register.allowedFields,
    rateLimit: ratelimit,
    advanced,
    publicUrl: server.url ?? `http://localhost:${server.port}`,
    prefix: rest.prefix,
  };
};
