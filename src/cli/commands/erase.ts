import { errors } from '../../errors.js';
import { collectionName, statusesOf } from '../../schema/stored/collections.js';
import type { ContentType } from '../../schema/types.js';
import { eraseAnswers } from '../../store/entries/idempotency-keys.js';
import { countVersions, eraseVersions } from '../../store/history/list.js';
import { eraseDeliveries } from '../../store/webhooks/deliveries.js';
import { plural } from '../../values/plural.js';
import { namedAlone } from '../../webhooks/index.js';
import { type CommandLine, command } from '../command.js';
import { checkHistory, contentTypeNamed } from '../type-named.js';
import { withProject } from '../with-project.js';

const ofOthers = ({ uid }: ContentType) =>
  errors.application(
    'history-not-kept',
    `${uid} keeps no versions: it is in a collection of another program`,
  );

interface Options {
  readonly past?: boolean;
  readonly dryRun?: boolean;
}

/** `mangrove erase`: removes a document so that nothing of it is left. */
export const erase = command({
  name: 'erase <type> <documentId>',
  does: 'delete a document in all locales with every version and copy that was kept of it',
  options: [
    ['--past', 'keep the document as it is now, and delete its earlier versions'],
    ['--dry-run', 'count what would be deleted'],
  ],
  help: `
For the data of a person: a document about them, or with --past what a document said before they were taken out of it. What is erased
cannot be restored. Copies are deliveries of webhooks (those that still wait are sent without the content) and answers that are kept for an
Idempotency-Key. Backups and exports that were made before still contain it; an account is deleted with mangrove user delete.

Examples:
  $ mangrove erase customer k3v9x1 --dry-run
  $ mangrove erase article k3v9x1 --past`,
  run: (call: CommandLine<Options>, name: string, documentId: string) =>
    withProject(call, async ({ schema, store, documents }) => {
      const { past = false, dryRun = false } = call.options;
      const type = contentTypeNamed(schema, name);
      if (past) checkHistory(type);
      if (type.storage) throw ofOthers(type);
      const entries = past
        ? 0
        : (
            await Promise.all(
              statusesOf(type).map((status) =>
                store.db.collection(collectionName(type, status)).countDocuments({ documentId }),
              ),
            )
          ).reduce((sum, count) => sum + count, 0);
      const versions = type.history ? await countVersions(store.db, type, documentId, { past }) : 0;
      const erase = async (dry: boolean): Promise<number> =>
        (await eraseDeliveries(store.db, { uid: type.uid, documentId }, namedAlone, dry)) +
        (await eraseAnswers(store.db, documentId, dry));
      const copies = await erase(true);
      if (entries + versions + copies === 0)
        throw errors.missing('not-found', `Nothing is stored of ${type.uid} ${documentId}`);
      if (!dryRun) {
        if (entries > 0) await documents(type.uid).delete({ documentId, locale: '*' });
        // Also those that the deletion has ended.
        if (type.history) await eraseVersions(store.db, type, documentId, { past });
        await erase(false);
      }
      const data = { uid: type.uid, documentId, entries, versions, copies, ...(dryRun && { dryRun }) };
      const what = `${plural(entries, 'entry', 'entries')}, ${plural(versions, 'version')} and ${plural(copies, 'copy', 'copies')} of ${type.singularName} ${documentId}`;
      return { data, notes: [`${what} ${dryRun ? 'would be' : 'are'} erased.`] };
    }),
});
