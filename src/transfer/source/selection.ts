import { storedTypes } from '../../schema/find.js';
import type { Schema } from '../../schema/types.js';

/** The parts of an export or import, as Strapi's commands name them (rules K.1). */
export const PARTS = ['content', 'files', 'config'] as const;
export type Part = (typeof PARTS)[number];

/** What is to come along. */
export interface Selection {
  readonly parts: readonly Part[];
  /** Content types by uid; null: all. */
  readonly onlyTypes: readonly string[] | null;
  readonly excludedTypes: readonly string[];
}

export const FULL_SELECTION: Selection = { parts: PARTS, onlyTypes: null, excludedTypes: [] };

const FILE_TYPES = /^plugin::upload\./;

/** Whether entries of this type come along. Files are content and a part of their own: rows without bytes are of little use. */
export const wantsType = ({ parts, onlyTypes, excludedTypes }: Selection, uid: string): boolean => {
  if (FILE_TYPES.test(uid)) return parts.includes('files') || parts.includes('content');
  return parts.includes('content') && !excludedTypes.includes(uid) && (onlyTypes?.includes(uid) ?? true);
};

/** The content types that an import writes or an export reads. */
export const wantedTypes = (schema: Schema, selection: Selection) =>
  storedTypes(schema).filter(({ uid, origin }) => origin !== 'admin' && wantsType(selection, uid));
