import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AppEvent } from '../events/events.js';
import { loadModule, withoutAbsent } from '../schema/files/module.js';
import { didYouMean } from '../values/nearest.js';
import { reasonOf } from '../values/reason-of.js';
import type { Env } from './env.js';
import { ConfigError } from './error.js';
import { deepMerge } from './merge.js';

const CODE = /\.[cm]?[jt]s$|\.json$/;

/** A warning for each file of `config/` that is not read and whose name is almost one that is. */
export async function unknownFiles(
  root: string,
  environment: string,
  known: readonly string[],
): Promise<readonly AppEvent[]> {
  const found = await Promise.all(
    ['config', `config/env/${environment}`].map(async (folder) => {
      if (!existsSync(join(root, folder))) return [];
      const entries = await readdir(join(root, folder), { withFileTypes: true });
      return entries
        .filter(({ name }) => CODE.test(name) && !name.endsWith('.d.ts') && !name.startsWith('.'))
        .filter((entry) => entry.isFile())
        .map(({ name }) => ({ folder, name, base: name.replace(CODE, '') }));
    }),
  );
  return found.flat().flatMap(({ folder, name, base }): readonly AppEvent[] => {
    const guess = known.includes(base) ? '' : didYouMean(base, known);
    return guess === '' ? [] : [{ name: 'config-file-unread', file: `${folder}/${name}`, guess }];
  });
}

const EXTENSIONS = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.json'] as const;

/** The value of a config file, with its path for messages. */
export interface ConfigFile {
  /** `config/api.js` */
  readonly label: string;
  readonly value: unknown;
  /** One for each package that the file imports and that is not installed. */
  readonly warnings: readonly AppEvent[];
}

/**
 * `config/<name>` with `config/env/<environment>/<name>` merged over it; undefined if neither exists.
 * @throws ConfigError for a file that cannot be read
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
  return (
    last && {
      label: last.label,
      value: files.map((file) => file.value).reduce(deepMerge),
      warnings: files.flatMap((file) => file.warnings),
    }
  );
}

/** Redirects what config files print to stderr: stdout is for data. */
async function quietly<T>(run: () => Promise<T>): Promise<T> {
  const { log, info, debug } = console;
  Object.assign(console, { log: console.error, info: console.error, debug: console.error });
  try {
    return await run();
  } finally {
    Object.assign(console, { log, info, debug });
  }
}

async function readOne(root: string, path: string, env: Env): Promise<ConfigFile | undefined> {
  const extension = EXTENSIONS.find((candidate) => existsSync(join(root, path + candidate)));
  if (!extension) return undefined;
  const label = path + extension;
  try {
    if (extension === '.json')
      return { label, value: JSON.parse(await readFile(join(root, label), 'utf8')), warnings: [] };
    const { value, missing } = await quietly(async () => {
      const loaded = await loadModule(join(root, label));
      const { value } = loaded;
      return { ...loaded, value: typeof value === 'function' ? withoutAbsent(await value({ env })) : value };
    });
    return {
      label,
      value,
      warnings: missing.map((name): AppEvent => ({ name: 'package-missing', file: label, package: name })),
    };
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError([`${label}: ${reasonOf(error)}`]);
  }
}
