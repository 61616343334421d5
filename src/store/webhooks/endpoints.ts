/** Endpoints of webhooks as stored: those that `mangrove webhook add` made, and what became of those in config/webhooks. */
import type { Collection, Db } from 'mongodb';
import { deleteNamed } from '../connection/delete.js';
import { unlessDuplicate } from '../connection/duplicate.js';

/** A secret that signs deliveries; an earlier one until then. */
export interface StoredSecret {
  readonly secret: string;
  readonly until: Date | null;
}

export interface StoredEndpoint {
  /** Its name. */
  readonly _id: string;
  /** As config/webhooks has them; absent if the file does. */
  readonly definition?: Readonly<Record<string, unknown>>;
  readonly secrets?: readonly StoredSecret[];
  /** Absent: it gets deliveries. */
  readonly disabled?: { readonly at: Date; readonly reason: string };
}

const endpoints = (db: Db): Collection<StoredEndpoint> => db.collection<StoredEndpoint>('mangrove.webhooks');

export const storedEndpoints = (db: Db): Promise<StoredEndpoint[]> =>
  endpoints(db).find({}).sort({ _id: 1 }).toArray();

/** False if there is one with this name. What is left of an endpoint that config/webhooks no longer has is replaced. */
export async function insertEndpoint(db: Db, endpoint: StoredEndpoint): Promise<boolean> {
  const isFree = { _id: endpoint._id, definition: { $exists: false } };
  const inserted = await endpoints(db).replaceOne(isFree, endpoint, { upsert: true }).catch(unlessDuplicate);
  return inserted !== undefined;
}

export const removeEndpoint = (db: Db, name: string): Promise<boolean> =>
  deleteNamed(endpoints(db), { _id: name });

/** @param disabled null: it gets deliveries again */
export async function setDisabled(
  db: Db,
  name: string,
  disabled: StoredEndpoint['disabled'] | null,
): Promise<void> {
  if (disabled) await endpoints(db).updateOne({ _id: name }, { $set: { disabled } }, { upsert: true });
  else await endpoints(db).updateOne({ _id: name }, { $unset: { disabled: '' } });
}

export async function setSecrets(db: Db, name: string, secrets: readonly StoredSecret[]): Promise<void> {
  await endpoints(db)
    .updateOne({ _id: name }, { $set: { secrets } }, { upsert: true })
    .catch(unlessDuplicate);
}
