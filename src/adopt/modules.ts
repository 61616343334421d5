/** Source files that import each other, parsed but never run: resolves names to expressions across files. */
import { readdir } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import type { AnyNode, ObjectExpression, Property } from 'acorn';
import { ENDINGS, importedFile } from '../code-scan/imported-file.js';
import { nodesIn, pathOf } from '../code-scan/nodes.js';
import { type ParsedFile, parseFile } from '../code-scan/parse.js';
import { keyOf } from '../code-scan/static-value.js';

/** A file with its imports and exports. */
export interface Module extends ParsedFile {
  readonly path: string;
  /** By local name: the module and the imported member; null: the whole module. */
  readonly imports: ReadonlyMap<string, Imported>;
  /** By name, including `default`. */
  readonly exports: ReadonlyMap<string, AnyNode>;
  /** Modules whose exports it re-exports. */
  readonly passed: readonly string[];
}

interface Imported {
  readonly from: string;
  readonly member: string | null;
}

/** An expression and its module. */
export interface LocatedNode {
  readonly node: AnyNode;
  readonly module: Module;
}

export interface Modules {
  readonly files: readonly Module[];
  /** Names of files that could not be parsed. */
  readonly unread: readonly string[];
  /**
   * Resolves an expression through constants, imports and members of objects; returns it unchanged if it
   * cannot be resolved.
   */
  follow(place: LocatedNode): LocatedNode;
}

const MAX_STEPS = 50;

/** Reads every file in a folder, and the files that they import by relative paths. */
export async function readModules(folder: string): Promise<Modules> {
  const known = new Map<string, Module | null>();
  const unread: string[] = [];
  const read = async (path: string, name: string): Promise<void> => {
    if (known.has(path)) return;
    known.set(path, null);
    const parsed = await parseFile(path).catch(() => null);
    if (!parsed) return void unread.push(name);
    const module = moduleOf(path, parsed);
    known.set(path, module);
    for (const { from } of [...module.imports.values(), ...module.passed.map((each) => ({ from: each }))]) {
      const file = importedFile(path, from);
      if (file !== null) await read(file, from);
    }
  };
  for (const name of (await readdir(folder, { recursive: true })).sort())
    if (ENDINGS.includes(extname(name)) && !/\.d\.[cm]?ts$|(^|[/\\])node_modules[/\\]/.test(name))
      await read(resolve(folder, name), name);
  const files = [...known.values()].filter((module) => module !== null);
  return { files, unread, follow: (place) => follow(place, known, 0) };
}

function moduleOf(path: string, parsed: ParsedFile): Module {
  const imports = new Map<string, Imported>();
  const exports = new Map<string, AnyNode>();
  const passed: string[] = [];
  if (parsed.exported) exports.set('default', parsed.exported);
  for (const node of nodesIn(parsed.program)) {
    if (node.type === 'VariableDeclarator' && node.init) {
      const source = sourceOf(node.init);
      if (source && node.id.type === 'Identifier') imports.set(node.id.name, source);
      if (source?.member === null && node.id.type === 'ObjectPattern')
        for (const property of node.id.properties)
          if (property.type === 'Property' && property.value.type === 'Identifier')
            imports.set(property.value.name, { ...source, member: keyOf(property as Property) });
    }
    if (node.type === 'AssignmentExpression') {
      const [first, ...rest] = pathOf(node.left) ?? [];
      const name = first === 'module' ? rest.slice(1).join('.') : first === 'exports' ? rest.join('.') : '';
      const isVoid = node.right.type === 'UnaryExpression';
      if (name !== '' && !name.includes('.') && !isVoid) exports.set(name, node.right);
    }
    if (node.type === 'CallExpression') {
      const [target, key, description] = node.arguments;
      const called = pathOf(node.callee)?.join('.');
      if (
        called === 'Object.defineProperty' &&
        key?.type === 'Literal' &&
        target &&
        pathOf(target)?.[0] === 'exports'
      ) {
        const returned =
          description && [...nodesIn(description)].find((each) => each.type === 'ReturnStatement');
        if (returned?.type === 'ReturnStatement' && returned.argument)
          exports.set(String(key.value), returned.argument);
      }
      const listed = node.callee.type === 'MemberExpression' ? node.callee.object : null;
      if (listed?.type === 'CallExpression' && pathOf(listed.callee)?.join('.') === 'Object.keys') {
        const [of] = listed.arguments;
        if (of?.type === 'Identifier') passed.push(of.name);
      }
    }
  }
  const from = (name: string): string[] => [imports.get(name)?.from ?? []].flat();
  return { ...parsed, path, imports, exports, passed: passed.flatMap(from) };
}

/** `require('./a')`, `require('./a').b`, and the compiled forms of ES imports. */
function sourceOf(node: AnyNode): Imported | null {
  if (node.type === 'AwaitExpression') return sourceOf(node.argument);
  if (node.type === 'MemberExpression') {
    const inner = sourceOf(node.object);
    const member = node.property.type === 'Identifier' && !node.computed ? node.property.name : null;
    return inner?.member === null && member !== null ? { ...inner, member } : null;
  }
  if (node.type !== 'CallExpression') return null;
  const name = pathOf(node.callee)?.at(-1) ?? '';
  const [argument] = node.arguments;
  if (!argument) return null;
  if (/^_?interopRequire/.test(name)) return sourceOf(argument);
  const isImport = name === 'require' || name === 'jitiImport';
  return isImport && argument.type === 'Literal' ? { from: String(argument.value), member: null } : null;
}

type Known = ReadonlyMap<string, Module | null>;

function follow(place: LocatedNode, known: Known, steps: number): LocatedNode {
  const { node, module } = place;
  if (steps > MAX_STEPS) return place;
  const further = (next: LocatedNode | null): LocatedNode => (next ? follow(next, known, steps + 1) : place);
  const here = (next: AnyNode | undefined): LocatedNode => further(next ? { node: next, module } : null);
  switch (node.type) {
    case 'AssignmentExpression':
      return here(node.right);
    case 'ParenthesizedExpression':
      return here(node.expression);
    case 'AwaitExpression':
      return here(node.argument);
    // `mongoose.models.User || mongoose.model('User', schema)`
    case 'LogicalExpression':
      return here(node.right);
    case 'SequenceExpression':
      return here(node.expressions.at(-1));
    case 'Identifier': {
      const imported = module.imports.get(node.name);
      if (imported) return further(exportedBy(module, imported, known));
      return here(module.constants.get(node.name));
    }
    case 'CallExpression': {
      const source = sourceOf(node);
      return source ? further(exportedBy(module, source, known)) : place;
    }
    case 'MemberExpression': {
      const name = memberName(node);
      if (name === null) return place;
      const source = wholeModule(node.object, module);
      if (source) return further(exportedBy(module, { from: source, member: name }, known));
      const object = follow({ node: node.object, module }, known, steps + 1);
      return further(memberNode(object, name));
    }
    default:
      return place;
  }
}

type Member = Extract<AnyNode, { type: 'MemberExpression' }>;

function memberName({ property, computed }: Member): string | null {
  if (!computed && property.type === 'Identifier') return property.name;
  return property.type === 'Literal' ? String(property.value) : null;
}

/** The module that a name stands for as a whole. */
function wholeModule(node: AnyNode, { imports }: Module): string | null {
  const source = node.type === 'Identifier' ? imports.get(node.name) : sourceOf(node);
  return source?.member === null ? source.from : null;
}

/** The member of an object literal. */
export function memberNode({ node, module }: LocatedNode, name: string): LocatedNode | null {
  if (node.type !== 'ObjectExpression') return null;
  const value = propertyOf(node, name);
  return value ? { node: value, module } : null;
}

const propertyOf = (node: ObjectExpression, name: string): AnyNode | undefined =>
  node.properties.flatMap((each) =>
    each.type === 'Property' && keyOf(each) === name ? [each.value] : [],
  )[0];

function exportedBy(
  importer: Module,
  { from, member }: Imported,
  known: Known,
  depth = 0,
): LocatedNode | null {
  const file = importedFile(importer.path, from);
  const module = file === null ? null : known.get(file);
  if (!module || depth > MAX_STEPS) return null;
  const whole = module.exports.get('default');
  if (member === null || member === 'default') return whole ? { node: whole, module } : null;
  const own = module.exports.get(member);
  if (own) return { node: own, module };
  // `module.exports = { … }`
  const inWhole = whole && memberNode(follow({ node: whole, module }, known, depth + 1), member);
  if (inWhole) return inWhole;
  for (const passed of module.passed) {
    const found = exportedBy(module, { from: passed, member }, known, depth + 1);
    if (found) return found;
  }
  return null;
}
