import type { AppEvent } from '../events/events.js';
import type { ValuesOf } from './setting.js';
import type { SETTINGS } from './settings.js';

export type { RolesConfig } from './readers.js';

/** Everything that can be set, with what follows from it: one frozen value that is passed in, never imported. */
export type Config = ValuesOf<typeof SETTINGS> & {
  /** The project: the folder that holds `content-types/` and `config/`. Absolute. */
  readonly root: string;
  /** What is worth telling whoever started the program: unknown keys, settings without effect. */
  readonly warnings: readonly AppEvent[];
};

export type CorsConfig = NonNullable<Config['middlewares']['cors']>;
export type BodyConfig = Config['middlewares']['body'];
export type UsersPermissionsConfig = Config['plugins']['usersPermissions'];
export type EmailConfig = Config['plugins']['email'];
/** Never shown. */
export type SecretsConfig = Config['secrets'];

/** A part of a value, at any depth; lists are whole. */
type DeepPartial<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]?: DeepPartial<T[K]> }
    : T;

/** Settings of the calling program, over all others. */
export type ConfigOverrides = DeepPartial<ValuesOf<typeof SETTINGS>>;
