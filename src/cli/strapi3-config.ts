import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type * as Acorn from 'acorn';
import type { AnyNode } from 'acorn';
import { staticValue } from '../code-scan/static-value.js';
import { parseJson } from '../values/json.js';
import { packageOnUse } from '../values/on-use.js';
import { isObject } from '../values/plain-object.js';

const acornPackage = packageOnUse<typeof Acorn>('acorn');

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

async function settingsOf(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8');
  return path.endsWith('.json') ? parseJson(text)?.value : settingsIn(text);
}

function namesIn(settings: unknown): readonly string[] | null {
  if (!isObject(settings)) return null;
  const { responses = {} } = settings;
  if (!isObject(responses)) return null;
  const { privateAttributes: names = [] } = responses;
  return Array.isArray(names) && names.every((name) => typeof name === 'string') ? names : null;
}

/**
 * What a file exports by `module.exports = …`, also if a function returns it. Undefined if the file cannot be parsed,
 * or names its exports more than once: only running it would tell.
 */
function settingsIn(source: string): unknown {
  const program = parsed(source);
  if (!program || source.match(/\bexports\b/g)?.length !== 1) return undefined;
  const constants = new Map<string, AnyNode>();
  let settings: AnyNode | null = null;
  for (const statement of program.body)
    if (statement.type === 'VariableDeclaration' && statement.kind !== 'let') {
      for (const { id, init } of statement.declarations)
        if (id.type === 'Identifier' && init) constants.set(id.name, init);
    } else if (
      statement.type === 'ExpressionStatement' &&
      statement.expression.type === 'AssignmentExpression'
    ) {
      const { left, right } = statement.expression;
      if (source.slice(left.start, left.end) === 'module.exports') settings = returned(right);
    }
  return settings ? staticValue(settings, constants) : undefined;
}

function parsed(source: string): Acorn.Program | null {
  try {
    return acornPackage().parse(source, { ecmaVersion: 'latest', sourceType: 'script' });
  } catch {
    return null;
  }
}

function returned(node: AnyNode): AnyNode | null {
  if (node.type !== 'ArrowFunctionExpression' && node.type !== 'FunctionExpression') return node;
  if (node.body.type !== 'BlockStatement') return node.body;
  const [last] = node.body.body.slice(-1);
  return last?.type === 'ReturnStatement' ? (last.argument ?? null) : null;
}
