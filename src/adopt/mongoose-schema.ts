/** Converts a Mongoose schema to JSON Schema, and collects the references of its fields and virtuals. */
import { isPlainObject, type PlainObject } from '../values/plain-object.js';

/** Maximum depth of nested schemas: they may contain themselves. */
const MAX_DEPTH = 20;

export interface MongooseSchema {
  readonly options: PlainObject;
  readonly virtuals: Readonly<Record<string, { readonly options: PlainObject }>>;
  eachPath(visit: (path: string, type: SchemaType) => void): void;
}

interface SchemaType {
  /** The name of the type. */
  readonly instance: string;
  readonly options: PlainObject;
  /** Of a document, or a list of documents. */
  readonly schema?: MongooseSchema;
  readonly $isMongooseArray?: boolean;
  /** The type of a list's items. Mongoose 8 and older call it `caster`. */
  readonly embeddedSchemaType?: SchemaType;
  readonly caster?: SchemaType;
}

export interface Declared {
  /** The model that each path refers to. */
  readonly refs: Map<string, string>;
  /** By name. */
  readonly virtuals: Map<string, Virtual>;
}

interface Virtual {
  readonly ref: string;
  readonly local: string;
  readonly foreign: string;
}

/** @param path the path of the schema's document: empty, or with a trailing dot */
export function schemaRule(schema: MongooseSchema, path: string, found: Declared, depth = 0): PlainObject {
  if (depth > MAX_DEPTH) return {};
  if (path === '') collectVirtuals(schema, found);
  const root = newObject();
  schema.eachPath((name, type) => {
    const isInternal = name === schema.options['versionKey'] || type.options['auto'] === true;
    // `tags.$*` is the type of the values of the map `tags`.
    if (isInternal || name.includes('$*')) return;
    const { rule, last } = placeOf(root, name);
    rule.properties[last] = fieldRule(type, `${path}${name}`, found, depth);
    if (first(type.options['required']) === true) rule.required = [...(rule.required ?? []), last];
  });
  return { ...root };
}

interface ObjectRule {
  readonly bsonType: 'object';
  readonly properties: Record<string, PlainObject | ObjectRule>;
  required?: readonly string[];
}

const newObject = (): ObjectRule => ({ bsonType: 'object', properties: {} });

/** `home.street` is the field `street` of the document `home`, which has no schema of its own. */
function placeOf(root: ObjectRule, path: string): { readonly rule: ObjectRule; readonly last: string } {
  const names = path.split('.');
  let rule = root;
  for (const name of names.slice(0, -1)) {
    const inner = rule.properties[name] ?? newObject();
    rule.properties[name] = inner;
    rule = inner as ObjectRule;
  }
  return { rule, last: names.at(-1) ?? '' };
}

/** `schema.virtual('posts', { ref: 'Post', localField: '_id', foreignField: 'author' })` */
function collectVirtuals({ virtuals }: MongooseSchema, found: Declared): void {
  for (const [name, { options }] of Object.entries(virtuals)) {
    const ref = modelName(options['ref']);
    const { localField: local, foreignField: foreign } = options;
    if (ref !== undefined && typeof local === 'string' && typeof foreign === 'string')
      found.virtuals.set(name, { ref, local, foreign });
  }
}

const TYPES: Readonly<Record<string, string>> = {
  String: 'string',
  Number: 'number',
  Date: 'date',
  Boolean: 'bool',
  ObjectId: 'objectId',
  ObjectID: 'objectId',
  Decimal128: 'decimal',
  BigInt: 'long',
  Int32: 'int',
  Double: 'double',
};

function fieldRule(type: SchemaType, path: string, found: Declared, depth: number): PlainObject {
  const { instance, options, schema } = type;
  if (type.$isMongooseArray) {
    const item = type.embeddedSchemaType ?? type.caster;
    if (schema) return { bsonType: 'array', items: schemaRule(schema, `${path}.`, found, depth + 1) };
    return { bsonType: 'array', ...(item?.instance && { items: fieldRule(item, path, found, depth + 1) }) };
  }
  if (schema) return schemaRule(schema, `${path}.`, found, depth + 1);
  const model = modelName(options['ref']);
  if (model !== undefined) found.refs.set(path, model);
  const bsonType = TYPES[instance];
  return { ...(bsonType !== undefined && { bsonType }), ...constraintsOf(options) };
}

/** Options of a field, with the corresponding keywords of JSON Schema. */
const BOUNDS: readonly (readonly [option: string, keyword: string])[] = [
  ['minlength', 'minLength'],
  ['minLength', 'minLength'],
  ['maxlength', 'maxLength'],
  ['maxLength', 'maxLength'],
  ['min', 'minimum'],
  ['max', 'maximum'],
];

function constraintsOf(options: PlainObject): PlainObject {
  const bounds = BOUNDS.flatMap(([option, keyword]) => {
    const value = first(options[option]);
    return typeof value === 'number' ? [[keyword, value] as const] : [];
  });
  const given = options['enum'];
  const list = isPlainObject(given) ? (given['values'] ?? Object.values(given)) : given;
  return { ...(Array.isArray(list) && { enum: list }), ...Object.fromEntries(bounds) };
}

/** An option may be a list of the value and an error message. */
const first = (option: unknown): unknown => (Array.isArray(option) ? option[0] : option);

/** `'User'`, `() => 'User'`, or the model `User` itself. A function that needs a document says nothing. */
function modelName(ref: unknown): string | undefined {
  if (typeof ref !== 'function') return typeof ref === 'string' ? ref : undefined;
  if ('modelName' in ref) return String(ref.modelName);
  try {
    const named: unknown = ref();
    return typeof named === 'string' || (typeof named === 'function' && 'modelName' in named)
      ? modelName(named)
      : undefined;
  } catch {
    return undefined;
  }
}
