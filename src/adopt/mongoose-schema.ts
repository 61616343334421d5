/** Converts a Mongoose schema to JSON Schema, and collects the references of its fields and virtuals. */
import type { AnyNode, ObjectExpression } from 'acorn';
import { nodesIn, pathOf } from '../code-scan/nodes.js';
import { keyOf, staticValue, UNKNOWN } from '../code-scan/static-value.js';
import { isPlainObject, type PlainObject } from '../values/plain-object.js';
import { type LocatedNode, type Module, type Modules, memberNode } from './modules.js';

/** Maximum depth of nested schemas. */
const MAX_DEPTH = 20;

export interface SchemaReader {
  readonly modules: Modules;
  readonly changes: SchemaCalls;
}

/**
 * Later changes to a schema or model, by the expression that created it: `schema.add(…)`,
 * `schema.virtual(…)`, `Base.discriminator(…)`.
 */
export type SchemaCalls = ReadonlyMap<AnyNode, readonly SchemaCall[]>;

export interface SchemaCall {
  readonly method: string;
  readonly given: readonly LocatedNode[];
}

export const lastName = (node: AnyNode): string => pathOf(node)?.at(-1) ?? '';

export function textAt(place: LocatedNode, modules: Modules): string | undefined {
  const { node, module } = modules.follow(place);
  const value = staticValue(node, module);
  return typeof value === 'string' ? value : undefined;
}

export interface SchemaPlace {
  readonly node: AnyNode;
  readonly module: Module;
  readonly fields: ObjectPlace | null;
  readonly options: LocatedNode | null;
}

interface ObjectPlace extends LocatedNode {
  readonly node: ObjectExpression;
}

/** `new Schema({ … }, { … })`, or a name for one. */
export function schemaAt(place: LocatedNode, modules: Modules): SchemaPlace | null {
  const { node, module } = modules.follow(place);
  if (
    node.type === 'CallExpression' &&
    lastName(node.callee) === 'clone' &&
    node.callee.type === 'MemberExpression'
  )
    return schemaAt({ node: node.callee.object, module }, modules);
  if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return null;
  if (lastName(node.callee) !== 'Schema') return null;
  const [fields, options] = node.arguments;
  return {
    node,
    module,
    fields: fields ? objectNode({ node: fields, module }, modules) : null,
    options: options ? { node: options, module } : null,
  };
}

export function objectNode(place: LocatedNode, modules: Modules): ObjectPlace | null {
  const { node, module } = modules.follow(place);
  return node.type === 'ObjectExpression' ? { node, module } : null;
}

export interface Found {
  readonly refs: { readonly path: string; readonly model: string }[];
  readonly virtuals: {
    readonly name: string;
    readonly ref: string;
    readonly local: string;
    readonly foreign: string;
  }[];
}

interface Reading extends SchemaReader {
  readonly found: Found;
  readonly depth: number;
}

/** @param path the path of the schema's document: empty, or with a trailing dot */
export function schemaRule(schema: SchemaPlace, path: string, reading: Reading): PlainObject {
  const objects = schema.fields ? [schema.fields] : [];
  for (const { method, given } of reading.changes.get(schema.node) ?? []) {
    const [first, second] = given;
    if (method === 'add' && first) {
      const other = schemaAt(first, reading.modules);
      const object = other ? other.fields : objectNode(first, reading.modules);
      if (object) objects.push(object);
    }
    if (method === 'virtual' && first && second && path === '') addVirtual(first, second, reading);
  }
  const rules = objects.map((object) => documentRule(object, path, reading));
  const required = rules.flatMap((rule) => rule['required'] ?? []);
  return {
    bsonType: 'object',
    properties: Object.assign({}, ...rules.map((rule) => rule['properties'])),
    ...(required.length > 0 && { required }),
  };
}

/** `schema.virtual('posts', { ref: 'Post', localField: '_id', foreignField: 'author' })` */
function addVirtual(first: LocatedNode, second: LocatedNode, reading: Reading): void {
  const options = objectNode(second, reading.modules);
  const optionText = (option: string): string | undefined => {
    const value = options && memberNode(options, option);
    return value ? modelName(value, reading.modules) : undefined;
  };
  const [name, ref, local, foreign] = [
    textAt(first, reading.modules),
    optionText('ref'),
    optionText('localField'),
    optionText('foreignField'),
  ];
  if (name && ref && local && foreign) reading.found.virtuals.push({ name, ref, local, foreign });
}

/** `'User'`, `() => 'User'`, or the model `User` itself. */
function modelName(place: LocatedNode, modules: Modules): string | undefined {
  const { node, module } = modules.follow(place);
  if (node.type === 'ArrowFunctionExpression' && node.body.type !== 'BlockStatement')
    return modelName({ node: node.body, module }, modules);
  const [first] = node.type === 'CallExpression' && lastName(node.callee) === 'model' ? node.arguments : [];
  return textAt(first ? { node: first, module } : { node, module }, modules);
}

type Members = ReadonlyMap<string, LocatedNode>;

/** The members of an object literal, including those of objects spread into it. */
function membersOf({ node, module }: ObjectPlace, modules: Modules, depth = 0): Members {
  const members = new Map<string, LocatedNode>();
  for (const property of node.properties) {
    if (property.type === 'SpreadElement') {
      const spread = depth < MAX_DEPTH ? spreadOf({ node: property.argument, module }, modules) : null;
      for (const [name, value] of spread ? membersOf(spread, modules, depth + 1) : [])
        members.set(name, value);
      continue;
    }
    const name = keyOf(property);
    if (name !== null) members.set(name, { node: property.value, module });
  }
  return members;
}

/** `...common`, or `...common.obj` of a schema. */
function spreadOf(place: LocatedNode, modules: Modules): ObjectPlace | null {
  const object = objectNode(place, modules);
  if (object || place.node.type !== 'MemberExpression') return object;
  const schema = schemaAt({ node: place.node.object, module: place.module }, modules);
  return schema?.fields ?? null;
}

function documentRule(object: ObjectPlace, path: string, reading: Reading): PlainObject {
  const properties: Record<string, PlainObject> = {};
  const required: string[] = [];
  for (const [name, value] of membersOf(object, reading.modules)) {
    const { rule, isRequired } = fieldRule(value, `${path}${name}`, { ...reading, depth: reading.depth + 1 });
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

function fieldRule(place: LocatedNode, path: string, reading: Reading): FieldRule {
  if (reading.depth > MAX_DEPTH) return bare({});
  const inside = { ...reading, depth: reading.depth + 1 };
  const schema = schemaAt(place, reading.modules);
  if (schema) return bare(schemaRule(schema, `${path}.`, inside));
  const { node, module } = reading.modules.follow(place);
  if (node.type === 'ArrayExpression') {
    const [item] = node.elements;
    const items = item && fieldRule({ node: item, module }, path, inside).rule;
    return bare({ bsonType: 'array', ...(items && { items }) });
  }
  if (node.type === 'ObjectExpression') {
    const object = { node, module };
    const members = membersOf(object, reading.modules);
    const type = members.get('type');
    const inner = type && objectNode(type, reading.modules);
    // A document with a field named `type` declares that field's own type.
    const isField = type !== undefined && !(inner && membersOf(inner, reading.modules).has('type'));
    return isField
      ? describedRule(type, members, { path, reading: inside })
      : bare(documentRule(object, `${path}.`, inside));
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

/** Options of a field, with the corresponding keywords of JSON Schema. */
const OPTIONS: readonly (readonly [option: string, keyword: string])[] = [
  ['enum', 'enum'],
  ['minlength', 'minLength'],
  ['minLength', 'minLength'],
  ['maxlength', 'maxLength'],
  ['maxLength', 'maxLength'],
  ['min', 'minimum'],
  ['max', 'maximum'],
];

interface At {
  readonly path: string;
  readonly reading: Reading;
}

/** `{ type: String, required: true, enum: […], ref: 'User' }` */
function describedRule(type: LocatedNode, members: Members, { path, reading }: At): FieldRule {
  const named = textAt(type, reading.modules);
  const rule: Record<string, unknown> = {
    ...(named !== undefined && TYPES[named]
      ? { bsonType: TYPES[named] }
      : fieldRule(type, path, reading).rule),
  };
  const optionValue = (option: string): unknown => {
    const given = members.get(option);
    const value = given && valueAt(given, reading.modules);
    // The option may be a list of the value and an error message.
    return Array.isArray(value) && option !== 'enum' ? value[0] : value;
  };
  for (const [option, keyword] of OPTIONS) {
    const value = optionValue(option);
    const list =
      option === 'enum' && isPlainObject(value) ? (value['values'] ?? Object.values(value)) : value;
    if (typeof value === 'number' || (option === 'enum' && isKnown(list))) rule[keyword] = list;
  }
  const ref = members.get('ref');
  const model = ref && modelName(ref, reading.modules);
  if (model !== undefined) reading.found.refs.push({ path, model });
  return { rule, isRequired: optionValue('required') === true };
}

const isKnown = (list: unknown): boolean => Array.isArray(list) && !list.includes(UNKNOWN);

/** The value of a literal, in this file or another; the values of `Object.values(LEVELS)`. */
function valueAt(place: LocatedNode, modules: Modules): unknown {
  const { node, module } = modules.follow(place);
  if (
    node.type === 'CallExpression' &&
    /^Object\.(values|keys)$/.test(pathOf(node.callee)?.join('.') ?? '')
  ) {
    const [of] = node.arguments;
    const object = of && valueAt({ node: of, module }, modules);
    if (!isPlainObject(object)) return UNKNOWN;
    return lastName(node.callee) === 'keys' ? Object.keys(object) : Object.values(object);
  }
  return enumOf(node) ?? staticValue(node, module);
}

/** The compiled form of the TypeScript `enum Level { Low = 'low' }`. */
function enumOf(node: AnyNode): PlainObject | null {
  if (node.type !== 'CallExpression' || node.callee.type !== 'FunctionExpression') return null;
  const members = [...nodesIn(node.callee.body)].flatMap((each) => {
    if (each.type !== 'AssignmentExpression' || each.right.type !== 'Literal') return [];
    const name = pathOf(each.left)?.[1];
    return name === undefined ? [] : [[name, each.right.value] as const];
  });
  return members.length > 0 ? Object.fromEntries(members) : null;
}
