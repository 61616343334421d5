/** Checks rules against the schema, so that none is stored that could not be kept. */
import type { Config, Permission } from '../../config/types.js';
import { bodyChecker } from '../../documents/validate/check-body.js';
import { ApiError } from '../../errors.js';
import { checkedRule, planRule } from '../../query/plan/visible.js';
import type { Condition } from '../../query/read-plan.js';
import { querySettings } from '../../query/settings.js';
import { existingType } from '../../schema/find.js';
import type { Attribute, ContentType, ScalarType, Schema } from '../../schema/types.js';
import { USER_UID } from '../../schema/uids.js';
import { didYouMean } from '../../values/nearest.js';
import { isPlainObject, isTexts } from '../../values/plain-object.js';
import { callerName, NOW } from '../rule-terms.js';
import { callerType, type Problem, setProblems, whereProblems } from './check-values.js';
import { listedPermissions } from './configured-roles.js';

/** What the rules are checked against. */
interface Known {
  readonly schema: Schema;
  readonly config: Config;
}

/** Who has the permissions: accounts by their role, whoever has no credential, or an API token. */
export type Holder = 'accounts' | 'public' | 'token';

/** The rule that is checked. */
interface Place {
  readonly holder: Holder;
  readonly action: string;
}

const typeAndName = (action: string): readonly [uid: string, name: string] => {
  const at = action.lastIndexOf('.');
  return [action.slice(0, at), action.slice(at + 1)];
};

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
function checkNames(value: unknown, place: string, holder: Holder, schema: Schema): readonly Problem[] {
  const name = callerName(value);
  if (name !== null) {
    if (holder === 'token')
      return [
        [place, `an API token has no account and no role, so no ${String(value)}: name the value itself`],
      ];
    const names = callerNames(schema);
    if (!names.includes(name))
      return [[place, `accounts have no attribute "${name}" that a rule may name${hint(name, names)}`]];
    return holder === 'public' && name !== 'role'
      ? [[place, `the public has no account, so no ${name}`]]
      : [];
  }
  if (typeof value === 'string' && value.startsWith('$') && value !== NOW)
    return [[place, `"${value}" is neither $caller.<attribute>, $caller.role nor $now`]];
  if (Array.isArray(value))
    return value.flatMap((item, at) => checkNames(item, `${place}[${at}]`, holder, schema));
  if (!isPlainObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => checkNames(item, `${place}.${key}`, holder, schema));
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

function checkSet(set: unknown, type: ContentType, { holder }: Place, known: Known): readonly Problem[] {
  if (!isPlainObject(set)) return [['.set', 'expected an object of attributes']];
  const names = Object.entries(set).flatMap(([name, value]) => [
    ...checkAttribute(type, name, `.set.${name}`),
    ...checkNames(value, `.set.${name}`, holder, known.schema),
  ]);
  if (names.length > 0) return names;
  return setProblems(bodyChecker(known, type)(set, true), known.schema);
}

const SAMPLES: Readonly<Partial<Record<ScalarType, unknown>>> = {
  boolean: true,
  integer: 1,
  biginteger: 1,
  decimal: 1,
  float: 1,
  time: '00:00:00.000',
  date: new Date(0).toISOString(),
  datetime: new Date(0).toISOString(),
  timestamp: new Date(0).toISOString(),
};

/** A value of the type that a name of the request will have, to try a filter with. */
function sample(value: unknown, schema: Schema): unknown {
  if (value === NOW) return SAMPLES.datetime;
  const name = callerName(value);
  if (name !== null) return SAMPLES[callerType(name, schema)] ?? 'text';
  if (Array.isArray(value)) return value.map((item) => sample(item, schema));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, sample(item, schema)]));
}

/**
 * The condition of a rule for some caller.
 * @throws ApiError 400 for what the schema does not have
 */
export function exampleCondition(where: unknown, type: ContentType, { schema, config }: Known): Condition {
  const filter = sample(where, schema);
  const settings = querySettings(config, 'service');
  return planRule(isPlainObject(filter) ? filter : {}, type, { schema, settings });
}

function checkWhere(
  where: unknown,
  type: ContentType,
  { holder, action }: Place,
  known: Known,
): readonly Problem[] {
  if (!isPlainObject(where) || Object.keys(where).length === 0)
    return [['.where', 'expected a filter that says which entries']];
  const names = checkNames(where, '.where', holder, known.schema);
  if (names.length > 0) return names;
  try {
    const settings = querySettings(known.config, 'service');
    const { checked } = checkedRule(where, type, { schema: known.schema, settings });
    const unfit = whereProblems(checked, known.schema);
    if (unfit.length > 0) return unfit;
    const condition = exampleCondition(where, type, known);
    if (condition.kind === 'never') return [['.where', 'no entry can match this']];
    const elsewhere = stores(action) ? storedElsewhere(condition) : null;
    return elsewhere === null
      ? []
      : [
          [
            '.where',
            `${elsewhere} is stored by the other side of the relation, so what is written cannot be tested by it`,
          ],
        ];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return [['.where', error.message]];
  }
}

/** Whether an action stores an entry that must match too. */
const stores = (action: string): boolean => /\.(create|update)$/.test(action);

/** The first relation of a condition on the entry that another entry stores. */
function storedElsewhere(condition: Condition): string | null {
  if ('of' in condition) return condition.of.map(storedElsewhere).find((name) => name !== null) ?? null;
  if (condition.kind !== 'some') return null;
  const { via, where } = condition;
  if (via.kind === 'component') return storedElsewhere(where);
  return via.attribute.kind === 'relation' && !via.attribute.owner ? via.attribute.name : null;
}

function checkFields(fields: unknown, type: ContentType): readonly Problem[] {
  if (!isTexts(fields)) return [['.fields', 'expected a list of attributes']];
  const names = [...type.attributes.keys()];
  return fields.flatMap((name, at): readonly Problem[] =>
    names.includes(name)
      ? []
      : [[`.fields[${at}]`, `${type.uid} has no attribute "${name}"${hint(name, names)}`]],
  );
}

type CheckTerm = (value: unknown, type: ContentType, place: Place, known: Known) => readonly Problem[];

const READ_TERMS: Readonly<Record<string, CheckTerm>> = { where: checkWhere, fields: checkFields };
const WRITE_TERMS: Readonly<Record<string, CheckTerm>> = {
  where: checkWhere,
  write: checkWrite,
  set: checkSet,
};
const CHANGE_TERMS: Readonly<Record<string, CheckTerm>> = { where: checkWhere };

/** What the rules of an action may say. */
const TERMS: Readonly<Record<string, Readonly<Record<string, CheckTerm>>>> = {
  find: READ_TERMS,
  findOne: READ_TERMS,
  create: WRITE_TERMS,
  update: WRITE_TERMS,
  delete: CHANGE_TERMS,
  publish: CHANGE_TERMS,
  unpublish: CHANGE_TERMS,
  discardDraft: CHANGE_TERMS,
  restore: CHANGE_TERMS,
};

function checkRule(
  { action, ...terms }: Readonly<Record<string, unknown>>,
  holder: Holder,
  known: Known,
): readonly Problem[] {
  const [uid, name] = typeAndName(String(action));
  const type = known.schema.contentTypes.get(uid);
  const checks = Object.hasOwn(TERMS, name) ? TERMS[name] : undefined;
  if (type?.origin !== 'api' || !checks)
    return [['.action', "only the actions of the project's content types can have rules"]];
  const keys = Object.keys(terms);
  const possible = Object.keys(checks)
    .map((term) => `"${term}"`)
    .join(' or ');
  if (keys.length === 0) return [['', `expected ${possible} beside "action"`]];
  return keys.flatMap((key): readonly Problem[] => {
    const check = Object.hasOwn(checks, key) ? checks[key] : undefined;
    return (
      check?.(terms[key], type, { holder, action: String(action) }, known) ?? [
        [`.${key}`, `a rule for ${name} has no "${key}", only ${possible}`],
      ]
    );
  });
}

const termsOfAction = (permissions: readonly Permission[], action: string): string =>
  JSON.stringify(
    permissions.flatMap((one) =>
      typeof one === 'string' || one.action !== action ? [] : [{ ...one, action: '' }],
    ),
  );

/** Rules of reading that differ, so that an entry or attribute hidden in one way could be read in another. */
function checkReads(permissions: readonly Permission[], permission: Permission & object): readonly Problem[] {
  const { action } = permission;
  const [uid, name] = typeAndName(action);
  if (name !== 'find' && name !== 'findOne') return [];
  const other = `${uid}.${name === 'find' ? 'findOne' : 'find'}`;
  const isHeld = permissions.some(
    (one) => one === other || (typeof one !== 'string' && one.action === other),
  );
  const differs = isHeld && termsOfAction(permissions, action) !== termsOfAction(permissions, other);
  const lists = permissions.flatMap((one) =>
    typeof one === 'string' || one.action !== action ? [] : [JSON.stringify(one['fields'] ?? null)],
  );
  return [
    ...(differs ? [['.action', `${action} and ${other} must have the same rules`] as const] : []),
    ...(new Set(lists).size > 1
      ? [['.fields', `the rules of ${action} must name the same fields`] as const]
      : []),
  ];
}

/** A problem of one permission of a list. */
interface PermissionProblem {
  /** The index of the permission. */
  readonly at: number;
  /** Below the permission, such as `.set.author`. */
  readonly place: string;
  readonly message: string;
}

/** The problems of the rules in a list of permissions. */
export function checkPermissions(
  known: Known,
  holder: Holder,
  permissions: readonly Permission[],
): readonly PermissionProblem[] {
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
    const reads = checkReads(permissions, permission);
    const problems = [...twice, ...many, ...reads, ...checkRule(permission, holder, known)];
    return problems.map(([place, message]) => ({ at, place, message }));
  });
}

/** The holder of the permissions of a role. */
export const holderOf = (role: string): Holder => (role === 'public' ? 'public' : 'accounts');

/** The problems of `config/roles`, each with its place. */
export function checkRules(known: Known): readonly string[] {
  const { roles } = known.config;
  return Object.keys(roles ?? {}).flatMap((role) =>
    checkPermissions(known, holderOf(role), listedPermissions(roles ?? {}, role)).map(
      ({ at, place, message }) => `config/roles › ${role}[${at}]${place}: ${message}`,
    ),
  );
}
