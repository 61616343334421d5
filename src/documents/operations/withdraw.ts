import { collectionName } from '../../schema/stored/collections.js';
import type { Withdrawal } from '../request.js';
import type { operationsOf } from './of-type.js';
import type { WriteRules } from './write-rules.js';

type Operations = Pick<ReturnType<typeof operationsOf>, 'create' | 'update' | 'unpublish'>;

/**
 * The operations with an update that also takes back what is published, in one commit, if that is asked for.
 * @param unpublishRules those of the caller
 */
export function withdrawing(
  operations: Operations,
  withdrawal: Withdrawal | undefined,
  unpublishRules: () => WriteRules | null,
): Operations {
  if (!withdrawal) return operations;
  const rules = unpublishRules();
  return {
    ...operations,
    async update(write, call) {
      const version = await operations.update(write, call);
      if (!version) return null;
      await rules?.checkDocument(call.documentId);
      await operations.unpublish(write, call);
      await rules?.checkSteps(call.documentId, write.changes.steps());
      withdrawal.isDone = true;
      // Its draft may have got another id.
      const entry = write.changes.current(collectionName(write.type, 'draft'), version.entry);
      return { ...version, entry: entry ?? version.entry };
    },
  };
}
