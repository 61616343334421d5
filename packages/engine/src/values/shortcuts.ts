/**
 * Every way of answering that only saves work, by name. Without any of them the engine scans the collection, decodes every document
 * in full, tests and sorts the documents, and runs a pipeline stage by stage.
 */
export const SHORTCUTS = [
  /** Indexes are used for filters and sorts, not only where a hint or `min` and `max` ask for one. */
  'indexes',
  /** A union of index scans serves `$or`. */
  'indexUnions',
  /** Documents that are skipped, and whose filter the index serves alone, are not read. */
  'entrySkips',
  /** Stages that only count the documents found are a count. */
  'countStages',
  /** Index entries are counted. */
  'countScans',
  /** The stored number of a collection's documents answers a count without a filter. */
  'storedCounts',
  /** Filters are tested on stored bytes. */
  'byteFilters',
  /** Only those fields are decoded that are used. */
  'partialDecoding',
  /** Stored bytes are lent by the storage, not copied. */
  'borrowedBytes',
  /** A sort with a limit keeps only what it may return. */
  'topSorts',
  /** The first stages of a pipeline are a query to the storage. */
  'pushDown',
  /** Windows move before stages that keep the number of documents. */
  'movedWindows',
  /** One query serves a `$lookup` of many documents. */
  'batchedJoins',
  /** Equal values share the result of a `$lookup` by variables. */
  'sharedJoins',
  /** Scans that come again read columns: the values at some paths, gathered from all documents. */
  'columns',
] as const;

export type Shortcut = (typeof SHORTCUTS)[number];

/** Which shortcuts are used, and how often each was. */
export interface Shortcuts {
  readonly on: Readonly<Record<Shortcut, boolean>>;
  readonly uses: Record<Shortcut, number>;
}

const each = <T>(value: T): Record<Shortcut, T> =>
  Object.fromEntries(SHORTCUTS.map((name) => [name, value])) as Record<Shortcut, T>;

/** All shortcuts except those that are switched off. */
export const shortcutsWith = (switches: Partial<Record<Shortcut, boolean>> = {}): Shortcuts => ({
  on: { ...each(true), ...switches },
  uses: each(0),
});

/** For what runs without an engine's settings. */
export const ALL_SHORTCUTS: Shortcuts = shortcutsWith();
export const NO_SHORTCUTS: Readonly<Record<Shortcut, boolean>> = each(false);

/** Whether to take a shortcut, which is counted: the last question, where nothing else rules it out. */
export function use({ on, uses }: Shortcuts, name: Shortcut): boolean {
  if (on[name]) uses[name] += 1;
  return on[name];
}
