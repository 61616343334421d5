import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { Applied } from './apply.js';
import { joined, nest } from './merge.js';
import { UNREADABLE } from './readers.js';
import { rowsOf } from './setting.js';
import { SETTINGS } from './settings.js';

type Variables = Readonly<Record<string, string | undefined>>;

/** What the environment sets; it wins over the config files. */
export const VARIABLES = rowsOf(SETTINGS).flatMap(({ to, setting }) =>
  setting.variable === undefined ? [] : [{ name: setting.variable, to, reader: setting.reader }],
);

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
