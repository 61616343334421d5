/**
 * Lets clients read their own writes from secondaries (MongoDB's causal consistency): a token records what a
 * client has seen, and a read with that token waits until its server has caught up.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { BSON, type ClientSession, type ClusterTime, type Timestamp } from 'mongodb';
import { errors } from '../../errors.js';
import type { Store } from './store.js';

export interface Consistency {
  /** For the reads of the request. */
  readonly session: ClientSession;
  /**
   * A token for everything that the request has read and written; null if the deployment has no cluster time,
   * such as a standalone server.
   */
  token(): Promise<string | null>;
  end(): Promise<void>;
}

interface Seen {
  readonly operationTime: Timestamp;
  readonly clusterTime: ClusterTime;
}

/**
 * `secret` signs the tokens, since a forged time would advance the clock of the whole cluster. Throws a 400
 * for an invalid token.
 */
export function openConsistency({ client, db }: Store, token: string | null, secret: string): Consistency {
  const seen = token === null ? null : readToken(token, secret);
  const session = client.startSession({ causalConsistency: true });
  if (seen) {
    session.advanceClusterTime(seen.clusterTime);
    session.advanceOperationTime(seen.operationTime);
  }
  return {
    session,
    token: async () => {
      // The writes of the request used other sessions; the primary's time includes them all.
      await db.command({ ping: 1 }, { session });
      const { operationTime, clusterTime } = session;
      return operationTime && clusterTime ? writeToken({ operationTime, clusterTime }, secret) : null;
    },
    end: () => session.endSession(),
  };
}

const signatureOf = (body: Uint8Array, secret: string): Buffer =>
  createHmac('sha256', `consistency ${secret}`).update(body).digest();

const SIGNATURE = 32;

function writeToken(seen: Seen, secret: string): string {
  const body = BSON.serialize(seen);
  return Buffer.concat([signatureOf(body, secret), body]).toString('base64url');
}

function readToken(token: string, secret: string): Seen {
  const bytes = Buffer.from(token, 'base64url');
  const [signature, body] = [bytes.subarray(0, SIGNATURE), bytes.subarray(SIGNATURE)];
  if (body.length === 0 || !timingSafeEqual(signature, signatureOf(body, secret)))
    throw errors.validation(
      'consistency-invalid',
      'Invalid X-Consistency header. Expected the value from an earlier response, or start',
    );
  return BSON.deserialize(body, { promoteLongs: false }) as unknown as Seen;
}
