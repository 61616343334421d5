import { FULL_ACCESS } from '../documents/read/script-request.js';
import { createDocuments } from '../documents/service.js';
import { invalidKeys } from '../documents/validate/input-keys.js';
import { ApiError } from '../errors.js';
import type { ContentType } from '../schema/types.js';
import { derivedId } from '../transfer/source/derived-id.js';
import { groupBy } from '../values/group.js';
import { memberOf } from '../values/once-per.js';
import { SeedError } from './error.js';
import { keyAttributeOf } from './find-type.js';
import { createLibrary } from './library.js';
import { visitLinks } from './links.js';
import { createNames, namesIn } from './names.js';
import type { RowProgress } from './progress.js';
import { createReferences, WOULD_BE } from './references.js';
import { rowErrors } from './row-errors.js';
import { isInOtherLocale, type SeedOptions, type SeedParts, type SeedReport, type SeedRow } from './types.js';

/** Maximum number of documents per transaction. */
const BATCH = 500;
/** Maximum number of concurrent transactions. */
const AT_ONCE = 4;

/** `isStored`: the row itself was stored, and only its references to other documents could not be. */
export type Refuse = (place: string, error: unknown, isStored: boolean) => void;

/** Writes rows in batches; references to documents that do not exist yet are written at the end. */
export interface Writing {
  /** @param others the versions of the document in other locales */
  add(row: SeedRow, others: readonly SeedRow[], progress: RowProgress): Promise<void>;
  /** Waits until all rows so far are written. */
  flush(): Promise<void>;
  /** Waits for running transactions, whether or not they succeed. */
  settled(): Promise<void>;
  /** Writes the rows and references that had to wait. */
  finish(): Promise<void>;
  /** Adds work to be done at the end of `finish`. */
  whenFinished(work: () => Promise<void>): void;
  report(): Pick<SeedReport, 'types' | 'files'>;
}

/** A row to be written. */
interface Item {
  readonly row: SeedRow;
  readonly others: readonly SeedRow[];
  readonly progress: RowProgress;
  /** False if it completes a row that has already been counted. */
  readonly counts: boolean;
}

const NO_PROGRESS: RowProgress = { stored: () => undefined, later: () => undefined };

export function openWriting(parts: SeedParts, options: SeedOptions, refuse: Refuse): Writing {
  const { schema, config, store } = parts;
  const dryRun = options.dryRun ?? false;
  const documents = dryRun ? createDocuments({ ...parts, dryRun: {} }) : Promise.resolve(parts.documents);
  const names = createNames(namesIn(store));
  const library = createLibrary(parts, dryRun);
  const references = createReferences(schema, names, options);
  const counted: Record<string, { created: number; updated: number }> = {};
  const buffers = new Map<ContentType, Item[]>();
  const underWay = new Set<Promise<void>>();
  const seen = new Map<string, string>();
  const later: Item[] = [];
  const endings: (() => Promise<void>)[] = [];
  const keyNames = new Map<ContentType, string | null>();
  let broken: { readonly error: unknown } | null = null;

  const keyNameOf = (type: ContentType): string | null =>
    memberOf(keyNames, type, () => keyAttributeOf(type, options.keys));

  /** The attribute and value that identify the document of a row. */
  const identityOf = ({ type, data, documentId, place }: SeedRow): readonly [string, string] => {
    if (documentId !== null) return ['documentId', documentId];
    const key = keyNameOf(type);
    const value = key === null ? undefined : data[key];
    if (key !== null && value !== undefined && value !== null) return [key, String(value)];
    return ['documentId', derivedId(type.uid, place.replace(/^.*\//, ''))];
  };

  const isOther = (row: SeedRow): boolean => isInOtherLocale(row, config);

  const filesOf = async (row: SeedRow): Promise<ReadonlyMap<unknown, string>> => {
    const wanted = new Set<unknown>();
    visitLinks(schema, row, (link, item) => {
      if (link.kind === 'media') wanted.add(item);
    });
    const files = new Map<unknown, string>();
    for (const item of wanted) {
      const file = await library.take(item, row.folder);
      if (file !== null) files.set(item, dryRun ? WOULD_BE : file);
    }
    return files;
  };

  interface Call {
    readonly item: Item;
    readonly isNew: boolean;
    /** Attributes with references to documents that do not exist yet. */
    readonly waiting: readonly string[];
    readonly params: {
      readonly data: object;
      readonly documentId?: string;
      readonly [name: string]: unknown;
    };
  }

  /** Null if the row waits: only at the end is it known which of its references are wrong, besides its keys. */
  const callOf = async (item: Item, last: boolean): Promise<Call | null> => {
    const { row } = item;
    const { type, locale } = row;
    const linked = references.link(row, await filesOf(row));
    const { data, missing } = linked;
    const isWrong = invalidKeys(data, type, schema, FULL_ACCESS).length > 0;
    if (isWrong && missing.size > 0 && !last) {
      item.progress.later();
      later.push({ ...item, progress: NO_PROGRESS });
      return null;
    }
    if (isWrong || (last && missing.size > 0))
      throw new SeedError(rowErrors(parts, row, linked, !item.counts || isOther(row)).join('; '));
    const [by, text] = identityOf(row);
    const there = type.kind === 'singleType' ? undefined : names.find(type, by, text);
    const documentId = there ?? (by === 'documentId' && type.kind === 'collectionType' ? text : undefined);
    const isNew = there === undefined;
    return {
      item,
      isNew,
      waiting: [...missing.keys()],
      params: {
        data: isNew && documentId !== undefined ? { ...data, documentId } : data,
        ...(there !== undefined && there !== WOULD_BE && { documentId: there }),
        ...(locale !== null && { locale }),
        ...(row.publish && missing.size === 0 && { status: 'published' }),
      },
    };
  };

  const written = ({ item, isNew, waiting }: Call, documentId: string): void => {
    const { row, others, progress, counts } = item;
    const id = dryRun ? WOULD_BE : documentId;
    names.note(row.type, id, row.data);
    const count = counted[row.type.uid] ?? { created: 0, updated: 0 };
    counted[row.type.uid] = count;
    if (counts) count[isNew ? 'created' : 'updated'] += 1;
    const known = dryRun ? row.documentId : documentId;
    if (waiting.length > 0) {
      const data = Object.fromEntries(waiting.map((name) => [name, row.data[name]]));
      later.push({
        row: { ...row, data, documentId: known },
        others: [],
        progress: NO_PROGRESS,
        counts: false,
      });
    }
    for (const other of others)
      later.push({ row: { ...other, documentId: known }, others: [], progress: NO_PROGRESS, counts: true });
    if (waiting.length + others.length > 0) progress.later();
    else progress.stored();
  };

  const failed = ({ row, progress, counts }: Item, error: unknown): void => {
    refuse(row.place, error, !counts);
    progress.stored();
  };

  /** Writes all in one transaction; if that is refused, one by one, so that only the invalid rows fail. */
  const send = async (type: ContentType, calls: readonly Call[]): Promise<void> => {
    const service = await documents;
    if (calls.length > 1 && service.isWrapped(type.uid)) {
      for (const call of calls) await send(type, [call]);
      return;
    }
    try {
      const ids = await service.together(
        type.uid,
        calls.map(({ params }) => params),
      );
      for (const [at, call] of calls.entries()) written(call, ids[at] ?? '');
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (calls.length > 1) for (const call of calls) await send(type, [call]);
      else for (const { item } of calls) failed(item, error);
    }
  };

  const write = async (type: ContentType, items: readonly Item[], last: boolean): Promise<void> => {
    const calls: Call[] = [];
    const able: Item[] = [];
    for (const item of items)
      try {
        await references.prepare([item.row]);
        able.push(item);
      } catch (error) {
        failed(item, error);
      }
    for (const item of able)
      try {
        const call = await callOf(item, last);
        // A dry run has no document whose references could be completed.
        if (call && (item.counts || !dryRun)) calls.push(call);
      } catch (error) {
        failed(item, error);
      }
    if (calls.length > 0) await send(type, calls);
  };

  const begin = async (type: ContentType, items: readonly Item[], last: boolean): Promise<void> => {
    while (underWay.size >= AT_ONCE) await Promise.race(underWay);
    if (broken) throw broken.error;
    const work: Promise<void> = write(type, items, last)
      .catch((error: unknown) => {
        broken ??= { error };
      })
      .finally(() => underWay.delete(work));
    underWay.add(work);
  };

  const settled = async (): Promise<void> => void (await Promise.all(underWay));
  const settle = async (): Promise<void> => {
    await settled();
    if (broken) throw broken.error;
  };

  const flush = async (): Promise<void> => {
    for (const [type, items] of buffers) if (items.length > 0) await begin(type, items, false);
    buffers.clear();
    await settle();
  };

  /** Groups the rows that waited into rounds in which each document occurs once. */
  const rounds = (): Item[][] => {
    const all: Item[][] = [];
    const times = new Map<string, number>();
    for (const item of later) {
      const id = [item.row.type.uid, ...identityOf(item.row)].join('\0');
      const round = times.get(id) ?? 0;
      times.set(id, round + 1);
      const items = all[round] ?? [];
      all[round] = items;
      items.push(item);
    }
    return all;
  };

  const writeRound = async (items: readonly Item[]): Promise<void> => {
    for (const [type, own] of groupBy(items, ({ row }) => row.type))
      for (let at = 0; at < own.length; at += BATCH) await begin(type, own.slice(at, at + BATCH), true);
    await settle();
  };

  return {
    async add(row, others, progress) {
      const { type, locale, place } = row;
      const [by, text] = identityOf(row);
      await names.load(type, by);
      if (type.kind === 'collectionType') {
        const id = [type.uid, by, text, locale ?? ''].join('\0');
        const before = seen.get(id);
        if (before !== undefined) throw new SeedError(`${by} "${text}" is also that of ${before}`);
        seen.set(id, place);
      }
      const item: Item = { row, others, progress, counts: true };
      // A version in another locale requires the document.
      if (isOther(row)) {
        later.push(item);
        return progress.later();
      }
      const buffer = memberOf(buffers, type, () => []);
      buffer.push(item);
      if (buffer.length < BATCH) return;
      buffers.delete(type);
      await begin(type, buffer, false);
    },
    flush,
    settled,
    async finish() {
      await flush();
      for (const items of rounds()) await writeRound(items);
      for (const work of endings) await work();
    },
    whenFinished: (work) => {
      endings.push(work);
    },
    report: () => ({ types: counted, files: library.stored() }),
  };
}
