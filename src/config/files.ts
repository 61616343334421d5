import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Env } from './env.js';
import { ConfigError } from './error.js';
import { deepMerge } from './merge.js';

const ENDINGS = ['.js', '.mjs', '.cjs', '.json'] as const;

/** A config file's value, with the file for messages. */
export interface ConfigFile {
  /** `config/api.js` */
  readonly label: string;
  readonly value: unknown;
}

/**
 * `config/<name>` with `config/env/<environment>/<name>` merged over it (rules J.1); undefined where there is neither.
 * @throws ConfigError on a file that cannot be read, and where only a TypeScript file is there
 */
export async function readConfigFile(
  root: string,
  name: string,
  environment: string,
  env: Env,
): Promise<ConfigFile | undefined> {
  const files = [];
  for (const folder of ['config', `config/env/${environment}`]) {
    const file = await readOne(root, `${folder}/${name}`, env);
    if (file) files.push(file);
  }
  const last = files.at(-1);
  return last && { label: last.label, value: files.map((file) => file.value).reduce(deepMerge) };
}

async function readOne(root: string, path: string, env: Env): Promise<ConfigFile | undefined> {
  const ending = ENDINGS.find((candidate) => existsSync(join(root, path + candidate)));
  if (!ending) {
    if (existsSync(join(root, `${path}.ts`))) throw new ConfigError([`${path}.ts: compile it to ${path}.js`]);
    return undefined;
  }
  const label = path + ending;
  try {
    const value =
      ending === '.json'
        ? JSON.parse(await readFile(join(root, label), 'utf8'))
        : await load(join(root, label));
    return { label, value: typeof value === 'function' ? await value({ env }) : value };
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError([`${label}: ${error instanceof Error ? error.message : String(error)}`]);
  }
}

const load = async (file: string): Promise<unknown> => {
  const module: { default?: unknown } = await import(pathToFileURL(file).href);
  return module.default;
};
