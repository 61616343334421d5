/**
 * Writes that are taken back if the work that they belong to fails: for code that runs when a write is stored, reads
 * what is stored, and may still refuse it. A transaction cannot do that: what it has changed cannot be read yet.
 */
import { ObjectId } from 'bson';
import { inverse, WriteConflict } from '../store/entries/apply-step.js';
import type { WriteStep } from '../store/entries/changes.js';
import { Pending } from '../store/entries/pending.js';
import { type ChangeEvent, type ChangeEventName, changeEvent } from '../store/outbox/outbox.js';
import { commitWrite } from './commit/commit.js';
import { type DocumentsContext, refOf } from './context.js';
import type { InnerContext } from './middleware.js';
import { isTouch, type VersionOf, versionsOf } from './stored-versions.js';
import { isInWork, runWork } from './work.js';

/** How often taking back is tried. */
const ATTEMPTS = 3;

/**
 * Runs `run`; if it throws, what was committed meanwhile by it is taken back. Work inside other work belongs to it.
 * Others may see it in between, and what they have changed since is left as it is.
 * @param notUndone called if it could not be taken back
 */
async function undoable<T>(
  context: DocumentsContext,
  run: () => Promise<T>,
  notUndone: (error: unknown) => void,
): Promise<T> {
  if (isInWork()) return run();
  const written = new Pending();
  return runWork(run, {
    wrote: (steps) => written.add(steps),
    failed: () => takeBack(context, written.steps()).catch(notUndone),
  });
}

/** For a call that is part of a transaction, or that writes nothing itself. */
export const runAlone: InnerContext['undoable'] = (work) => work();

export const undoableIn =
  (context: DocumentsContext): InnerContext['undoable'] =>
  (work, notUndone) =>
    undoable(context, work, notUndone);

/** The same for work that includes a write of another module, which `undo` takes back. */
export const undoableWith =
  (context: DocumentsContext, undo: () => Promise<void>): InnerContext['undoable'] =>
  async (work, notUndone) => {
    try {
      return await undoable(context, work, notUndone);
    } catch (error) {
      await undo().catch(notUndone);
      throw error;
    }
  };

async function takeBack(context: DocumentsContext, written: readonly WriteStep[]): Promise<void> {
  const { schema } = context;
  const changes = new Pending();
  changes.add(written.filter(({ before, after }) => before ?? after).map((step) => undone(step, schema)));
  const events = eventsOf(changes.steps(), schema);
  for (let attempt = 1; ; attempt++)
    try {
      await commitWrite({ ...context, changes, events, inPlace: [], attempt });
      if (context.due) context.due.isDone = false;
      return;
    } catch (error) {
      if (!(error instanceof WriteConflict) || attempt === ATTEMPTS) throw error;
    }
}

/**
 * The entry as it was, with the revision that it had: whoever has read it may still change it on that condition. One
 * that was removed is another for its versions, which end with it.
 */
function undone(step: WriteStep, schema: DocumentsContext['schema']): WriteStep {
  const back = inverse(step);
  if (back.before || !versionsOf(schema).has(back.collection)) return back;
  const id = new ObjectId();
  return { ...back, id, after: { ...back.after, _id: id } };
}

function eventsOf(steps: readonly WriteStep[], schema: DocumentsContext['schema']): ChangeEvent[] {
  const all = steps.flatMap((step): ChangeEvent[] => {
    const of = versionsOf(schema).get(step.collection);
    const entry = step.after ?? step.before;
    if (!of || !entry || isTouch(step)) return [];
    const { documentId, locale } = refOf(of.type, entry);
    const event = eventOf(of, step);
    return [changeEvent({ event, uid: of.type.uid, documentId, locale, id: Number(entry['id']) })];
  });
  const isDeleted = (of: ChangeEvent): boolean =>
    all.some(
      ({ event, uid, documentId, locale }) =>
        event === 'entry.delete' && uid === of.uid && documentId === of.documentId && locale === of.locale,
    );
  return all.filter((one) => one.event !== 'entry.unpublish' || !isDeleted(one));
}

function eventOf({ type, status }: VersionOf, { before, after }: WriteStep): ChangeEventName {
  if (type.draftAndPublish && status === 'published') return after ? 'entry.publish' : 'entry.unpublish';
  if (!before) return 'entry.create';
  return after ? 'entry.update' : 'entry.delete';
}
