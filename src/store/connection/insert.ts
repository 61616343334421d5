import { type Collection, ObjectId, type OptionalUnlessRequiredId } from 'mongodb';
import { isDuplicateKey, unlessDuplicate } from './duplicate.js';
import { anyFilter } from './filter.js';

/**
 * Inserts a document of its own `_id`. A duplicate key is thrown unless what is stored is this document: the driver sends an
 * insertion again whose response was lost, and SecantusDB may refuse it as a second one while the first is under way.
 */
export const insertNew = async <T extends object>(
  collection: Collection<T>,
  document: OptionalUnlessRequiredId<T>,
): Promise<void> => {
  const _id = new ObjectId();
  try {
    await collection.insertOne({ ...document, _id });
  } catch (error) {
    if (!isDuplicateKey(error) || !(await collection.findOne(anyFilter({ _id })))) throw error;
  }
};

/** Inserts a document whose `_id` others may have taken; false if they have. */
export const insertedFirst = <T extends object>(
  collection: Collection<T>,
  document: OptionalUnlessRequiredId<T>,
): Promise<boolean> => isInserted(collection.insertOne(document));

/** Whether an insertion succeeds; false if another document has a unique key of it. */
export const isInserted = (insertion: Promise<unknown>): Promise<boolean> =>
  insertion.then(
    () => true,
    (error: unknown) => {
      unlessDuplicate(error);
      return false;
    },
  );
