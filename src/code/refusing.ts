import { readFileSync } from 'node:fs';
import type { AnyNode, CallExpression } from 'acorn';
import { originOf } from './exported.js';
import { importedFile } from './imported-file.js';
import { nodesIn, pathOf } from './nodes.js';
import type { ParsedFile } from './parse.js';
import { staticValue, UNKNOWN } from './static-value.js';

const MAX_STEPS = 10;

/**
 * Whether a hook around a write may reject it, uses the caller's identity, or removes or overrides what the
 * caller sent: by itself, or through a function of the project. Computing a value does not count, nor does
 * what a package does.
 */
export function mayRefuse(node: AnyNode, file: ParsedFile, steps = 0): boolean {
  if (steps > MAX_STEPS) return true;
  // A function required from another file.
  if (node.type === 'Identifier' || node.type === 'CallExpression' || node.type === 'MemberExpression')
    return followed(node, file, steps);
  for (const inner of nodesIn(node)) {
    if (inner.type === 'ThrowStatement') return true;
    if (inner.type === 'UnaryExpression' && inner.operator === 'delete') return true;
    if (inner.type === 'Identifier' && inner.name === 'requestContext') return true;
    if (inner.type === 'AssignmentExpression' && fixes(inner.left, inner.right, file)) return true;
    if (inner.type === 'CallExpression' && calls(inner, file, steps)) return true;
  }
  return false;
}

/** `event.params.data.approved = false` */
const fixes = (left: AnyNode, right: AnyNode, file: ParsedFile): boolean => {
  if (left.type !== 'MemberExpression') return false;
  const value = staticValue(right, file);
  return value !== UNKNOWN && !(Array.isArray(value) && value.includes(UNKNOWN));
};

const REFUSING = new Set(['throw', 'reject', 'badRequest', 'forbidden', 'unauthorized', 'assert']);

const calls = (call: CallExpression, file: ParsedFile, steps: number): boolean => {
  const path = pathOf(call.callee);
  if (path === null) return callsOwnService(call.callee);
  if (REFUSING.has(path.at(-1) ?? '')) return true;
  return followed(call.callee, file, steps);
};

/** `strapi.service('api::a.a').check()`: a service of the project. */
function callsOwnService(callee: AnyNode): boolean {
  for (const node of nodesIn(callee))
    if (node.type === 'CallExpression' && pathOf(node.callee)?.at(-1) === 'service') {
      const [uid] = node.arguments;
      return !(uid?.type === 'Literal' && !String(uid.value).startsWith('api::'));
    }
  return false;
}

/** What a name in the file refers to: one of its functions, or one in another file. */
function followed(node: AnyNode, file: ParsedFile, steps: number): boolean {
  const [root = ''] = pathOf(node) ?? [];
  const from = originOf(root, file);
  if (from !== undefined) return /^[.~@]\/|^\.\.?\//.test(from) && otherFileMayRefuse(from, file.file);
  const own = file.constants.get(root);
  return own !== undefined && own !== node && mayRefuse(own, file, steps + 1);
}

/** Any rejecting statement in the file counts, and so does a missing file. */
function otherFileMayRefuse(specifier: string, from: string): boolean {
  const path = importedFile(from, specifier);
  return path === null || /\bthrow\b|\breject\(|requestContext|\bassert\b/.test(readFileSync(path, 'utf8'));
}
