import type { Config } from '../config/types.js';
import type { ContentType, Schema } from '../schema/types.js';
import { createTryCounter, type TryCounter } from '../store/access-limits.js';
import type { Store } from '../store/client.js';
import type { Sequences } from '../store/sequence.js';
import { createAuthenticate } from './authenticate.js';
import { type AccessDeps, ROLE, USER } from './deps.js';
import { createDirectory } from './directory.js';
import type { Identity } from './identity.js';
import { createMailer, type Letter } from './mail.js';
import { ensureDefaultRoles } from './roles.js';
import { accessSettings } from './settings.js';

/** Who may do what: the one value that `http` and `cli` hold of this room. */
export interface Access {
  readonly deps: AccessDeps;
  readonly userType: ContentType;
  readonly roleType: ContentType;
  /** Counts tries on the sign-in routes; null where that is switched off. */
  readonly tries: TryCounter | null;
  /** Who sent this `Authorization` header. Throws 401. */
  identify(authorization: string | undefined): Promise<Identity>;
  close(): void;
}

export interface AccessOptions {
  readonly config: Config;
  readonly schema: Schema;
  readonly store: Store;
  readonly sequences: Sequences;
  /** Gets the letters where no mail server is configured. */
  readonly showLetter?: (letter: Letter) => void;
}

const typeOf = (schema: Schema, uid: string): ContentType => {
  const type = schema.contentTypes.get(uid);
  if (!type) throw new TypeError(`no content type ${uid}`);
  return type;
};

/** Opens the access room on a store; makes the two default roles where they are missing. */
export const createAccess = async (options: AccessOptions): Promise<Access> => {
  const { config, schema, store, sequences } = options;
  const settings = accessSettings(config);
  const directory = createDirectory(store);
  const mailer = createMailer(config.plugins.email, options.showLetter ?? (() => undefined));
  const deps: AccessDeps = { store, settings, directory, sequences, mailer };
  await ensureDefaultRoles(deps);
  const { enabled, interval, max } = settings.rateLimit;
  return {
    deps,
    userType: typeOf(schema, USER),
    roleType: typeOf(schema, ROLE),
    tries: enabled ? createTryCounter(store, max, interval) : null,
    identify: createAuthenticate(deps),
    close: () => directory.close(),
  };
};
