import type { Config, UsersPermissionsConfig } from '../config/types.js';

export type AdvancedSettings = UsersPermissionsConfig['advanced'];

/** The part of the configuration that the access module needs. */
export interface AccessSettings {
  readonly jwtSecret: string;
  readonly apiTokenSalt: string;
  /** Seconds, or a string such as `30d`. */
  readonly jwtExpiresIn: string | number;
  /** `jwtManagement: 'refresh'`; lifespans in seconds. */
  readonly sessions: SessionSettings;
  readonly registerAllowedFields: readonly string[];
  readonly rateLimit: UsersPermissionsConfig['ratelimit'];
  /** Code may change them while the server runs. */
  advanced: AdvancedSettings;
  /** The public address of this server, such as `https://cms.example.org`; mailed links begin with it. */
  readonly publicUrl: string;
  /** `/api` */
  readonly prefix: string;
}

type SessionSettings = { readonly enabled: boolean } & UsersPermissionsConfig['sessions'];

export const accessSettings = ({ plugins, rest, secrets, server }: Config): AccessSettings => {
  const { advanced, jwt, jwtManagement, ratelimit, register, sessions } = plugins.usersPermissions;
  return {
    ...secrets,
    jwtExpiresIn: jwt.expiresIn,
    sessions: { enabled: jwtManagement === 'refresh', ...sessions },
    registerAllowedFields: register.allowedFields,
    rateLimit: ratelimit,
    advanced,
    publicUrl: server.url ?? `http://localhost:${server.port}`,
    prefix: rest.prefix,
  };
};
