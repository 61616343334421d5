/** The commands that a write would send, for `explain`. */

import type { AnyBulkWriteOperation, Db, Document } from 'mongodb';
import { groupBy } from '../../values/group.js';
import { type Deployment, detectDeployment } from '../connection/deployment.js';
import { anyId } from '../connection/filter.js';
import { bulkOperations, WriteConflict } from '../entries/apply-step.js';
import { revisionOf, type Write, type WriteStep } from '../entries/changes.js';
import { type ChangeEvent, OUTBOX, placed, placing } from '../outbox/outbox.js';
import { inWriteOrder } from './journal-head.js';
import type { Writer } from './write.js';

/** One command of a write. */
export interface DryOperations {
  readonly collection: string;
  readonly operations: readonly AnyBulkWriteOperation<Document>[];
}

/** The commands of a write in order, the events last. */
export const dryOperations = (write: Write, deployment: Deployment): readonly DryOperations[] =>
  deployment === 'standalone' ? stepByStep(write) : byCollection(write);

/** One command per step; the events may already exist. */
const stepByStep = ({ steps, events }: Write): readonly DryOperations[] => [
  ...inWriteOrder(steps).map(({ reinsert, ...step }) => ({
    collection: step.collection,
    operations: bulkOperations(step),
  })),
  ...dryEvents(events),
];

/** Events outside a transaction. */
export const dryEvents = (events: readonly ChangeEvent[]): readonly DryOperations[] =>
  events.length > 0 ? [{ collection: OUTBOX, operations: events.map(placing) }] : [];

/** One bulk write per collection, or one for all of them if the server allows it (see bulk.ts). */
function byCollection({ steps, events }: Write): readonly DryOperations[] {
  const inserts = events.map((event) => ({ insertOne: { document: placed(event) } }));
  return [
    ...[...groupBy(steps, ({ collection }) => collection)].map(([collection, own]) => ({
      collection,
      operations: own.flatMap(bulkOperations),
    })),
    ...(inserts.length > 0 ? [{ collection: OUTBOX, operations: inserts }] : []),
  ];
}

/**
 * A writer that checks whether each step would apply, and passes the write to `note`. Throws `WriteConflict`
 * if one would not apply.
 */
export async function openDryWriter(db: Db, note: (write: Write) => void): Promise<Writer> {
  return {
    deployment: await detectDeployment(db),
    isUnderWay: () => Promise.resolve(false),
    async commit(write) {
      for (const step of write.steps)
        if (!(await applies(db, step))) throw new WriteConflict(step.collection);
      if (write.steps.length > 0) note(write);
    },
  };
}

async function applies(db: Db, { collection, id, before }: WriteStep): Promise<boolean> {
  const filter = { _id: anyId(id) };
  const stored = await db.collection(collection).findOne(filter, { projection: { _rev: 1 } });
  return before === null ? stored === null : stored !== null && revisionOf(stored) === revisionOf(before);
}
