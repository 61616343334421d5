import type { AnyNode, CallExpression, MemberExpression, Program } from 'acorn';
import { nodesIn, pathOf } from './nodes.js';
import type { ParsedFile, ParsedValue } from './parse.js';

/**
 * The file without constants whose values may change later: it changes them, or passes them to code that may.
 */
export function withoutChanged(file: ParsedFile): ParsedFile {
  const { program, constants, exported } = file;
  const made = exported?.type === 'Identifier' ? (constants.get(exported.name) ?? exported) : exported;
  const changed = changedIn(program, made);
  return { ...file, constants: new Map([...constants].filter(([name]) => !changed.has(name))) };
}

/** Methods that change neither their object nor their arguments. */
const READING = new Set(['concat', 'flat', 'includes', 'join', 'slice']);

/** Names in the file whose values it changes, or passes to code that may. */
function changedIn(program: Program, exported: ParsedValue | null): ReadonlySet<string> {
  const changed = new Set<string>();
  const rootOf = (node: AnyNode): string | null => {
    if (node.type === 'Identifier') return node.name;
    return node.type === 'MemberExpression' ? rootOf(node.object) : null;
  };
  const note = (node: AnyNode): void => {
    const name = rootOf(node);
    if (name !== null) changed.add(name);
  };
  for (const node of nodesIn(program)) {
    if (node.type === 'AssignmentExpression') note(node.left);
    if (node.type === 'UpdateExpression') note(node.argument);
    if (node.type === 'UnaryExpression' && node.operator === 'delete') note(node.argument);
    if (node.type === 'ForOfStatement') note(node.right);
    if (node.type === 'CallExpression') noteCall(node, exported, note);
  }
  return changed;
}

const nameOf = ({ computed, property }: MemberExpression): string =>
  !computed && property.type === 'Identifier' ? property.name : '';

function noteCall(node: CallExpression, exported: ParsedValue | null, note: (node: AnyNode) => void): void {
  const { callee } = node;
  const method = pathOf(callee)?.at(-1) ?? (callee.type === 'MemberExpression' ? nameOf(callee) : '');
  // The call that creates the export is read elsewhere.
  if (node === exported || method.startsWith('createCore') || READING.has(method)) return;
  if (callee.type === 'MemberExpression') note(callee.object);
  for (const argument of node.arguments)
    if (argument.type === 'Identifier' || argument.type === 'MemberExpression') note(argument);
}
