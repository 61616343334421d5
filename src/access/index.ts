import type { Config } from '../config/types.js';
import type { Documents } from '../documents/types.js';
import { judgeOf } from '../documents/validate/judge.js';
import type { ContentType, Schema } from '../schema/types.js';
import { ensureAccessIndexes } from '../store/access-indexes.js';
import { fillNameKeys } from '../store/access-users.js';
import type { Store } from '../store/client.js';
import { highestId } from '../store/entries.js';
import { createSequences } from '../store/sequence.js';
import { createAuthenticate } from './authenticate.js';
import { watchContent } from './changed-as-content.js';
import { type AccessDeps, ROLE, USER } from './deps.js';
import { createDirectory } from './directory.js';
import type { Identity } from './identity.js';
import { syncLocales } from './locales.js';
import { createMailer, type Letter } from './mail.js';
import { nameKey } from './names.js';
import { ensureDefaultRoles, syncRoles } from './roles.js';
import { accessSettings } from './settings.js';
import { createTries, type Tries } from './tries.js';

/** Who may do what: the one value that `http` and `cli` hold of this room. */
export interface Access {
  readonly deps: AccessDeps;
  readonly userType: ContentType;
  readonly roleType: ContentType;
  /** Counts tries on the sign-in routes; null where that is switched off. */
  readonly tries: Tries | null;
  /** Who sent this `Authorization` header. Throws 401. */
  identify(authorization: string | undefined): Promise<Identity>;
  close(): void;
}

export interface AccessOptions {
  readonly config: Config;
  readonly schema: Schema;
  readonly store: Store;
  readonly documents: Documents;
  /** False: roles that are there keep their actions, whatever `config/roles` says; a command is no start. */
  readonly resetRoles?: boolean;
  /** Gets the letters where no mail server is configured. */
  readonly showLetter?: (letter: Letter) => void;
}

const typeOf = (schema: Schema, uid: string): ContentType => {
  const type = schema.contentTypes.get(uid);
  if (!type) throw new TypeError(`no content type ${uid}`);
  return type;
};

/** Where a sequence starts that has no counter yet: sequences are named by uid, or by their collection. */
const highest = (schema: Schema, store: Store) => (name: string) =>
  highestId(store.db, schema.contentTypes.get(name)?.collectionName ?? name);

/** Opens the access room on a store; makes its indexes, the default roles and those of `config/roles`. */
export const createAccess = async (options: AccessOptions): Promise<Access> => {
  const { config, schema, store, documents } = options;
  const sequences = createSequences(store.db, highest(schema, store), () => 1);
  const settings = accessSettings(config);
  const directory = createDirectory(store);
  const mailer = createMailer(config.plugins.email, options.showLetter ?? (() => undefined));
  const userType = typeOf(schema, USER);
  const judge = judgeOf({ schema, config }, userType);
  const deps: AccessDeps = { store, documents, userType, judge, settings, directory, sequences, mailer };
  await ensureAccessIndexes(store, settings.advanced.unique_email);
  await fillNameKeys(store, nameKey);
  const roles = config.roles ?? {};
  await ensureDefaultRoles(deps, roles);
  await syncRoles(deps, roles, options.resetRoles);
  await syncLocales(store, sequences, config.plugins.i18n.locales);
  watchContent(deps);
  const { enabled } = settings.rateLimit;
  return {
    deps,
    userType,
    roleType: typeOf(schema, ROLE),
    tries: enabled ? createTries(store, settings.rateLimit) : null,
    identify: createAuthenticate(deps),
    close: () => directory.close(),
  };
};
