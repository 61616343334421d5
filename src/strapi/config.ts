import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createEnv } from '../config/env.js';
import { readConfigFile } from '../config/files.js';
import { deepMerge } from '../config/merge.js';
import type { Config } from '../config/types.js';
import { isObject, objectAt } from '../values/plain-object.js';
import { standardConfig, standardPlugins, withUrls } from './standard-config.js';
import type { Values } from './types.js';

const FILE = /^([\w-]+)\.(?:[cm]?[jt]s|json)$/;

/** Every file of `config/` as it is, by name, for `strapi.config.get('server.url')` and files of the project's own. */
export async function rawConfig(
  root: string,
  environment: string,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<Values> {
  const found = await readdir(join(root, 'config')).catch(() => []);
  const names = new Set(
    found.flatMap((name) => (name.endsWith('.d.ts') ? [] : (FILE.exec(name)?.[1] ?? []))),
  );
  const env = createEnv(variables);
  const values: Values = {};
  for (const name of names) values[name] = (await readConfigFile(root, name, environment, env))?.value;
  return values;
}

const stepsOf = (path: unknown): readonly string[] =>
  Array.isArray(path) ? path.map(String) : String(path).split('.');

/** `plugin::upload.sizeLimit` is `plugins.upload.config.sizeLimit` of the files. */
const pluginSteps = ([first = '', ...rest]: readonly string[]): readonly string[] =>
  first.startsWith('plugin::') ? ['plugin', first.slice('plugin::'.length), ...rest] : [first, ...rest];

const at = (values: unknown, steps: readonly string[]): unknown =>
  steps.reduce<unknown>(
    (value, step) => (isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined),
    values,
  );

/** `strapi.config`: the files of `config/` over what Strapi has without them, and what code sets. */
export function configOf(files: Values, config: Config): Values {
  const plugins = isObject(files['plugins']) ? files['plugins'] : {};
  const ofPlugins = Object.fromEntries(
    Object.entries(plugins).map(([name, plugin]) => [name, isObject(plugin) ? (plugin['config'] ?? {}) : {}]),
  );
  const values: Values = {
    ...withUrls({ ...objectAt(deepMerge(standardConfig(config), files)) }),
    plugin: deepMerge(standardPlugins(config), ofPlugins),
  };
  const get = (path: unknown, standard?: unknown): unknown =>
    at(values, pluginSteps(stepsOf(path))) ?? standard;
  return Object.assign(Object.create(null), values, {
    get,
    has: (path: unknown) => get(path) !== undefined,
    set: (path: unknown, value: unknown) => {
      const steps = pluginSteps(stepsOf(path));
      const last = steps.at(-1) ?? '';
      const holder = steps.slice(0, -1).reduce<Values>((object, step) => {
        const inner = object[step];
        const next: Values = isObject(inner) ? { ...inner } : {};
        object[step] = next;
        return next;
      }, values);
      holder[last] = value;
    },
  });
}
