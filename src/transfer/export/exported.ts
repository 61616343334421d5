import type { ContentType, Status } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import { memberOf } from '../../values/once-per.js';
import { textOf } from '../../values/plain-object.js';

/** A stored entry and its version. */
export interface Version {
  readonly type: ContentType;
  readonly status: Status;
  readonly entry: Entry;
}

/** An entry that is in the archive. */
export interface ExportedRow {
  readonly id: number;
  readonly locale: string | null;
  readonly status: Status;
}

/** The rows of an archive, by document: what a link can lead to. */
export interface Exported {
  /** False if the archive has this version of the document in this locale. */
  add(version: Version): boolean;
  has(version: Version): boolean;
  rowsOf(uid: string, documentId: string): readonly ExportedRow[];
}

export function exportedRows(): Exported {
  const types = new Map<string, Map<string, readonly ExportedRow[]>>();
  // One text for each locale, however many rows have it.
  const locales = new Map<string, string>();
  const localeOf = ({ locale }: Entry): string | null => {
    const text = textOf(locale);
    return text === null ? null : memberOf(locales, text, () => text);
  };
  const rowsOf = (uid: string, documentId: string): readonly ExportedRow[] =>
    types.get(uid)?.get(documentId) ?? [];
  const has: Exported['has'] = ({ type, status, entry }) => {
    const locale = localeOf(entry);
    return rowsOf(type.uid, String(entry['documentId'])).some(
      (row) => row.status === status && row.locale === locale,
    );
  };
  return {
    has,
    rowsOf,
    add(version) {
      if (has(version)) return false;
      const { type, status, entry } = version;
      const documents = memberOf(types, type.uid, () => new Map<string, readonly ExportedRow[]>());
      const documentId = String(entry['documentId']);
      const row = { id: Number(entry['id']), locale: localeOf(entry), status };
      // A list of its own length: one that grows has room for 17.
      documents.set(documentId, (documents.get(documentId) ?? []).concat(row));
      return true;
    },
  };
}
