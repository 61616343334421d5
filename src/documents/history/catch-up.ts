import { historyName, statusesOf } from '../../schema/stored/collections.js';
import type { Schema } from '../../schema/types.js';
import type { Store } from '../../store/client.js';
import { isDuplicateKey } from '../../store/connection/duplicate.js';
import { WriteConflict } from '../../store/entries/apply-step.js';
import type { WriteStep } from '../../store/entries/changes.js';
import { unkeptIn } from '../../store/history/unkept.js';
import { missedVersion, successionSteps } from '../../store/history/versions.js';
import type { Writer } from '../../store/writes/write.js';

/**
 * Keeps the versions that were stored without Mangrove's Document Service since the last start: before the type had
 * `options.history`, by an import, a migration or another program. Of several that followed one another, only the last
 * is known.
 */
export async function keepMissed({ db }: Store, schema: Schema, writer: Writer): Promise<void> {
  for (const type of schema.contentTypes.values())
    if (type.history)
      for (const status of statusesOf(type))
        for await (const some of unkeptIn(db, type, status))
          await commitAll(
            writer,
            some.map(({ entry, current }) => {
              const id = (entry ?? current)?.['_id'];
              const later = entry ? [missedVersion(entry, status, current)] : [];
              const end = entry ? null : { until: new Date() };
              return successionSteps({ collection: historyName(type), id, current, later, end });
            }),
          );
}

/** A write that was made meanwhile has kept the version of its entry itself. */
async function commitAll(writer: Writer, successions: readonly (readonly WriteStep[])[]): Promise<void> {
  const commit = (steps: readonly WriteStep[]): Promise<boolean> =>
    writer.commit({ steps, events: [] }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof WriteConflict || isDuplicateKey(error)) return false;
        throw error;
      },
    );
  if (await commit(successions.flat())) return;
  for (const steps of successions) await commit(steps);
}
