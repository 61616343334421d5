import type { ContentType } from '../../schema/types.js';
import {
  cloneDrafted,
  createDrafted,
  deleteDrafted,
  discardDrafted,
  publishDrafted,
  unpublishDrafted,
  updateDrafted,
} from '../in-place/drafts.js';
import { cloneInPlace, createInPlace, deleteInPlace, updateInPlace } from '../in-place/operations.js';
import { cloneDocument } from './clone.js';
import { deleteDocument } from './delete.js';
import { createDocument, updateDocument } from './save.js';
import { discardDraft, publishDocument, unpublishDocument } from './version-changes.js';

const standard = {
  create: createDocument,
  update: updateDocument,
  remove: deleteDocument,
  clone: cloneDocument,
  publish: publishDocument,
  unpublish: unpublishDocument,
  discardDraft,
};

const adoptedWithDrafts: typeof standard = {
  create: createDrafted,
  update: updateDrafted,
  remove: deleteDrafted,
  clone: cloneDrafted,
  publish: publishDrafted,
  unpublish: unpublishDrafted,
  discardDraft: discardDrafted,
};

const adopted: typeof standard = {
  ...adoptedWithDrafts,
  create: createInPlace,
  update: updateInPlace,
  remove: deleteInPlace,
  clone: cloneInPlace,
};

/** The operations of a type: on entries as Mangrove stores them, or in place in an adopted collection. */
export function operationsOf({ storage }: ContentType): typeof standard {
  if (!storage) return standard;
  return storage.drafts ? adoptedWithDrafts : adopted;
}
