import { type Collection, ObjectId } from 'mongodb';
import type { Store } from '../connection/store.js';

/** A role as stored: the attributes of `plugin::users-permissions.role`, and its actions. */
export interface StoredRole {
  readonly id: number;
  readonly documentId: string;
  readonly locale: null;
  readonly name: string;
  readonly description: string | null;
  readonly type: string;
  readonly grants: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly publishedAt: Date | null;
  /**
   * New with each write, so that a concurrent write through the Document Service conflicts instead of undoing
   * this one.
   */
  readonly _rev?: ObjectId;
}

const roles = (store: Store): Collection<StoredRole> => store.db.collection<StoredRole>('mangrove.roles');

/** All roles. A role created as plain content has no grants. */
export const listRoles = async (store: Store): Promise<StoredRole[]> => {
  const rows = await roles(store)
    .find({}, { projection: { _id: 0 } })
    .sort({ id: 1 })
    .toArray();
  return rows.map((row) => ({ ...row, grants: row.grants ?? [] }));
};

export const insertRole = async (store: Store, role: StoredRole): Promise<void> => {
  await roles(store).insertOne({ ...role });
};

export const updateRole = async (store: Store, id: number, change: Partial<StoredRole>): Promise<boolean> =>
  (await roles(store).updateOne({ id }, { $set: { ...change, _rev: new ObjectId() } })).matchedCount === 1;

export const deleteRole = async (store: Store, id: number): Promise<boolean> =>
  (await roles(store).deleteOne({ id })).deletedCount === 1;
