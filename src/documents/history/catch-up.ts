import { setTimeout as sleep } from 'node:timers/promises';
import { historyName, statusesOf } from '../../schema/stored/collections.js';
import type { Schema } from '../../schema/types.js';
import type { Store } from '../../store/client.js';
import { isDuplicateKey } from '../../store/connection/duplicate.js';
import { repeatWhileOpen } from '../../store/connection/repeat.js';
import { settingsOf } from '../../store/connection/settings.js';
import { WriteConflict } from '../../store/entries/apply-step.js';
import type { WriteStep } from '../../store/entries/changes.js';
import { endsOf, forgetGone, unkeptIn } from '../../store/history/unkept.js';
import { missedVersion, replacementSteps, successionSteps } from '../../store/history/versions.js';
import { whileHolding } from '../../store/leases/lock.js';
import type { Writer } from '../../store/writes/write.js';

/** What keeping missed versions needs. */
interface Missing {
  readonly store: Store;
  readonly schema: Schema;
  readonly writer: Writer;
}

/** Milliseconds until a server begins to compare, and until the next attempt if that failed. */
const [FIRST, EVERY] = [1000, 60_000];
/** Entries whose versions are kept in one commit: without transactions, writes to them wait for all of it. */
const AT_ONCE = 20;
/** Milliseconds of rest for each that comparing takes, so that it never takes more than a fifth of a server. */
const REST = 4;

const hasHistory = ({ contentTypes }: Schema): boolean =>
  [...contentTypes.values()].some(({ history }) => history !== null);

/**
 * Keeps missed versions in the background, once in each process and in one process at a time. Until it gets to an entry,
 * the write that changes or removes it does the same.
 */
export function startKeepingMissed({ store, schema, writer }: Missing): void {
  if (!hasHistory(schema)) return;
  const closing = new AbortController();
  const { signal } = closing;
  let running: Promise<void> | null = null;
  let isDone = false;
  const compare = async (): Promise<void> => {
    const place = { documents: settingsOf(store.db), _id: 'history/lock' };
    await whileHolding(place, { signal }, async () => {
      let began = performance.now();
      await keepMissed({ store, schema, writer }, async () => {
        await sleep(REST * (performance.now() - began), undefined, { signal });
        began = performance.now();
      });
      isDone = true;
    });
  };
  store.beforeClose.push(async () => {
    closing.abort();
    await running;
  });
  repeatWhileOpen(store, { first: FIRST, every: EVERY }, async () => {
    if (isDone || signal.aborted) return;
    running ??= compare()
      .catch(() => undefined)
      .finally(() => {
        running = null;
      });
  });
}

/**
 * Keeps the versions that were stored without Mangrove's Document Service since the last comparison: before the type had
 * `options.history`, by an import, a migration or another program. Of several that followed one another, only the last
 * is known.
 * @param pause called after each list of entries
 */
export async function keepMissed(
  { store: { db }, schema, writer }: Missing,
  pause: () => Promise<void> = async () => undefined,
): Promise<void> {
  for (const type of schema.contentTypes.values())
    if (type.history)
      for (const status of statusesOf(type))
        for await (const some of unkeptIn(db, type, status)) {
          const gone = some.flatMap(({ entry, current }) => (!entry && current ? [current] : []));
          const ends = gone.length === 0 ? null : await endsOf(db, type, status, gone);
          await commitAll(
            writer,
            some.map(({ entry, current, others }) => {
              const id = (entry ?? current)?.['_id'];
              const later = entry ? [missedVersion(entry, status, current, others)] : [];
              const until = current && ends?.get(current);
              const end = until ? { until } : null;
              const collection = historyName(type);
              return [
                ...successionSteps({ collection, id, current, later, end }),
                ...later.flatMap((version) => replacementSteps(collection, version, others)),
              ];
            }),
          );
          await forgetGone(
            db,
            type,
            status,
            some.flatMap(({ entry }) => (entry ? [entry] : [])),
          );
          await pause();
        }
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
  for (let at = 0; at < successions.length; at += AT_ONCE) {
    const some = successions.slice(at, at + AT_ONCE);
    if (await commit(some.flat())) continue;
    for (const steps of some) await commit(steps);
  }
}
