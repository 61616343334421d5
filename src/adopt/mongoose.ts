/**
 * Loads Mongoose models, and describes them as JSON Schemas of their collections, with the references that they
 * declare.
 */
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { codeIn } from '../code-scan/files.js';
import { pathAliases } from '../schema/files/path-aliases.js';
import { objectAt as memberAt, type PlainObject } from '../values/plain-object.js';
import { reasonOf } from '../values/reason-of.js';
import { type Declared, type MongooseSchema, schemaRule } from './mongoose-schema.js';

export interface MongooseModels {
  /** By collection. */
  readonly rules: ReadonlyMap<string, PlainObject>;
  readonly declared: readonly DeclaredReference[];
  /** Files that could not be loaded, with the reason. */
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

interface Mongoose {
  readonly connections: readonly { readonly models: Readonly<Record<string, MongooseModel>> }[];
  set(options: Readonly<Record<string, boolean>>): void;
}

interface MongooseModel {
  readonly modelName: string;
  readonly collection: { readonly name: string };
  readonly schema: MongooseSchema;
  /** Of a discriminator: its base. */
  readonly baseModelName?: string;
  readonly discriminators?: Readonly<Record<string, MongooseModel>>;
}

/** Every model that the files of a folder define, with the Mongoose that they import. */
export async function readMongoose(folder: string): Promise<MongooseModels> {
  const mongoose = mongooseOf(folder);
  // Should a file connect: reading the models must not change its database.
  mongoose.set({ autoCreate: false, autoIndex: false });
  const unread = await loadAll(folder);
  const models = mongoose.connections.flatMap((connection) => Object.values(connection.models));
  const collections = new Map(models.map(({ modelName, collection }) => [modelName, collection.name]));
  const rules = new Map<string, PlainObject>();
  const declared: DeclaredReference[] = [];
  for (const model of models.filter(({ baseModelName }) => baseModelName === undefined)) {
    const found: Declared = { refs: new Map(), virtuals: new Map() };
    const from = model.collection.name;
    rules.set(from, modelRule(model, found));
    for (const [path, name] of found.refs) {
      const to = collections.get(name);
      if (to !== undefined) declared.push({ from, path, to, toPath: '_id' });
    }
    for (const [inverse, { ref, local, foreign }] of found.virtuals) {
      const owner = collections.get(ref);
      if (owner !== undefined)
        declared.push({ from: owner, path: foreign, to: from, toPath: local, inverse });
    }
  }
  return { rules, declared, unread };
}

/** @throws Error if it is not installed where the models are */
function mongooseOf(folder: string): Mongoose {
  const require = createRequire(join(resolve(folder), 'models.js'));
  try {
    return require('mongoose');
  } catch (error) {
    throw new Error(`Models in ${folder} cannot be loaded without their mongoose: ${reasonOf(error)}`);
  }
}

/** @returns the files that could not be loaded, with the reason */
async function loadAll(folder: string): Promise<readonly string[]> {
  const root = resolve(folder);
  const { createJiti } = await import('jiti');
  const jiti = createJiti(join(root, 'models.js'), {
    fsCache: false,
    alias: await pathAliases(join(root, 'models.js')),
  });
  const unread: string[] = [];
  for (const file of await codeIn(root, '.')) {
    // Pages, not models.
    if (file.endsWith('.tsx')) continue;
    try {
      await jiti.import(join(root, file));
    } catch (error) {
      unread.push(`${file.slice('./'.length)}: ${reasonOf(error)}`);
    }
  }
  return unread;
}

/** The fields of a model, with those of its discriminators as optional fields. */
function modelRule({ schema, discriminators = {} }: MongooseModel, found: Declared): PlainObject {
  const own = schemaRule(schema, '', found);
  const variants = Object.values(discriminators).map((variant) => schemaRule(variant.schema, '', found));
  if (variants.length === 0) return own;
  const key = String(schema.options['discriminatorKey']);
  return {
    ...own,
    properties: {
      ...Object.assign({}, ...variants.map((variant) => memberAt(variant, 'properties'))),
      ...memberAt(own, 'properties'),
      [key]: { bsonType: 'string', enum: Object.keys(discriminators) },
    },
  };
}
