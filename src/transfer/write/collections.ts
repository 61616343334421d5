import { searchClaims } from '../../documents/claims/search-claims.js';
import { collectionsOf } from '../../schema/stored/collections.js';
import type { Schema } from '../../schema/types.js';
import { collectionNames } from '../../store/connection/collections.js';
import { SETTINGS_COLLECTION } from '../../store/connection/settings.js';
import { forgetClaims } from '../../store/entries/claims.js';
import { desiredIndexes } from '../../store/indexes/indexes.js';
import { makeIndexes } from '../../store/indexes/sync.js';
import { addEvents, typesReplaced } from '../../store/outbox/outbox.js';
import { dropCollection, holdsAny, holdsOthers } from '../../store/transfer/import-entries.js';
import { switchCollections } from '../../store/transfer/switch-over.js';
import { type Import, writtenName } from '../run/context.js';
import { type SelectedParts, wantedTypes } from '../source/selection.js';

/** The collections of the selected content types. */
const collectionsIn = (schema: Schema, selection: SelectedParts): readonly string[] => [
  ...new Set(wantedTypes(schema, selection).flatMap(collectionsOf)),
];

/** The collections that already contain content, apart from what the first start creates in every project. */
export async function occupied(
  { store, schema }: Pick<Import, 'store' | 'schema'>,
  selection: SelectedParts,
): Promise<readonly string[]> {
  const names: string[] = [];
  for (const name of collectionsIn(schema, selection))
    if (name !== 'mangrove.roles' && (await holdsAny(store.db, name))) names.push(name);
  return names;
}

/** The collections of other programs that an import would affect. */
export interface Foreign {
  /** Collections with names of the import, which it would replace or add to. */
  readonly same: readonly string[];
  /** Whether it would be the first to create collections of Mangrove in their database. */
  readonly first: boolean;
}

/** What an import finds of other programs in its database. */
export async function foreignIn(
  { store, schema }: Pick<Import, 'store' | 'schema'>,
  selection: SelectedParts,
): Promise<Foreign> {
  const there = (await collectionNames(store.db)).filter((name) => !name.startsWith('system.'));
  const isNew = !there.includes(SETTINGS_COLLECTION);
  const others = there.filter((name) => !name.startsWith('mangrove.'));
  const same: string[] = [];
  for (const name of collectionsIn(schema, selection))
    if (others.includes(name) && (isNew || (await holdsOthers(store.db, name)))) same.push(name);
  return { same, first: isNew && others.length > same.length };
}

/** Creates the collections to write, with the indexes that guarantee unique entries. */
export async function prepareCollections(run: Import): Promise<void> {
  const { store, schema, selection, mode, dryRun } = run;
  if (dryRun) return;
  const names = new Set(collectionsIn(schema, selection));
  if (mode === 'replace') for (const name of names) await dropCollection(store.db, writtenName(run, name));
  await makeIndexes(
    store,
    desiredIndexes(schema)
      .filter(({ collection }) => names.has(collection))
      .map((index) => ({ ...index, collection: writtenName(run, index.collection) })),
  );
}

/** Replaces the previous collections with the written ones, and reports it to readers of changes. Idempotent. */
export async function switchOver(run: Import): Promise<void> {
  const { store, schema, selection, mode, dryRun } = run;
  if (dryRun) return;
  if (mode === 'replace') await replaceCollections(run);
  const uids = wantedTypes(schema, selection).map(({ uid }) => uid);
  await addEvents(store.db, typesReplaced(uids, { by: { kind: 'import' } }), null);
}

async function replaceCollections(run: Import): Promise<void> {
  const { store, schema, selection } = run;
  const names = collectionsIn(schema, selection);
  await switchCollections(
    store.db,
    names.map((name) => ({ from: writtenName(run, name), to: name })),
  );
  // The owners of unique values have changed.
  for (const { uid } of wantedTypes(schema, selection)) await forgetClaims(store.db, uid);
  await searchClaims(store, schema);
}
