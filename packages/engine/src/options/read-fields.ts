import type { Document } from 'bson';
import { type ErrorName, fail } from '../errors.js';
import { bsonTypeOf, isDocument } from '../values/types.js';
import { NEWEST_VERSION } from '../values/work.js';
import { FIELD_TYPES, type FieldType, WRONG_TYPE } from './field-types.js';

/** One field of a command, a statement or a set of options. */
export interface FieldRule {
  readonly type: FieldType;
  readonly required?: true;
  /** The minimum of a number. */
  readonly min?: number;
  readonly oneOf?: readonly string[];
  /** The code for a value of another type, if it is not TypeMismatch. */
  readonly mismatch?: ErrorName;
  /** Rejected with `apiStrict`. */
  readonly unstable?: true;
  /** The first version of MongoDB that supports it. */
  readonly since?: number | undefined;
}

export type Fields = Readonly<Record<string, FieldType | FieldRule>>;

interface Reader extends FieldRule {
  readonly name: string;
}

/** How fields are read. */
interface ReadOptions {
  /** The prefix of a field in messages: `find` in `find.filter`. */
  readonly context: string;
  /** Fields that any such document may have as well. */
  readonly shared?: Fields;
  /** Unknown fields are accepted as they are. */
  readonly lenient?: boolean;
  /** The code and message for an unknown field, if not 40415 with MongoDB's usual message. */
  readonly unknown?: (name: string) => never;
}

/**
 * Reads a document of declared fields: returns it with its values in the form that commands use, or the same document if nothing
 * has to be changed.
 */
export type FieldReader = (given: Document, terms?: ReadTerms) => Document;

/** The conditions under which a document is read. */
interface ReadTerms {
  readonly apiStrict?: boolean;
  /** The version of MongoDB to emulate; the newest by default. */
  readonly version?: number;
}

const ruleOf = (name: string, field: FieldType | FieldRule): Reader =>
  typeof field === 'string' ? { name, type: field } : { ...field, name };

function readValue(rule: Reader, value: unknown, context: string): unknown {
  const { type, name } = rule;
  const { expected, read } = FIELD_TYPES[type];
  const found = read(value);
  if (found === WRONG_TYPE) {
    return fail(
      rule.mismatch ?? (type === 'hint' ? 'FailedToParse' : 'TypeMismatch'),
      `BSON field '${context}.${name}' is the wrong type '${bsonTypeOf(value)}', expected type${expected.startsWith('[') ? 's' : ''} '${expected}'`,
    );
  }
  if (type === 'objects') checkObjects(found as unknown[], `${context}.${name}`);
  if (rule.min !== undefined && (found as number) < rule.min) {
    return fail(51024, `BSON field '${name}' value must be >= ${rule.min}, actual value '${String(value)}'`);
  }
  if (rule.oneOf !== undefined && !rule.oneOf.includes(found as string)) {
    return fail(
      'BadValue',
      `Enumeration value '${String(value)}' for field '${context}.${name}' is not a valid value.`,
    );
  }
  return found;
}

function checkObjects(items: readonly unknown[], path: string): void {
  const wrong = items.findIndex((item) => !isDocument(item));
  if (wrong < 0) return;
  fail(
    'TypeMismatch',
    `BSON field '${path}.${wrong}' is the wrong type '${bsonTypeOf(items[wrong])}', expected type 'object'`,
  );
}

/** Fields for the process that encrypts for clients, which they send here if it is not set up correctly. */
const OF_ENCRYPTION = new Set(['jsonSchema', 'isRemoteSchema']);

function refuseUnknown(context: string, name: string): never {
  const reason = `BSON field '${context}.${name}' is an unknown field.`;
  if (OF_ENCRYPTION.has(name))
    fail(
      context === 'explain' ? 'FailedToParse' : 4662500,
      `${reason} This command may be meant for a mongocryptd process.`,
    );
  return fail(40415, reason);
}

/**
 * Compiles declared fields to a reader. It throws 40415 for an unknown field, TypeMismatch for a wrong type, 51024 for a number
 * out of range, BadValue for a value that is not listed, 40414 for a missing field, and APIStrictError.
 */
export function compileFields(fields: Fields, options: ReadOptions): FieldReader {
  const { context, shared = {}, lenient = false } = options;
  const rules = new Map(
    Object.entries({ ...shared, ...fields }).map(([name, field]) => [name, ruleOf(name, field)]),
  );
  const required = [...rules.values()].filter((rule) => rule.required);
  const unknown = options.unknown ?? ((name) => refuseUnknown(context, name));
  return (given, { apiStrict = false, version = NEWEST_VERSION } = {}) => {
    let out = given;
    for (const name of Object.keys(given)) {
      const rule = rules.get(name);
      if (rule === undefined || version < (rule.since ?? 0)) {
        if (!lenient) unknown(name);
        continue;
      }
      if (apiStrict && rule.unstable) {
        fail('APIStrictError', `BSON field '${context}.${name}' is not allowed with apiStrict:true.`);
      }
      const value = given[name];
      const absent = value === null || value === undefined;
      const found =
        absent && !FIELD_TYPES[rule.type].refusesNull ? undefined : readValue(rule, value, context);
      if (found === value) continue;
      if (out === given) out = { ...given };
      if (found === undefined) delete out[name];
      else out[name] = found;
    }
    for (const { name } of required) {
      if (out[name] === undefined) {
        fail(40414, `BSON field '${context}.${name}' is missing but a required field`);
      }
    }
    return out;
  };
}
