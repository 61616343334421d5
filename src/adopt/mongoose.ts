/**
 * Reads Mongoose models as JSON Schemas of their collections, and the references that they declare. The files
 * are parsed and never run, so anything computed at run time, such as a plugin or a computed name, is
 * unknown.
 */

import type { AnyNode } from 'acorn';
import pluralize from 'pluralize';
import { nodesIn } from '../code-scan/nodes.js';
import { addTo } from '../values/group.js';
import { objectAt as memberAt, type PlainObject } from '../values/plain-object.js';
import { type Module, type Modules, memberNode, readModules } from './modules.js';
import {
  type Found,
  lastName,
  objectNode,
  type SchemaCall,
  type SchemaCalls,
  type SchemaPlace,
  type SchemaReader,
  schemaAt,
  schemaRule,
  textAt,
} from './mongoose-schema.js';

export interface MongooseModels {
  /** By collection. */
  readonly rules: ReadonlyMap<string, PlainObject>;
  readonly declared: readonly DeclaredReference[];
  /** Files that could not be parsed. */
  readonly unread: readonly string[];
}

/** A reference that a model declares, by `ref` of a field or by a virtual on the other side. */
export interface DeclaredReference {
  /** The collection, and the path in its documents. */
  readonly from: string;
  readonly path: string;
  readonly to: string;
  /** The path in the target that the value equals. */
  readonly toPath: string;
  /** The name of the virtual on the other side. */
  readonly inverse?: string;
}

/** Every model defined in the files of a folder, including imported schemas. */
export async function readMongoose(folder: string): Promise<MongooseModels> {
  const modules = await readModules(folder);
  const reader = { modules, changes: changesIn(modules) };
  const models = modules.files.flatMap((module) => modelsOf(module, reader));
  const collections = new Map(models.map(({ name, collection }) => [name, collection]));
  const rules = new Map<string, PlainObject>();
  const declared: DeclaredReference[] = [];
  for (const model of models) {
    const found: Found = { refs: [], virtuals: [] };
    let rule = schemaRule(model.schema, '', { ...reader, found, depth: 0 });
    for (const [index, variant] of model.variants.entries())
      rule = withVariant(rule, schemaRule(variant.schema, '', { ...reader, found, depth: 0 }), {
        key: model.key,
        names: model.variants.slice(0, index + 1).map(({ name }) => name),
      });
    rules.set(model.collection, rule);
    const from = model.collection;
    for (const { path, model: name } of found.refs) {
      const to = collections.get(name);
      if (to !== undefined) declared.push({ from, path, to, toPath: '_id' });
    }
    for (const { name, ref, local, foreign } of found.virtuals) {
      const owner = collections.get(ref);
      if (owner !== undefined)
        declared.push({ from: owner, path: foreign, to: from, toPath: local, inverse: name });
    }
  }
  return { rules, declared, unread: modules.unread };
}

interface MongooseModel {
  readonly name: string;
  readonly collection: string;
  readonly schema: SchemaPlace;
  /** The discriminator key. */
  readonly key: string;
  readonly variants: readonly { readonly name: string; readonly schema: SchemaPlace }[];
}

/** `mongoose.model('User', schema, 'people')` */
function modelsOf(module: Module, reader: SchemaReader): readonly MongooseModel[] {
  return [...nodesIn(module.program)].flatMap((node) => {
    if (node.type !== 'CallExpression' || lastName(node.callee) !== 'model') return [];
    const [first, schema, third] = node.arguments;
    const name = first && textAt({ node: first, module }, reader.modules);
    const made = schema && schemaAt({ node: schema, module }, reader.modules);
    if (typeof name !== 'string' || !made) return [];
    const named = third
      ? textAt({ node: third, module }, reader.modules)
      : optionOf(made, 'collection', reader.modules);
    const key = optionOf(made, 'discriminatorKey', reader.modules);
    return [
      {
        name,
        collection: named ?? pluralize(name.toLowerCase()),
        schema: made,
        key: key ?? '__t',
        variants: variantsOf(node, made, reader),
      },
    ];
  });
}

function optionOf({ options }: SchemaPlace, name: string, modules: Modules): string | undefined {
  const object = options && objectNode(options, modules);
  const value = object && memberNode(object, name);
  return value ? textAt(value, modules) : undefined;
}

const METHODS = new Set(['add', 'virtual', 'discriminator']);

function changesIn(modules: Modules): SchemaCalls {
  const changes = new Map<AnyNode, SchemaCall[]>();
  for (const module of modules.files)
    for (const node of nodesIn(module.program)) {
      if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') continue;
      const method = lastName(node.callee) || methodOf(node.callee);
      if (!METHODS.has(method)) continue;
      const { node: made } = modules.follow({ node: node.callee.object, module });
      const given = node.arguments.map((argument) => ({ node: argument, module }));
      addTo(changes, made, { method, given });
    }
  return changes;
}

const methodOf = ({ property }: Extract<AnyNode, { type: 'MemberExpression' }>): string =>
  property.type === 'Identifier' ? property.name : '';

/** The discriminators of a model or its schema. */
function variantsOf(model: AnyNode, schema: SchemaPlace, reader: SchemaReader): MongooseModel['variants'] {
  const made = [...(reader.changes.get(model) ?? []), ...(reader.changes.get(schema.node) ?? [])];
  return made.flatMap(({ method, given: [first, second] }) => {
    if (method !== 'discriminator' || !first || !second) return [];
    const name = textAt(first, reader.modules);
    const variant = schemaAt(second, reader.modules);
    return name !== undefined && variant ? [{ name, schema: variant }] : [];
  });
}

/** Adds the fields of a discriminator to those of its base, as optional fields. */
function withVariant(
  base: PlainObject,
  variant: PlainObject,
  { key, names }: { readonly key: string; readonly names: readonly string[] },
): PlainObject {
  return {
    ...base,
    properties: {
      ...memberAt(variant, 'properties'),
      ...memberAt(base, 'properties'),
      [key]: { bsonType: 'string', enum: names },
    },
  };
}
