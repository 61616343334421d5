/** Checks the rules of `config/roles` against the schema, so that none is stored that could not be kept. */
import type { Config } from '../../config/types.js';
import { bodyChecker } from '../../documents/validate/check-body.js';
import { existingType } from '../../schema/find.js';
import type { Attribute, ContentType, Schema } from '../../schema/types.js';
import { USER_UID } from '../../schema/uids.js';
import { didYouMean } from '../../values/nearest.js';
import { isPlainObject } from '../../values/plain-object.js';
import { callerName, NOW } from '../rule-terms.js';
import { listedPermissions } from './configured-roles.js';

/** What the rules are checked against. */
interface Known {
  readonly schema: Schema;
  readonly config: Config;
}

/** A problem and its place below the rule, such as `.set.author`. */
type Problem = readonly [place: string, message: string];

/** The actions that can have rules. */
const WRITING: ReadonlySet<string> = new Set(['create', 'update']);

const typeAndName = (action: string): readonly [uid: string, name: string] => {
  const at = action.lastIndexOf('.');
  return [action.slice(0, at), action.slice(at + 1)];
};

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

const hint = (name: string, known: Iterable<string>): string => didYouMean(name, new Set(known));

/** What a rule may name of the caller: the scalars of accounts that are no secrets, and the type of the role. */
const callerNames = (schema: Schema): readonly string[] => [
  'role',
  ...[...existingType(schema, USER_UID).attributes.values()].filter(isShown).map(({ name }) => name),
];

const isShown = (attribute: Attribute): boolean =>
  attribute.kind === 'scalar' &&
  !attribute.private &&
  attribute.type !== 'password' &&
  attribute.type !== 'json';

/** Problems of the values of the request that a term names. */
function checkNames(value: unknown, place: string, role: string, schema: Schema): readonly Problem[] {
  const name = callerName(value);
  if (name !== null) {
    const names = callerNames(schema);
    if (!names.includes(name))
      return [[place, `accounts have no attribute "${name}" that a rule may name${hint(name, names)}`]];
    return role === 'public' && name !== 'role' ? [[place, `the public has no account, so no ${name}`]] : [];
  }
  if (typeof value === 'string' && value.startsWith('$') && value !== NOW)
    return [[place, `"${value}" is neither $caller.<attribute>, $caller.role nor $now`]];
  if (Array.isArray(value))
    return value.flatMap((item, at) => checkNames(item, `${place}[${at}]`, role, schema));
  if (!isPlainObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => checkNames(item, `${place}.${key}`, role, schema));
}

const writable = (type: ContentType): readonly string[] =>
  [...type.attributes.values()].filter(({ system, writable: may }) => may && !system).map(({ name }) => name);

const checkAttribute = (type: ContentType, name: string, place: string): readonly Problem[] => {
  const names = writable(type);
  return names.includes(name)
    ? []
    : [[place, `${type.uid} has no attribute "${name}" that can be written${hint(name, names)}`]];
};

function checkWrite(write: unknown, type: ContentType): readonly Problem[] {
  if (!isTexts(write)) return [['.write', 'expected a list of attributes']];
  return write.flatMap((name, at) => checkAttribute(type, name, `.write[${at}]`));
}

const isOfRequest = (value: unknown): boolean => value === NOW || callerName(value) !== null;

function checkSet(set: unknown, type: ContentType, role: string, known: Known): readonly Problem[] {
  if (!isPlainObject(set)) return [['.set', 'expected an object of attributes']];
  const names = Object.entries(set).flatMap(([name, value]) => [
    ...checkAttribute(type, name, `.set.${name}`),
    ...checkNames(value, `.set.${name}`, role, known.schema),
  ]);
  if (names.length > 0) return names;
  const constants = Object.fromEntries(Object.entries(set).filter(([, value]) => !isOfRequest(value)));
  return bodyChecker(known, type)(constants, true).faults.map(
    ({ path, message }): Problem => [`.set.${path.join('.')}`, message],
  );
}

/** Terms of other actions, which are refused until every reader keeps them. */
const NOT_YET: ReadonlySet<string> = new Set(['where', 'fields']);

function checkRule(
  { action, ...terms }: Readonly<Record<string, unknown>>,
  role: string,
  known: Known,
): readonly Problem[] {
  const [uid, name] = typeAndName(String(action));
  const type = known.schema.contentTypes.get(uid);
  if (type?.origin !== 'api' || !WRITING.has(name))
    return [['.action', `only create and update of the project's content types can have rules`]];
  const keys = Object.keys(terms);
  if (keys.length === 0) return [['', 'expected "write" or "set" beside "action"']];
  return keys.flatMap((key): readonly Problem[] => {
    if (NOT_YET.has(key)) return [[`.${key}`, 'rules about what is read are not supported']];
    if (key === 'write') return checkWrite(terms[key], type);
    if (key === 'set') return checkSet(terms[key], type, role, known);
    return [[`.${key}`, `a rule has no "${key}"; it has action, write and set`]];
  });
}

/** The problems of `config/roles`, each with its place. */
export function checkRules(known: Known): readonly string[] {
  const { roles } = known.config;
  return Object.keys(roles ?? {}).flatMap((role) => {
    const permissions = listedPermissions(roles ?? {}, role);
    const free = new Set(permissions.filter((one) => typeof one === 'string'));
    const ruled = permissions.filter((one) => typeof one !== 'string');
    return permissions.flatMap((permission, at) => {
      if (typeof permission === 'string') return [];
      const { action } = permission;
      const twice: readonly Problem[] = free.has(action)
        ? [['.action', `${action} is also listed without a rule, so this one has no effect`]]
        : [];
      const many: readonly Problem[] =
        'set' in permission && ruled.filter((other) => other.action === action).length > 1
          ? [['.set', 'an action with "set" has one rule']]
          : [];
      const problems = [...twice, ...many, ...checkRule(permission, role, known)];
      return problems.map(([place, message]) => `config/roles › ${role}[${at}]${place}: ${message}`);
    });
  });
}
