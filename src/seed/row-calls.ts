import { FULL_ACCESS } from '../documents/read/script-request.js';
import { invalidKeys } from '../documents/validate/input-keys.js';
import type { ContentType } from '../schema/types.js';
import { derivedId } from '../transfer/source/derived-id.js';
import { memberOf } from '../values/once-per.js';
import { SeedError } from './error.js';
import { keyAttributeOf } from './find-type.js';
import type { Library } from './library.js';
import { visitLinks } from './links.js';
import type { NamedDocuments } from './names.js';
import type { RowProgress } from './progress.js';
import { type References, WOULD_BE } from './references.js';
import { rowErrors } from './row-errors.js';
import { isInOtherLocale, type SeedOptions, type SeedParts, type SeedRow } from './types.js';

/** A row to be written. */
export interface Item {
  readonly row: SeedRow;
  /** The versions of the document in other locales. */
  readonly others: readonly SeedRow[];
  readonly progress: RowProgress;
  /** False if it completes a row that has already been counted. */
  readonly counts: boolean;
}

/** The call that writes a row. */
export interface RowCall {
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

interface Known {
  readonly names: NamedDocuments;
  readonly library: Library;
  readonly references: References;
}

/** Makes the calls of the Document Service that write rows. */
export class RowCalls {
  private readonly keyNames = new Map<ContentType, string | null>();

  constructor(
    private readonly parts: SeedParts,
    private readonly options: SeedOptions,
    private readonly known: Known,
  ) {}

  /** The attribute and value that identify the document of a row. */
  identityOf({ type, data, documentId, place }: SeedRow): readonly [string, string] {
    if (documentId !== null) return ['documentId', documentId];
    const key = memberOf(this.keyNames, type, () => keyAttributeOf(type, this.options.keys));
    const value = key === null ? undefined : data[key];
    if (key !== null && value !== undefined && value !== null) return [key, String(value)];
    return ['documentId', derivedId(type.uid, place.replace(/^.*\//, ''))];
  }

  /**
   * Null if the row waits: only at the end is it known which of its references are wrong, besides its keys.
   * @throws SeedError for a row that is wrong
   */
  async callOf(item: Item, last: boolean): Promise<RowCall | null> {
    const { row } = item;
    const { type, locale } = row;
    const { schema, config } = this.parts;
    const { names, references } = this.known;
    const linked = references.link(row, await this.filesOf(row));
    const { data, missing } = linked;
    const isWrong = invalidKeys(data, type, schema, FULL_ACCESS).length > 0;
    if (isWrong && missing.size > 0 && !last) return null;
    if (isWrong || (last && missing.size > 0)) {
      const completes = !item.counts || isInOtherLocale(row, config);
      throw new SeedError(rowErrors(this.parts, row, linked, completes).join('; '));
    }
    const [by, text] = this.identityOf(row);
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
  }

  private async filesOf(row: SeedRow): Promise<ReadonlyMap<unknown, string>> {
    const wanted = new Set<unknown>();
    visitLinks(this.parts.schema, row, (link, item) => {
      if (link.kind === 'media') wanted.add(item);
    });
    const files = new Map<unknown, string>();
    for (const item of wanted) {
      const file = await this.known.library.take(item, row.folder);
      if (file !== null) files.set(item, this.options.dryRun ? WOULD_BE : file);
    }
    return files;
  }
}
