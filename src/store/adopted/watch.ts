/**
 * Reports changes that other programs make to adopted collections as events in the outbox, if the server has
 * change streams. An event's `_id` is derived from the change, so that of several processes that watch, only
 * one adds it.
 */
import { createHash } from 'node:crypto';
import { ObjectId, Timestamp } from 'bson';
import type { ChangeStream, ChangeStreamDocument, ResumeToken } from 'mongodb';
import { storedAs } from '../../pipeline/sources/stored.js';
import type { ContentType, Schema } from '../../schema/types.js';
import { keyText } from '../../values/json-form.js';
import { collectionOf } from '../connection/collections.js';
import { detectDeployment } from '../connection/deployment.js';
import { isHistoryLost } from '../connection/history-lost.js';
import { settingsOf } from '../connection/settings.js';
import type { Store } from '../connection/store.js';
import { addEvents, type ChangeEvent, type ChangeEventName } from '../outbox/outbox.js';

const EVENTS: Readonly<Record<string, ChangeEventName>> = {
  insert: 'entry.create',
  update: 'entry.update',
  replace: 'entry.update',
  delete: 'entry.delete',
};

/** Milliseconds between saves of the resume token, and before a stream that ended is reopened. */
const NOTED_EVERY = 1000;
const PAUSE = 2000;

interface Note {
  readonly _id: string;
  readonly token?: ResumeToken;
}

export interface Watching {
  /** The content types whose changes are reported. */
  readonly uids: ReadonlySet<string>;
  close(): Promise<void>;
}

/**
 * Watches every adopted collection; none on a server without change streams. `report` is called with the
 * errors that end a stream.
 */
export async function watchAdopted(
  store: Store,
  schema: Schema,
  report: (error: unknown) => void,
): Promise<Watching> {
  const types = [...schema.contentTypes.values()].filter(({ storage }) => storage !== null);
  const { client, name } = store.content;
  const streams = types.length > 0 && (await detectDeployment(client.db(name))) !== 'standalone';
  const watches = streams ? await Promise.all(types.map((type) => watchType(store, type, report))) : [];
  const watched = watches.filter((watch) => watch !== null);
  for (const { uid } of watched) store.content.watched.add(uid);
  return {
    uids: store.content.watched,
    close: async () => {
      store.content.watched.clear();
      await Promise.all(watched.map(({ close }) => close()));
    },
  };
}

interface Watch {
  readonly uid: string;
  close(): Promise<void>;
}

/** Null if the collection cannot be watched, such as a view or time series. */
async function watchType(
  store: Store,
  type: ContentType,
  report: (error: unknown) => void,
): Promise<Watch | null> {
  const source = collectionOf(store, storedAs(type, 'published'));
  const notes = settingsOf<Note>(store.db);
  const noteId = `watch/${source.namespace}`;
  let closed = false;
  let stream: ChangeStream | null = null;
  let token = (await notes.findOne({ _id: noteId }))?.token;
  let noted = token;

  const open = async (): Promise<ChangeStream> => {
    const opened = source.watch([], token === undefined ? {} : { resumeAfter: token });
    // The stream is established before the first change, so nothing is missed from here on.
    await opened.tryNext().then((first) => first && addEvent(first));
    return opened;
  };
  const addEvent = async (change: ChangeStreamDocument): Promise<void> => {
    const event = eventOf(type, change);
    if (event) await addEvents(store.db, [event], null);
    token = change._id;
  };
  const note = async (): Promise<void> => {
    if (token === noted) return;
    noted = token;
    await notes.updateOne({ _id: noteId }, { $set: { token } }, { upsert: true });
  };
  const timer = setInterval(() => void note().catch(report), NOTED_EVERY).unref();

  const run = async (): Promise<void> => {
    while (!closed) {
      try {
        stream ??= await open();
        for await (const change of stream) await addEvent(change);
      } catch (error) {
        if (closed) return;
        report(error);
        // A token that is older than the oplog cannot be resumed.
        if (isHistoryLost(error)) token = undefined;
      }
      await stream?.close().catch(() => undefined);
      stream = null;
      if (!closed) await new Promise((resolve) => setTimeout(resolve, PAUSE).unref());
    }
  };
  try {
    stream = await open();
  } catch (error) {
    if (!isHistoryLost(error)) {
      clearInterval(timer);
      return null;
    }
    report(error);
    token = undefined;
  }
  const running = run();
  return {
    uid: type.uid,
    close: async () => {
      closed = true;
      clearInterval(timer);
      await stream?.close().catch(() => undefined);
      await running;
      await note().catch(() => undefined);
    },
  };
}

function eventOf({ uid }: ContentType, change: ChangeStreamDocument): ChangeEvent | null {
  const event = EVENTS[change.operationType];
  if (!event || !('documentKey' in change)) return null;
  const documentId = keyText(change.documentKey._id);
  const number = Number(documentId);
  const time = change.clusterTime ?? Timestamp.fromNumber(0);
  return {
    _id: idOf(change._id, time),
    at: new Date(time.t * 1000),
    event,
    uid,
    documentId,
    locale: null,
    id: Number.isSafeInteger(number) ? number : 0,
  };
}

/** An ObjectId in the order of the changes, and the same in every process that sees the change. */
function idOf(token: unknown, { t, i }: { readonly t: number; readonly i: number }): ObjectId {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32BE(t, 0);
  bytes.writeUInt32BE(i, 4);
  createHash('sha256').update(JSON.stringify(token)).digest().copy(bytes, 8, 0, 4);
  return new ObjectId(bytes);
}
