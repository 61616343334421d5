/**
 * Mongoose models as the JSON Schema of their collections. Their files are read and never run, so what only running them would tell
 * (a schema from another file, a plugin) is not known.
 */
import { readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { AnyNode, ObjectExpression } from 'acorn';
import pluralize from 'pluralize';
import { type ParsedFile, parseFile, pathOf } from '../code/parse.js';
import { keyOf, staticValue } from '../code/static-value.js';
import type { PlainObject } from '../values/plain-object.js';

const ENDINGS = new Set(['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts']);
/** Schemas within schemas. */
const MAX_DEPTH = 20;

export interface MongooseModels {
  /** By collection. */
  readonly rules: ReadonlyMap<string, PlainObject>;
  /** Files that could not be read. */
  readonly unread: readonly string[];
}

/** Every model that the files of a folder define. */
export async function readMongoose(folder: string): Promise<MongooseModels> {
  const rules = new Map<string, PlainObject>();
  const unread: string[] = [];
  for (const name of (await readdir(folder, { recursive: true })).sort()) {
    if (!ENDINGS.has(extname(name)) || /(^|[/\\])node_modules[/\\]/.test(name)) continue;
    const file = await parseFile(join(folder, name)).catch(() => null);
    if (!file) unread.push(name);
    else for (const [collection, rule] of modelsOf(file)) rules.set(collection, rule);
  }
  return { rules, unread };
}

/** `mongoose.model('User', schema, 'people')` */
function modelsOf(file: ParsedFile): readonly (readonly [string, PlainObject])[] {
  return [...nodesOf(file.program)].flatMap((node) => {
    if (node.type !== 'CallExpression' || lastName(node.callee) !== 'model') return [];
    const [first, schema, third] = node.arguments;
    const name = first && staticValue(first, file);
    const made = schema && schemaNode(schema, file, 0);
    if (typeof name !== 'string' || !made) return [];
    const options = made.options ? staticValue(made.options, file) : {};
    const named = third ? staticValue(third, file) : (options as { collection?: unknown }).collection;
    const collection = typeof named === 'string' ? named : pluralize(name.toLowerCase());
    return [[collection, documentRule(made.fields, file, 0)] as const];
  });
}

function* nodesOf(value: unknown): Generator<AnyNode> {
  if (Array.isArray(value)) {
    for (const each of value) yield* nodesOf(each);
    return;
  }
  if (typeof value !== 'object' || value === null || !('type' in value)) return;
  yield value as AnyNode;
  for (const inner of Object.values(value)) yield* nodesOf(inner);
}

const lastName = (node: AnyNode): string => pathOf(node)?.at(-1) ?? '';

interface SchemaNode {
  readonly fields: ObjectExpression;
  readonly options: AnyNode | undefined;
}

/** `new Schema({ … }, { … })`, or a constant that is one. */
function schemaNode(node: AnyNode, file: ParsedFile, depth: number): SchemaNode | null {
  if (depth > MAX_DEPTH) return null;
  // `const userSchema = exports.userSchema = new Schema(…)`
  if (node.type === 'AssignmentExpression') return schemaNode(node.right, file, depth + 1);
  const constant = node.type === 'Identifier' ? file.constants.get(node.name) : undefined;
  if (constant) return schemaNode(constant, file, depth + 1);
  if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return null;
  if (lastName(node.callee) !== 'Schema') return null;
  const [fields, options] = node.arguments;
  const object = fields && objectNode(fields, file, depth);
  return object ? { fields: object, options } : null;
}

function objectNode(node: AnyNode, file: ParsedFile, depth: number): ObjectExpression | null {
  if (node.type === 'ObjectExpression') return node;
  const constant =
    node.type === 'Identifier' && depth < MAX_DEPTH ? file.constants.get(node.name) : undefined;
  return constant ? objectNode(constant, file, depth + 1) : null;
}

type Members = ReadonlyMap<string, AnyNode>;

const membersOf = (node: ObjectExpression): Members =>
  new Map(
    node.properties.flatMap((property) => {
      const name = property.type === 'Property' ? keyOf(property) : null;
      return property.type === 'Property' && name !== null ? [[name, property.value] as const] : [];
    }),
  );

function documentRule(node: ObjectExpression, file: ParsedFile, depth: number): PlainObject {
  const properties: Record<string, PlainObject> = {};
  const required: string[] = [];
  for (const [name, value] of membersOf(node)) {
    const { rule, isRequired } = fieldRule(value, file, depth + 1);
    properties[name] = rule;
    if (isRequired) required.push(name);
  }
  return { bsonType: 'object', properties, ...(required.length > 0 && { required }) };
}

interface FieldRule {
  readonly rule: PlainObject;
  readonly isRequired: boolean;
}

const bare = (rule: PlainObject): FieldRule => ({ rule, isRequired: false });

function fieldRule(node: AnyNode, file: ParsedFile, depth: number): FieldRule {
  if (depth > MAX_DEPTH) return bare({});
  const schema = schemaNode(node, file, depth);
  if (schema) return bare(documentRule(schema.fields, file, depth));
  if (node.type === 'ArrayExpression') {
    const [item] = node.elements;
    return bare({ bsonType: 'array', ...(item && { items: fieldRule(item, file, depth + 1).rule }) });
  }
  const object = objectNode(node, file, depth);
  if (object) {
    const members = membersOf(object);
    const type = members.get('type');
    // A field that is itself called `type` says so with a type of its own.
    const isField = type !== undefined && !(type.type === 'ObjectExpression' && membersOf(type).has('type'));
    return isField ? describedRule(type, members, file, depth) : bare(documentRule(object, file, depth));
  }
  const bsonType = TYPES[lastName(node)];
  return bare(bsonType === undefined ? {} : { bsonType });
}

const TYPES: Readonly<Record<string, string>> = {
  String: 'string',
  Number: 'number',
  Date: 'date',
  Boolean: 'bool',
  ObjectId: 'objectId',
  ObjectID: 'objectId',
  Decimal128: 'decimal',
  Long: 'long',
  BigInt: 'long',
  Int32: 'int',
  Double: 'double',
};

/** Options of a field, and what JSON Schema calls them. */
const OPTIONS: readonly (readonly [option: string, keyword: string])[] = [
  ['enum', 'enum'],
  ['minlength', 'minLength'],
  ['minLength', 'minLength'],
  ['maxlength', 'maxLength'],
  ['maxLength', 'maxLength'],
  ['min', 'minimum'],
  ['max', 'maximum'],
];

/** `{ type: String, required: true, enum: […] }` */
function describedRule(type: AnyNode, members: Members, file: ParsedFile, depth: number): FieldRule {
  const named = staticValue(type, file);
  const rule: Record<string, unknown> = {
    ...(typeof named === 'string' && TYPES[named]
      ? { bsonType: TYPES[named] }
      : fieldRule(type, file, depth + 1).rule),
  };
  const said = (option: string): unknown => {
    const node = members.get(option);
    const value = node && staticValue(node, file);
    // With the message for those who break it.
    return Array.isArray(value) && option !== 'enum' ? value[0] : value;
  };
  for (const [option, keyword] of OPTIONS) {
    const value = said(option);
    if (typeof value === 'number' || (option === 'enum' && Array.isArray(value))) rule[keyword] = value;
  }
  return { rule, isRequired: said('required') === true };
}
