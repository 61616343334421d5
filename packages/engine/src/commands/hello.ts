import { setTimeout as sleep } from 'node:timers/promises';
import { type Document, Long, ObjectId } from 'bson';
import { SESSION_MINUTES } from '../sessions/sessions.js';
import { clusterTime } from '../storage/oplog.js';
import { MAX_DOCUMENT_BYTES } from '../values/document-size.js';
import { MAX_MESSAGE_BYTES } from '../wire/frames.js';
import { MECHANISM } from '../wire/scram.js';
import type { Command, Operation } from './operation.js';

/** The name of the replica set as announced by hello. */
const SET_NAME = 'mangrove';

/** The wire versions of MongoDB's releases. */
const WIRE_VERSIONS: Readonly<Record<number, number>> = { 5: 13, 6: 17, 7: 21 };

/**
 * Announces a primary of a single-member replica set, so that drivers use sessions, retries and transactions. A driver that sends
 * the topology it knows waits for a change, which never comes: it notices the end of the engine by its connection, not by
 * polling.
 */
export const hello: Command = (operation) => {
  const { connection, body } = operation;
  const known: unknown = body['topologyVersion']?.processId;
  const answer = () => announced(operation);
  if (!(known instanceof ObjectId) || !PROCESS.equals(known)) return answer();
  return sleep(Number(body['maxAwaitTimeMS'] ?? 0), null, { signal: connection.closed }).then(answer, answer);
};

/** Changes with each start. */
const PROCESS = new ObjectId();

const announced = ({ engine, connection, name, body }: Operation): Document => ({
  helloOk: true,
  [name === 'hello' ? 'isWritablePrimary' : 'ismaster']: true,
  setName: SET_NAME,
  setVersion: 1,
  hosts: [engine.address],
  primary: engine.address,
  me: engine.address,
  secondary: false,
  maxBsonObjectSize: MAX_DOCUMENT_BYTES,
  maxMessageSizeBytes: MAX_MESSAGE_BYTES,
  maxWriteBatchSize: engine.settings.limits.writeBatch,
  localTime: new Date(),
  logicalSessionTimeoutMinutes: SESSION_MINUTES,
  connectionId: connection.id,
  minWireVersion: 0,
  maxWireVersion: WIRE_VERSIONS[engine.settings.version] ?? 21,
  readOnly: false,
  topologyVersion: { processId: PROCESS, counter: Long.ZERO },
  ...(body['saslSupportedMechs'] === undefined ? {} : { saslSupportedMechs: [MECHANISM] }),
  lastWrite: { lastWriteDate: new Date(), opTime: { ts: clusterTime(Date.now(), engine.lastChange), t: 1 } },
});
