import type { Collection, Document, Filter } from 'mongodb';

/**
 * Deletes the document that `filter` names; false if there is none. It is looked for before that is said: FerretDB finds
 * nothing to delete while another client updates the document.
 */
export const deleteNamed = async <T extends Document>(
  collection: Collection<T>,
  filter: Filter<T>,
): Promise<boolean> => {
  for (;;) {
    const { deletedCount } = await collection.deleteOne(filter);
    if (deletedCount === 1) return true;
    if ((await collection.findOne(filter, { projection: { _id: 1 } })) === null) return false;
  }
};
