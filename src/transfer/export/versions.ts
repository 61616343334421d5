import { collectionName } from '../../schema/stored/collections.js';
import type { ContentType, Status } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import { eachEntry, headsOf, storedEntries } from '../../store/transfer/import-entries.js';
import { inLists } from '../../values/group.js';
import { wantedTypes } from '../source/selection.js';
import type { Export } from './context.js';
import type { Version } from './exported.js';

const BATCH = 200;

/** Every stored entry of the selected types, by version, each once: one that gets another `id` meanwhile is read twice. */
export async function* versionsOf(run: Export): AsyncGenerator<Version> {
  for (const type of wantedTypes(run.schema, run.selection))
    for await (const version of type.draftAndPublish ? bothVersions(run, type) : rows(run, type, 'published'))
      if (run.exported.add(version)) yield version;
}

async function* rows({ store }: Export, type: ContentType, status: Status): AsyncGenerator<Version> {
  for await (const entry of eachEntry<Entry>(store.db, collectionName(type, status)))
    yield { type, status, entry };
}

/**
 * Drafts, then published entries, as in Strapi's archives. Published entries are read first: their drafts, which
 * are read later, are as new as they are, or changed since. Behind what is published, a draft would take it back
 * when it is published.
 */
async function* bothVersions(run: Export, type: ContentType): AsyncGenerator<Version> {
  const published = run.spools.open<Entry>();
  for await (const { entry } of rows(run, type, 'published')) await published.put(entry);
  yield* rows(run, type, 'draft');
  for await (const entries of inLists(published.all(), BATCH)) yield* withDrafts(run, type, entries);
}

/**
 * Published entries whose drafts are in the archive. The others were deleted meanwhile, unless it turns out that
 * they are still there, with a draft or without.
 */
async function* withDrafts(
  { store, exported }: Export,
  type: ContentType,
  entries: readonly Entry[],
): AsyncGenerator<Version> {
  const hasDraft = (entry: Entry): boolean => exported.has({ type, status: 'draft', entry });
  const alone = entries.filter((entry) => !hasDraft(entry));
  const stillThere = new Set<string>();
  if (alone.length > 0) {
    const documentIds = [...new Set(alone.map(({ documentId }) => String(documentId)))];
    // In this order: of a document that is deleted between the two, nothing is found.
    const drafts = await storedEntries(store.db, collectionName(type, 'draft'), documentIds);
    const heads = await headsOf(store.db, collectionName(type, 'published'), documentIds);
    for (const head of heads) stillThere.add(keyOf(head));
    const wanted = new Set(alone.map(keyOf));
    for (const entry of drafts) if (wanted.has(keyOf(entry))) yield { type, status: 'draft', entry };
  }
  for (const entry of entries)
    if (hasDraft(entry) || stillThere.has(keyOf(entry))) yield { type, status: 'published', entry };
}

const keyOf = ({
  documentId,
  locale,
}: {
  readonly documentId?: unknown;
  readonly locale?: unknown;
}): string => `${String(documentId)} ${String(locale ?? '')}`;
