import { type Collection, ObjectId } from 'mongodb';
import { deleteNamed } from '../connection/delete.js';
import { insertNew } from '../connection/insert.js';
import type { Store } from '../connection/store.js';

/** A rule under which a role has an action. */
export interface StoredRule {
  readonly action: string;
  /** JSON: MongoDB keeps no promises about keys such as `$eq`. */
  readonly terms: string;
}

/** A role as stored: the attributes of `plugin::users-permissions.role`, and its actions. */
export interface StoredRole {
  readonly id: number;
  readonly documentId: string;
  readonly locale: null;
  readonly name: string;
  readonly description: string | null;
  readonly type: string;
  /** The actions without rules. */
  readonly grants: readonly string[];
  /** The actions with rules, which are not among `grants`. */
  readonly rules?: readonly StoredRule[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly publishedAt: Date | null;
  /**
   * New with each write, so that a concurrent write through the Document Service conflicts instead of undoing
   * this one.
   */
  readonly _rev?: ObjectId;
}

/** All actions of a role, with and without rules. */
export const heldActions = ({
  grants,
  rules = [],
}: Pick<StoredRole, 'grants' | 'rules'>): readonly string[] => [
  ...new Set([...grants, ...rules.map(({ action }) => action)]),
];

const roles = (store: Store): Collection<StoredRole> => store.db.collection<StoredRole>('mangrove.roles');

/** All roles. A role created as plain content has no grants. */
export const listRoles = async (store: Store): Promise<StoredRole[]> => {
  const rows = await roles(store)
    .find({}, { projection: { _id: 0 } })
    .sort({ id: 1 })
    .toArray();
  return rows.map((row) => ({ ...row, grants: row.grants ?? [] }));
};

export const insertRole = (store: Store, role: StoredRole): Promise<void> => insertNew(roles(store), role);

export const updateRole = async (store: Store, id: number, change: Partial<StoredRole>): Promise<boolean> =>
  (await roles(store).updateOne({ id }, { $set: { ...change, _rev: new ObjectId() } })).matchedCount === 1;

export const deleteRole = (store: Store, id: number): Promise<boolean> => deleteNamed(roles(store), { id });
