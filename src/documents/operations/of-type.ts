import type { ContentType } from '../../schema/types.js';
import {
  cloneInPlace,
  createInPlace,
  deleteInPlace,
  discardInPlace,
  publishInPlace,
  unpublishInPlace,
  updateInPlace,
} from '../in-place/operations.js';
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

const adopted: typeof standard = {
  create: createInPlace,
  update: updateInPlace,
  remove: deleteInPlace,
  clone: cloneInPlace,
  publish: publishInPlace,
  unpublish: unpublishInPlace,
  discardDraft: discardInPlace,
};

/** The operations of a type: on entries as Mangrove stores them, or on documents of an adopted collection. */
export const operationsOf = ({ storage }: ContentType): typeof standard => (storage ? adopted : standard);
