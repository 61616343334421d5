import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { Applied } from './apply.js';
import { deepMerge, nest } from './merge.js';
import { oneOf, port, type Reader, text, UNREADABLE } from './readers.js';

type Variables = Readonly<Record<string, string | undefined>>;

/** What the environment sets; it wins over the config files. */
export const VARIABLES: Readonly<Record<string, { readonly to: string; readonly reader: Reader }>> = {
  NODE_ENV: { to: 'environment', reader: text },
  HOST: { to: 'server.host', reader: text },
  PORT: { to: 'server.port', reader: port },
  MONGODB_URI: { to: 'database.uri', reader: text },
  MANGROVE_SYSTEM: { to: 'database.system', reader: text },
  MANGROVE_ENGINE: { to: 'database.engine', reader: oneOf('embedded', 'mongod') },
  MANGROVE_ENGINE_VERSION: { to: 'database.engineVersion', reader: oneOf('5.0', '6.0', '7.0') },
  MANGROVE_DATA: { to: 'database.dataDir', reader: text },
  JWT_SECRET: { to: 'secrets.jwtSecret', reader: text },
  API_TOKEN_SALT: { to: 'secrets.apiTokenSalt', reader: text },
  LOG_LEVEL: {
    to: 'middlewares.logger.level',
    reader: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  },
};

/** The variables of the process over those of `<root>/.env`, or of the file that `ENV_PATH` names. */
export async function readVariables(root: string, env: Variables): Promise<Variables> {
  const file = resolve(root, env['ENV_PATH'] || '.env');
  return existsSync(file) ? { ...parseEnv(await readFile(file, 'utf8')), ...env } : env;
}

/**
 * Config files also read `process.env` by themselves, so what the process does not have is put there while they run.
 * @returns takes it away again
 */
export function lendVariables(variables: Variables): () => void {
  const lent = Object.entries(variables).filter(
    ([name, value]) => value !== undefined && !(name in process.env),
  );
  for (const [name, value] of lent) process.env[name] = value;
  return () => {
    for (const [name] of lent) delete process.env[name];
  };
}

/** The settings that these variables hold. An empty variable is none. */
export function applyVariables(variables: Variables): Applied {
  let values: unknown = {};
  const problems: string[] = [];
  for (const [name, { to, reader }] of Object.entries(VARIABLES)) {
    const given = variables[name];
    if (given === undefined || given === '') continue;
    const read = reader.read(given);
    if (read === UNREADABLE) problems.push(`${name}: ${reader.expected}, not ${JSON.stringify(given)}`);
    else values = deepMerge(values, nest(to, read));
  }
  return { values, problems, warnings: [] };
}
