import { storedTypes } from '../../schema/find.js';
import type { Schema } from '../../schema/types.js';

/** The parts of an export or import, with the names of Strapi's commands. */
export const PARTS = ['content', 'files', 'config'] as const;
export type Part = (typeof PARTS)[number];

/** What to export or import. */
export interface SelectedParts {
  readonly parts: readonly Part[];
  /** Uids of content types; null: all. */
  readonly onlyTypes: readonly string[] | null;
  readonly excludedTypes: readonly string[];
}

export const FULL_SELECTION: SelectedParts = { parts: PARTS, onlyTypes: null, excludedTypes: [] };

const FILE_TYPES = /^plugin::upload\./;

/**
 * Whether entries of this type are included. Files belong both to the content and to a part of their own,
 * since their rows are of little use without bytes.
 */
export const wantsType = ({ parts, onlyTypes, excludedTypes }: SelectedParts, uid: string): boolean => {
  if (FILE_TYPES.test(uid)) return parts.includes('files') || parts.includes('content');
  return parts.includes('content') && !excludedTypes.includes(uid) && (onlyTypes?.includes(uid) ?? true);
};

/** The content types that an import writes or an export reads. */
export const wantedTypes = (schema: Schema, selection: SelectedParts) =>
  storedTypes(schema).filter(({ uid, origin }) => origin !== 'admin' && wantsType(selection, uid));
