import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { Applied } from './apply.js';
import { joined, nest } from './merge.js';
import type { ConfigOverrides, PathTo } from './paths.js';
import { oneOf, port, type Reader, text, UNREADABLE } from './readers.js';

type Variables = Readonly<Record<string, string | undefined>>;

/** As the rows of `settings.ts`: a path of `Config` that takes what the reader gives. */
const to = <T>(path: PathTo<T>, reader: Reader<T>): { readonly to: string; readonly reader: Reader } => ({
  to: path,
  reader,
});

/** What the environment sets; it wins over the config files. */
export const VARIABLES: Readonly<Record<string, { readonly to: string; readonly reader: Reader }>> = {
  NODE_ENV: to('environment', text),
  HOST: to('server.host', text),
  PORT: to('server.port', port),
  MONGODB_URI: to('database.uri', text),
  MANGROVE_SYSTEM: to('database.system', text),
  MANGROVE_ENGINE: to('database.engine', oneOf('embedded', 'mongod')),
  MANGROVE_ENGINE_VERSION: to('database.engineVersion', oneOf('5.0', '6.0', '7.0')),
  MANGROVE_DATA: to('database.dataDir', text),
  JWT_SECRET: to('secrets.jwtSecret', text),
  API_TOKEN_SALT: to('secrets.apiTokenSalt', text),
  LOG_LEVEL: to(
    'middlewares.logger.level',
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  ),
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
  const values: ConfigOverrides[] = [];
  const problems: string[] = [];
  for (const [name, { to, reader }] of Object.entries(VARIABLES)) {
    const given = variables[name];
    if (given === undefined || given === '') continue;
    const read = reader.read(given);
    if (read === UNREADABLE) problems.push(`${name}: ${reader.expected}, not ${JSON.stringify(given)}`);
    else values.push(nest(to, read));
  }
  return { values: joined(values), problems, warnings: [] };
}
