import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { deepFreeze } from '../schema/model/freeze.js';
import { isObject } from '../values/plain-object.js';
import { type Applied, applySettings } from './apply.js';
import { createEnv } from './env.js';
import { ConfigError } from './error.js';
import { type ConfigFile, readConfigFile, unknownFiles } from './files.js';
import { deepMerge, joined, nest, pick } from './merge.js';
import { applyMiddlewares } from './middlewares.js';
import { applyPlugins } from './plugins.js';
import { UNREADABLE } from './readers.js';
import { checkSecrets, keepSecrets } from './secrets.js';
import { type Group, invalidSettings, isAccepted, rowsOf, type ValuesOf } from './setting.js';
import { SETTINGS } from './settings.js';
import type { Config, ConfigOverrides } from './types.js';

/** The settings with an environment variable, which takes precedence over the config files. */
const VARIABLES = rowsOf(SETTINGS).flatMap(({ to, setting }) =>
  setting.row.variable === undefined ? [] : [{ name: setting.row.variable, to, reader: setting.row.reader }],
);

/** The variables of the process, over those of `<root>/.env` or of the file in `ENV_PATH`. */
export async function readVariables(root: string, env: Variables): Promise<Variables> {
  const file = resolve(root, env['ENV_PATH'] || '.env');
  return existsSync(file) ? { ...parseEnv(await readFile(file, 'utf8')), ...env } : env;
}

/**
 * Puts missing variables into `process.env` while config files run, since they may also read it directly.
 * @returns removes them again
 */
function lendVariables(variables: Variables): () => void {
  const lent = Object.entries(variables).filter(
    ([name, value]) => value !== undefined && !(name in process.env),
  );
  for (const [name, value] of lent) process.env[name] = value;
  return () => {
    for (const [name] of lent) delete process.env[name];
  };
}

/** The settings in environment variables. An empty variable counts as unset. */
function applyVariables(variables: Variables): Applied {
  const values: unknown[] = [];
  const problems: string[] = [];
  for (const { name, to, reader } of VARIABLES) {
    const given = variables[name];
    if (given === undefined || given === '') continue;
    const read = reader.read(given);
    if (read === UNREADABLE) problems.push(`${name}: ${reader.expected}, not ${JSON.stringify(given)}`);
    else values.push(nest(to, read));
  }
  return { values: joined(values), problems, warnings: [] };
}

type Variables = Readonly<Record<string, string | undefined>>;

export type { ConfigOverrides };

/** The files of `config/`, without extensions. */
const FILES = ['api', 'server', 'database', 'admin', 'roles', 'plugins', 'middlewares', 'webhooks'];

type Values = ValuesOf<typeof SETTINGS>;

/**
 * The configuration of a project: defaults, `config/*`, `config/env/<NODE_ENV>/*`, `.env` and the
 * environment, each over the previous, then `overrides` of the calling program. Missing secrets are generated
 * once and stored.
 * @param root the project's folder
 * @param options.createsSecrets false: missing secrets stay empty, for a command that only looks
 * @throws ConfigError with every invalid setting
 */
export async function loadConfig(
  root: string,
  env: Variables,
  overrides: ConfigOverrides = {},
  { createsSecrets = true }: { readonly createsSecrets?: boolean } = {},
): Promise<Config> {
  const base = resolve(root);
  const variables = await readVariables(base, env);
  const environment = variables['NODE_ENV'] || 'development';
  const parts: Applied[] = await readFiles(base, environment, variables);
  parts.push(applyVariables(variables));
  const problems = parts.flatMap((part) => part.problems);
  const warnings = [
    ...parts.flatMap((part) => part.warnings),
    ...(await unknownFiles(base, environment, FILES)),
  ];
  if (problems.length > 0) throw new ConfigError(problems, warnings);
  const config = finish(valuesOf([...parts.map((part) => part.values), overrides]), base);
  const checked = checkSecrets(config.secrets);
  if (checked.problems.length > 0) throw new ConfigError(checked.problems, warnings);
  return deepFreeze({
    ...config,
    warnings: [...warnings, ...checked.warnings],
    secrets: await keepSecrets(config.secrets, config.database.dataDir, createsSecrets),
  });
}

/** Reads config/* file by file. */
async function readFiles(root: string, environment: string, variables: Variables): Promise<Applied[]> {
  const parts: Applied[] = [];
  const takeBack = lendVariables(variables);
  try {
    for (const name of FILES) {
      const file = await readConfigFile(root, name, environment, createEnv(variables));
      if (!file) continue;
      parts.push(lacking(name, file), applyFile(name, file));
    }
  } finally {
    takeBack();
  }
  return parts;
}

/**
 * What a file says of packages that are not installed. In Strapi such a file stops the start; here its rest is used,
 * except that of a database: another one than the file means would be filled. Strapi's own `connection` is not used.
 */
function lacking(name: string, { value, warnings }: ConfigFile): Applied {
  const isDecisive = name === 'database' && !(isObject(value) && 'connection' in value);
  if (!isDecisive) return { values: {}, problems: [], warnings };
  const problems = warnings.flatMap((warning) =>
    warning.name === 'package-missing' ? `${warning.file}: "${warning.package}" is not installed` : [],
  );
  return { values: {}, problems, warnings: [] };
}

const applyFile = (name: string, { label, value }: ConfigFile): Applied => {
  if (name === 'middlewares') return applyMiddlewares(label, value);
  if (name === 'plugins') return applyPlugins(label, value);
  return applySettings(label, value, name);
};

/**
 * The defaults with `overrides`, without reading files or storing secrets: for programs that supply
 * everything.
 */
export const makeConfig = (root: string, overrides: ConfigOverrides = {}): Config =>
  deepFreeze(finish(valuesOf([overrides]), resolve(root)));

const DEFAULTS = joined(rowsOf(SETTINGS).map(({ to, setting }) => nest(to, setting.row.standard)));
/** The addresses of Strapi 3 have no prefix. */
const WITHOUT_PREFIX = nest('rest.prefix', '');
const I18N = namesIn(SETTINGS.plugins.i18n);
const ADVANCED = namesIn(SETTINGS.plugins.usersPermissions.advanced);

/** The settings of a group that files set, by their names in it. */
function namesIn(group: Group): readonly string[] {
  return rowsOf(group).flatMap(({ to, setting }) => (setting.row.file === null ? [] : [to]));
}

/**
 * The defaults with layers over them, in order. @throws ConfigError for an invalid override of the calling
 * program
 */
function valuesOf(layers: readonly unknown[]): Values {
  const isGiven = (path: string): boolean => layers.some((layer) => pick(layer, path) !== undefined);
  const given = joined([
    nest(
      'plugins.i18n.given',
      I18N.some((name) => isGiven(`plugins.i18n.${name}`)),
    ),
    nest(
      'plugins.usersPermissions.advancedGiven',
      ADVANCED.filter((name) => isGiven(`plugins.usersPermissions.advanced.${name}`)),
    ),
  ]);
  const compat = layers.map((layer) => pick(layer, 'rest.compat')).findLast((value) => value !== undefined);
  const standards = compat === 'v3' ? deepMerge(DEFAULTS, WITHOUT_PREFIX) : DEFAULTS;
  const values = [...layers, given].reduce(deepMerge, standards);
  if (isAccepted(SETTINGS, values)) return values;
  throw new ConfigError(invalidSettings(SETTINGS, values));
}

/** Derives values from other settings: absolute folders, and the default locale as one of the locales. */
function finish(config: Values, root: string): Config {
  const { i18n } = config.plugins;
  // Strapi 3 and 4 always show component ids.
  const componentIds = config.rest.componentIds || config.rest.compat !== null;
  const locales = [...new Set([i18n.defaultLocale, ...i18n.locales])];
  return {
    ...config,
    root,
    warnings: [],
    rest: { ...config.rest, componentIds },
    server: {
      ...config.server,
      url: config.server.url || null,
      publicDir: resolve(root, config.server.publicDir),
    },
    database: { ...config.database, dataDir: resolve(root, config.database.dataDir) },
    plugins: { ...config.plugins, i18n: { ...i18n, locales } },
  };
}
