import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AnyNode } from 'acorn';
import { type ParsedFile, parseFile } from '../code-scan/parse.js';
import { staticValue } from '../code-scan/static-value.js';
import { parseJson } from '../values/json.js';
import { isObject } from '../values/plain-object.js';

/**
 * `responses.privateAttributes` in the `config/api` of a Strapi 3 project, in any environment: attributes that
 * are private in every type. The files are read, not run.
 * @returns null if they cannot be determined
 */
export async function globalPrivateAttributes(project: string): Promise<readonly string[] | null> {
  const base = join(project, 'config');
  const environments = existsSync(join(base, 'env')) ? await readdir(join(base, 'env')) : [];
  const files = [base, ...environments.map((name) => join(base, 'env', name))].flatMap((folder) =>
    ['api.json', 'api.js'].map((name) => join(folder, name)).filter((path) => existsSync(path)),
  );
  const found = new Set<string>();
  for (const path of files) {
    const names = namesIn(await settingsOf(path));
    if (names === null) return null;
    for (const name of names) found.add(name);
  }
  return [...found];
}

const settingsOf = async (path: string): Promise<unknown> =>
  path.endsWith('.json')
    ? parseJson(await readFile(path, 'utf8'))?.value
    : parseFile(path).then(settingsIn, () => undefined);

function namesIn(settings: unknown): readonly string[] | null {
  if (!isObject(settings)) return null;
  const { responses = {} } = settings;
  if (!isObject(responses)) return null;
  const { privateAttributes: names = [] } = responses;
  return Array.isArray(names) && names.every((name) => typeof name === 'string') ? names : null;
}

/** The exported settings, also if a function returns them. */
function settingsIn(file: ParsedFile): unknown {
  const settings = file.exported && returned(file.exported);
  return settings ? staticValue(settings, file) : undefined;
}

function returned(node: AnyNode): AnyNode | null {
  if (node.type !== 'ArrowFunctionExpression' && node.type !== 'FunctionExpression') return node;
  if (node.body.type !== 'BlockStatement') return node.body;
  const [last] = node.body.body.slice(-1);
  return last?.type === 'ReturnStatement' ? (last.argument ?? null) : null;
}
