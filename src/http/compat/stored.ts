/** Where the doors of older clients look up what they need beside the read that answers a request. */
import { seeing } from '../../documents/operations/write-rules.js';
import type { Doc } from '../../pipeline/types.js';
import type { RawObject } from '../../query/ast.js';
import { paramsQuery } from '../../query/query.js';
import type { Caller } from '../../query/read-plan.js';
import { collectionName } from '../../schema/stored/collections.js';
import type { ContentType, Schema, Status } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import { type EntryFilter, type EntryOptions, readEntries } from '../../store/entries/entries.js';
import type { AppDeps } from '../deps.js';

/** Stored entries, as far as the rules of one caller show them. */
export interface Stored {
  readonly schema: Schema;
  /** Whether rules hide entries of a type from the caller; null: of any type. */
  isRuled(uid: string | null): boolean;
  /** The entries of a type in one version that match a filter of the database. */
  entries(
    type: ContentType,
    status: Status,
    filter: EntryFilter,
    options?: EntryOptions,
  ): Promise<readonly Entry[]>;
  /** The `id`, `documentId` and `locale` of entries of a type with rules that match a filter of REST. */
  shown(type: ContentType, status: Status, filters: RawObject): Promise<readonly Doc[]>;
}

/** What looking up stored entries takes. */
export type StoredDeps = Pick<AppDeps, 'store' | 'schema' | 'reader'>;

export function storedFor({ store, schema, reader }: StoredDeps, { grants }: Caller): Stored {
  const whereOf = (uid: string) => grants?.reads?.get(uid)?.where ?? [];
  const shown: Stored['shown'] = async (type, status, filters) => {
    const query = paramsQuery({
      status,
      locale: '*',
      fields: type.localized ? ['id', 'locale'] : ['id'],
      filters,
    });
    const caller = { grants: seeing(type, whereOf(type.uid), grants?.values) };
    // Its plan is for these entries alone.
    return (await reader.list({ type, caller, query: { ...query, key: null } })).data;
  };
  return {
    schema,
    shown,
    isRuled: (uid) =>
      uid === null
        ? [...(grants?.reads?.keys() ?? [])].some((one) => whereOf(one).length > 0)
        : whereOf(uid).length > 0,
    async entries(type, status, filter, options) {
      const found = await readEntries(store.db, collectionName(type, status), filter, options);
      if (whereOf(type.uid).length === 0 || found.length === 0) return found;
      const rows = await shown(type, status, { id: { $in: found.map(({ id }) => Number(id)) } });
      const ids = new Set(rows.map(({ id }) => Number(id)));
      return found.filter(({ id }) => ids.has(Number(id)));
    },
  };
}
