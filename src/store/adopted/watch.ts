/**
 * Reports changes that other programs make to adopted collections as events in the outbox, if the server has
 * change streams. An event's `_id` is derived from the change, so that of several processes that watch, only
 * one adds it.
 */
import { createHash } from 'node:crypto';
import { ObjectId, Timestamp } from 'bson';
import type { ChangeStream, ChangeStreamDocument, Db, ResumeToken } from 'mongodb';
import { storedAs } from '../../pipeline/sources/stored.js';
import type { ContentType, Schema } from '../../schema/types.js';
import { keyText } from '../../values/json-form.js';
import { memberOf } from '../../values/once-per.js';
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
 * Watches every adopted collection, those of a database together, since each stream holds a connection; none on a server
 * without change streams. `report` is called with the errors that end a stream.
 */
export async function watchAdopted(
  store: Store,
  schema: Schema,
  report: (error: unknown) => void,
): Promise<Watching> {
  const types = [...schema.contentTypes.values()].filter(({ storage }) => storage !== null);
  const { client, name, watched } = store.content;
  const streams = types.length > 0 && (await detectDeployment(client.db(name))) !== 'standalone';
  const databases = streams ? [...(await watchable(store, types))] : [];
  const watches = await Promise.all(
    databases.map(([database, typesOf]) => watchDatabase(store, client.db(database), { typesOf, report })),
  );
  return {
    uids: watched,
    close: async () => {
      watched.clear();
      await Promise.all(watches.map((close) => close?.()));
    },
  };
}

/** Content types by the name of their collection. */
type TypesOf = ReadonlyMap<string, ContentType>;

/** The types whose collections can be watched, by database: there are no changes of views and time series. */
async function watchable(store: Store, types: readonly ContentType[]): Promise<ReadonlyMap<string, TypesOf>> {
  const found = new Map<string, Map<string, ContentType>>();
  for (const type of types) {
    const { dbName, collectionName } = collectionOf(store, storedAs(type, 'published'));
    memberOf(found, dbName, () => new Map<string, ContentType>()).set(collectionName, type);
  }
  for (const [database, typesOf] of found) {
    const listed = store.content.client.db(database).listCollections({}, { nameOnly: true });
    for (const { name, type } of await listed.toArray())
      if (type === 'view' || type === 'timeseries') typesOf.delete(name);
  }
  return found;
}

interface WatchOptions {
  readonly typesOf: TypesOf;
  readonly report: (error: unknown) => void;
}

/** Watches these collections of a database; returns how to stop. Null if the server does not permit it. */
async function watchDatabase(
  store: Store,
  db: Db,
  { typesOf, report }: WatchOptions,
): Promise<(() => Promise<void>) | null> {
  const notes = settingsOf<Note>(store.db);
  const noteId = `watch/${db.databaseName}`;
  if (typesOf.size === 0) return null;
  const ours = [{ $match: { 'ns.coll': { $in: [...typesOf.keys()] } } }];
  let closed = false;
  let stream: ChangeStream | null = null;
  let token = (await notes.findOne({ _id: noteId }))?.token;
  let noted = token;

  const open = async (): Promise<ChangeStream> => {
    const opened = db.watch(ours, token === undefined ? {} : { resumeAfter: token });
    // The stream is established before the first change, so nothing is missed from here on.
    await opened.tryNext().then((first) => first && addChange(first));
    return opened;
  };
  const addChange = async (change: ChangeStreamDocument): Promise<void> => {
    const event = eventOf(typesOf, change);
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
        for await (const change of stream) await addChange(change);
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
    stream = await open().catch((error: unknown) => {
      if (!isHistoryLost(error)) throw error;
      report(error);
      token = undefined;
      return open();
    });
  } catch {
    clearInterval(timer);
    return null;
  }
  for (const type of typesOf.values()) store.content.watched.add(type.uid);
  const running = run();
  return async () => {
    closed = true;
    clearInterval(timer);
    await stream?.close().catch(() => undefined);
    await running;
    await note().catch(() => undefined);
  };
}

function eventOf(typesOf: TypesOf, change: ChangeStreamDocument): ChangeEvent | null {
  const event = EVENTS[change.operationType];
  if (!event || !('documentKey' in change)) return null;
  const type = typesOf.get(change.ns.coll);
  if (!type) return null;
  const documentId = keyText(change.documentKey._id);
  const number = Number(documentId);
  const time = change.clusterTime ?? Timestamp.fromNumber(0);
  return {
    _id: idOf(change._id, time),
    at: new Date(time.t * 1000),
    event,
    uid: type.uid,
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
