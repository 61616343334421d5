import type { AppEvent } from '../events/events.js';
import type { ValuesOf } from './setting.js';
import type { SETTINGS } from './settings.js';

export type { Permission, RolesConfig } from './readers.js';

/**
 * All settings and what follows from them: one frozen value that is passed as an argument, never imported.
 */
export type Config = ValuesOf<typeof SETTINGS> & {
  /** The absolute path of the project's folder, with `content-types/` and `config/`. */
  readonly root: string;
  /** Warnings for whoever started the program: unknown keys, settings without effect. */
  readonly warnings: readonly AppEvent[];
};

export type CorsConfig = NonNullable<Config['middlewares']['cors']>;
export type BodyConfig = Config['middlewares']['body'];
export type UsersPermissionsConfig = Config['plugins']['usersPermissions'];
export type EmailConfig = Config['plugins']['email'];
/** Masked wherever settings are shown. */
export type SecretsConfig = Config['secrets'];

/** A part of a value, at any depth; lists are not divided. */
type DeepPartial<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]?: DeepPartial<T[K]> }
    : T;

/** Settings of the calling program, over all others. */
export type ConfigOverrides = DeepPartial<ValuesOf<typeof SETTINGS>>;
