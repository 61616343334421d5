import type { ContentType } from '../../schema/types.js';
import { cloneInPlace, createInPlace, deleteInPlace, updateInPlace } from '../in-place/operations.js';
import { cloneDocument } from './clone.js';
import { createDocument } from './create.js';
import { deleteDocument } from './delete.js';
import { updateDocument } from './update.js';

const OWN = { create: createDocument, update: updateDocument, remove: deleteDocument, clone: cloneDocument };
const IN_PLACE = { create: createInPlace, update: updateInPlace, remove: deleteInPlace, clone: cloneInPlace };

/** How documents of a type are written: as Mangrove stores them, or in place in the collection of another program. */
export const operationsOf = ({ storage }: ContentType): typeof OWN => (storage ? IN_PLACE : OWN);
