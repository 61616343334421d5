import { createHash } from 'node:crypto';
import { type Access, heldActions, type RoleEntry } from '../access/index.js';
import { PERMISSION_UID } from '../schema/uids.js';
import { isPlainObject, objectAt } from '../values/plain-object.js';
import type { Callable, Values } from './types.js';
import { refuse, withRefused } from './unsupported.js';

type Role = RoleEntry['role'];

/** A grant as the row that it is in Strapi. */
interface Row {
  readonly id: number;
  readonly documentId: string;
  readonly action: string;
  readonly role: Role;
}

/** Grants have no ids here: theirs are made of the role and the action. */
function rowOf(role: Role, action: string): Row {
  const hash = createHash('sha256').update(`${role.id} ${action}`).digest();
  return { id: hash.readUIntBE(0, 6), documentId: hash.toString('hex', 6, 18), action, role };
}

const rowsOf = ({ role }: RoleEntry): readonly Row[] =>
  heldActions(role).map((action) => rowOf(role, action));

/** A role as code sees it. */
export const shownRole = ({ grants: _, rules: __, _rev, ...role }: Role): Values => role;

/** Whether a value is what `where` asks for: a value, a list of them, `$eq`, `$ne`, `$in` or `$notIn`. */
export function fitsCondition(value: unknown, asked: unknown): boolean {
  if (Array.isArray(asked)) return asked.some((one) => fitsCondition(value, one));
  if (!isPlainObject(asked)) return String(value) === String(asked);
  return Object.entries(asked).every(([operator, operand]) => {
    if (operator === '$eq' || operator === '$in') return fitsCondition(value, operand);
    if (operator === '$ne' || operator === '$notIn') return !fitsCondition(value, operand);
    return refuse(`db.query of a type that is not content with ${operator}`);
  });
}

const isOperators = (value: object): boolean => Object.keys(value).some((key) => key.startsWith('$'));

const isAsked = (row: Row, where: unknown): boolean =>
  Object.entries(objectAt(where)).every(([name, asked]) => {
    if (name === 'id' || name === 'documentId' || name === 'action') return fitsCondition(row[name], asked);
    if (name !== 'role') return refuse(`db.query('${PERMISSION_UID}') with where.${name}`);
    if (!isPlainObject(asked) || isOperators(asked)) return fitsCondition(row.role.id, asked);
    return Object.entries(asked).every(([key, value]) => fitsCondition(shownRole(row.role)[key], value));
  });

const populates = (populate: unknown, name: string): boolean =>
  populate === true ||
  populate === '*' ||
  populate === name ||
  (Array.isArray(populate) && populate.includes(name)) ||
  (isPlainObject(populate) && populate[name] !== undefined && populate[name] !== false);

/** `strapi.db.query('plugin::users-permissions.permission')`: the grants of the roles, one row each. */
export function computedPermissions(access: Access): Values {
  const find = async (params: unknown = {}): Promise<readonly Row[]> => {
    const { where, offset = 0, limit } = objectAt(params);
    const rows = (await access.roles.all()).flatMap(rowsOf).filter((row) => isAsked(row, where));
    const end = limit === undefined ? undefined : Number(offset) + Number(limit);
    return rows.slice(Number(offset), end);
  };
  const shown = ({ role, ...row }: Row, { populate }: Values): Values =>
    populates(populate, 'role') ? { ...row, role: shownRole(role) } : row;
  const roleOf = async (given: unknown): Promise<Role> => {
    const id = isPlainObject(given) ? (given['id'] ?? given['set'] ?? given['connect']) : given;
    const found = (await access.roles.all()).find(({ role }) => fitsCondition(role.id, id));
    return found?.role ?? refuse(`db.query('${PERMISSION_UID}').create without a role`);
  };
  const grant = async (role: Role, grants: readonly string[]) => access.roles.change(role, { grants });
  const create = async (params: Values): Promise<Values> => {
    const { action, role: given } = objectAt(params['data']);
    const role = await roleOf(given);
    const held = heldActions(role);
    if (!held.includes(String(action))) await grant(role, [...held, String(action)]);
    return shown(rowOf(role, String(action)), params);
  };
  const remove = async (rows: readonly Row[]): Promise<void> => {
    for (const row of rows) {
      const role = await roleOf(row.role.id);
      await grant(
        role,
        heldActions(role).filter((action) => action !== row.action),
      );
    }
  };
  /** What is no action and no role, as `enabled` of earlier versions, changes nothing, as in Strapi 5. */
  const update = async (row: Row, data: unknown): Promise<Row> => {
    const { action = row.action, role: given = row.role.id } = objectAt(data);
    const changed = rowOf(await roleOf(given), String(action));
    if (changed.id === row.id) return row;
    await remove([row]);
    await create({ data: { action, role: changed.role.id } });
    return changed;
  };
  return withRefused<Values>(
    `db.query('${PERMISSION_UID}')`,
    {
      findMany: async (params: Values = {}) => (await find(params)).map((row) => shown(row, params)),
      findOne: async (params: Values = {}) => {
        const [row] = await find(params);
        return row ? shown(row, params) : null;
      },
      count: async (params: Values = {}) => (await find(params)).length,
      create,
      createMany: async (params: Values) => {
        const list: unknown = params['data'];
        const made = [];
        for (const data of Array.isArray(list) ? list : []) made.push(await create({ data }));
        return { count: made.length, ids: made.map(({ id }) => id) };
      },
      update: async (params: Values) => {
        const [row] = await find(params);
        return row ? shown(await update(row, params['data']), params) : null;
      },
      updateMany: async (params: Values) => {
        const rows = await find(params);
        for (const row of rows) await update(row, params['data']);
        return { count: rows.length };
      },
      delete: async (params: Values) => {
        const [row] = await find(params);
        if (row) await remove([row]);
        return row ? shown(row, params) : null;
      },
      deleteMany: async (params: Values = {}) => {
        const rows = await find(params);
        await remove(rows);
        return { count: rows.length };
      },
    },
    'all',
  );
}

/** What else is populated; undefined if nothing is. */
function withoutPermissions(populate: unknown): unknown {
  if (populate === 'permissions') return undefined;
  if (Array.isArray(populate)) {
    const others = populate.filter((name) => name !== 'permissions');
    return others.length > 0 ? others : undefined;
  }
  if (!isPlainObject(populate)) return populate;
  const { permissions: _, ...others } = populate;
  return Object.keys(others).length > 0 ? others : undefined;
}

/** The reads of roles, which may populate their permissions. */
export function withPermissions(access: Access, query: Values): Values {
  const populating =
    (read: unknown) =>
    async (params: Values = {}): Promise<unknown> => {
      const call = read as Callable;
      const { populate } = params;
      if (!populates(populate, 'permissions')) return call(params);
      const found = await call({ ...params, populate: withoutPermissions(populate) });
      const entries = await access.roles.all();
      const filled = (row: unknown): unknown => {
        const entry = isPlainObject(row) && entries.find(({ role }) => role.id === row['id']);
        return entry ? { ...row, permissions: rowsOf(entry).map(({ role: _, ...one }) => one) } : row;
      };
      return Array.isArray(found) ? found.map(filled) : filled(found);
    };
  return {
    ...query,
    findOne: populating(query['findOne']),
    findMany: populating(query['findMany']),
  };
}
