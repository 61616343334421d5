import { missingTargets, targetNotFound } from '../../documents/resolve/targets.js';
import { INVALID_RELATIONS } from '../../documents/validate/check.js';
import { fieldName } from '../../documents/validate/field-errors.js';
import { type FieldError, fieldError } from '../../errors.js';
import { ROLE_UID } from '../../schema/uids.js';
import type { StoredRole } from '../../store/access/roles.js';
import { isObject } from '../../values/plain-object.js';
import { type AuthBody, faultAt, wrongType } from '../body.js';
import type { AccessDeps } from '../deps.js';

type Named = { readonly id: unknown } | { readonly documentId: string };

const isId = (value: unknown): boolean =>
  typeof value === 'string' || (typeof value === 'number' && Number.isInteger(value) && value >= 0);

const mismatch = (path: readonly string[], type: string, value: unknown): FieldError[] => [
  fieldError(path, wrongType(fieldName(path), type, value), value),
];

/** An entry of `connect` or `disconnect` must name a role by one of its ids. */
const entryFaults = (path: readonly string[], entry: unknown): FieldError[] => {
  if (!isObject(entry)) return mismatch(path, 'object', entry);
  const { id, documentId } = entry;
  const odd = Object.entries({ id, documentId }).flatMap(([key, value]) =>
    value === undefined || isId(value) ? [] : mismatch([...path, key], 'strapiID', value),
  );
  if (odd.length > 0) return odd;
  const names = (id ?? documentId ?? null) !== null;
  return names ? [] : [fieldError(path, 'Relation entry must include an id or documentId', entry)];
};

const listFaults = (name: string, list: unknown): FieldError[] => {
  const path = ['role', name];
  if (list === undefined) return [];
  if (!Array.isArray(list)) return mismatch(path, 'array', list);
  return list.flatMap((entry: unknown, i) => entryFaults([...path, String(i)], entry));
};

/** Errors in the form of `role`: required in the body of a new account, optional in a change. */
export const roleFaults = (given: AuthBody, isNew: boolean): readonly FieldError[] => {
  const role = given['role'];
  if (role === undefined) return isNew ? [faultAt(given, 'role', 'role is a required field')] : [];
  if (typeof role !== 'object') return isId(role) ? [] : mismatch(['role'], 'strapiID', role);
  if (!isObject(role)) return mismatch(['role'], 'object', role);
  const { connect, disconnect } = role;
  const connected = listFaults('connect', connect);
  if (isNew) {
    if (connect === undefined)
      return [fieldError(['role', 'connect'], 'role.connect is a required field', connect)];
    const none = Array.isArray(connect) && connect.length === 0;
    return none ? [fieldError(['role', 'connect'], 'Users must have a role', connect)] : connected;
  }
  const removes = Array.isArray(disconnect) && disconnect.length > 0;
  const keeps = Array.isArray(connect) && connect.length > 0;
  return [
    ...connected,
    ...listFaults('disconnect', disconnect),
    ...(removes && !keeps ? [fieldError(['role', 'disconnect'], 'Cannot remove role', disconnect)] : []),
  ];
};

const namedBy = (item: unknown): Named | null => {
  if (isObject(item)) {
    const { id, documentId } = item;
    return typeof documentId === 'string' ? { documentId } : { id };
  }
  if (typeof item === 'string' && !/^\d+$/.test(item)) return item === '' ? null : { documentId: item };
  return { id: item };
};

/** The item that `role` names; undefined if it leaves the role unchanged, null if it removes it. */
const itemOf = (role: unknown): unknown => {
  if (!isObject(role)) return role;
  const { connect, set, id, documentId } = role;
  if (Array.isArray(connect) && connect.length > 0) return connect[0];
  if (set !== undefined) return Array.isArray(set) ? (set[0] ?? null) : null;
  return id === undefined && documentId === undefined ? undefined : role;
};

interface AssignedRole {
  /** Undefined: unchanged; null: none. */
  readonly role: StoredRole | null | undefined;
  readonly faults: readonly FieldError[];
}

const refused = (why: FieldError): AssignedRole => ({ role: undefined, faults: [why] });

/**
 * The role that a body names, resolved like any relation. Throws `Document with id "…", locale "null" not
 * found` for an unknown documentId; an unknown numeric id is reported along with the errors of other
 * attributes.
 */
export const assignedRole = async ({ authCache }: AccessDeps, given: unknown): Promise<AssignedRole> => {
  const item = itemOf(given);
  if (item === undefined || item === null) return { role: item, faults: [] };
  const named = namedBy(item);
  if (named === null) return refused(INVALID_RELATIONS);
  const roles = (await authCache.roles()).map(({ role }) => role);
  if ('documentId' in named) {
    const role = roles.find(({ documentId }) => documentId === named.documentId);
    if (role) return { role, faults: [] };
    throw targetNotFound(named.documentId, null);
  }
  const role = roles.find(({ id }) => String(id) === String(named.id));
  if (role) return { role, faults: [] };
  return refused(missingTargets(ROLE_UID, 1));
};
