/** The corpus' settings, roles and tokens, in the form that the query language needs (test/conformance/README.md). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Caller } from '../../../src/query/read-plan.js';
import { type QueryConfig, type QuerySettings, querySettings } from '../../../src/query/settings.js';

export const corpusFolder = join(import.meta.dirname, '..', '..', 'conformance');

const seed = <Value>(name: string): Value =>
  JSON.parse(readFileSync(join(corpusFolder, 'fixture', 'seed', name), 'utf8'));

const rest = {
  defaultLimit: 25,
  maxLimit: 100,
  withCount: true,
  strictParams: false,
  publicDrafts: true,
  compat: null,
};
const common = { query: {}, plugins: { i18n: { defaultLocale: 'en' } } };
/** The corpus' ordinary settings. */
export const corpusConfig: QueryConfig = { ...common, rest, documents: { strictParams: false } };

const configs: Readonly<Record<string, QueryConfig>> = {
  default: corpusConfig,
  strict: {
    ...common,
    rest: { ...rest, defaultLimit: 5, maxLimit: 7, withCount: false, strictParams: true },
    documents: { strictParams: true },
  },
};

const settingsFor = (mode: 'rest' | 'service'): Readonly<Record<string, QuerySettings>> =>
  Object.fromEntries(Object.entries(configs).map(([name, config]) => [name, querySettings(config, mode)]));

/** By the case's `server`; absent means `default`. */
export const corpusSettings = settingsFor('rest');
export const serviceSettings = settingsFor('service');

const holding = (actions: readonly string[]): Caller => {
  const held = new Set(actions);
  return { grants: { version: actions.join(), allows: (action) => held.has(action) } };
};

const everything: Caller = { grants: { version: 'all', allows: () => true } };
const reading: Caller = {
  grants: { version: 'read', allows: (action) => /\.(find|findOne)$/.test(action) },
};

const roles = seed<readonly { type: string; permissions: readonly string[] }[]>('roles.json');
const users = seed<readonly { ref: string; role: string }[]>('users.json');
const tokens =
  seed<readonly { name: string; type: string; permissions?: readonly string[] }[]>('tokens.json');

const byRole = new Map(roles.map(({ type, permissions }) => [type, holding(permissions)]));

const kinds: Readonly<Record<string, Caller>> = { 'full-access': everything, 'read-only': reading };

/** By the case's `auth`. */
export const callers: Readonly<Record<string, Caller | undefined>> = {
  public: { ...byRole.get('public'), grants: byRole.get('public')?.grants ?? null, anonymous: true },
  ...Object.fromEntries(
    tokens.map(({ name, type, permissions = [] }) => [name, kinds[type] ?? holding(permissions)]),
  ),
  ...Object.fromEntries(
    users.map(({ ref, role }) => [`user:${ref.replace(/^user\./, '')}`, byRole.get(role)]),
  ),
};
