import type { Collection } from 'mongodb';
import type { Store } from './client.js';

/** A role as stored: the attributes of `plugin::users-permissions.role`, with its actions beside them. */
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
}

const roles = (store: Store): Collection<StoredRole> => store.db.collection<StoredRole>('mangrove.roles');

export const listRoles = (store: Store): Promise<StoredRole[]> =>
  roles(store)
    .find({}, { projection: { _id: 0 } })
    .sort({ id: 1 })
    .toArray();

export const insertRole = async (store: Store, role: StoredRole): Promise<void> => {
  await roles(store).insertOne({ ...role });
};

export const updateRole = async (store: Store, id: number, change: Partial<StoredRole>): Promise<boolean> =>
  (await roles(store).updateOne({ id }, { $set: change })).matchedCount === 1;

export const deleteRole = async (store: Store, id: number): Promise<boolean> =>
  (await roles(store).deleteOne({ id })).deletedCount === 1;
