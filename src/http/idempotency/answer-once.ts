import type { Identity } from '../../access/index.js';
import { KeyTaken, type WriteKey } from '../../documents/idempotency.js';
import { errors } from '../../errors.js';
import type { Store } from '../../store/client.js';
import {
  findIdempotencyKey,
  IDEMPOTENCY_KEYS,
  type IdempotencyKey,
  type KeptAnswer,
  keepAnswer,
} from '../../store/entries/idempotency-keys.js';
import { isNoted } from '../../store/writes/journal-head.js';
import { oncePer } from '../../values/once-per.js';
import { isPlainObject } from '../../values/plain-object.js';
import { wantsV4 } from '../content-request.js';
import type { Controller, RequestContext } from '../context.js';
import type { AppDeps } from '../deps.js';
import { isMultipart } from '../multipart.js';
import { fingerprintOf, keyId, readKey } from './key.js';

const HEADER = 'idempotency-key';
/** Tells a client that nothing was written for this request. */
const REPLAYED = 'Idempotent-Replayed';
/** Bytes. For a larger answer the document is shown again, as it is then. */
const MAX_KEPT = 256 * 1024;

/**
 * A controller that changes content: a request with an `Idempotency-Key` is carried out once, and further ones get its
 * answer. What fails before the write is committed keeps nothing, so it may be sent again.
 */
export const onceIn =
  (controller: Controller): Controller =>
  (ctx, identity, deps) =>
    !hasKey(ctx) || ctx.exchange.writeKey
      ? controller(ctx, identity, deps)
      : answerOnce(ctx, identity, deps, controller);

export const hasKey = ({ headers }: RequestContext): boolean => headers[HEADER] !== undefined;

/** The fingerprints of the requests that this process is carrying out, by key. */
const runningOf = oncePer((_: Store) => new Map<string, string>());

async function answerOnce(
  ctx: RequestContext,
  identity: Identity,
  deps: AppDeps,
  controller: Controller,
): Promise<void> {
  const key = readKey(ctx.get(HEADER), identity);
  if (isMultipart(ctx))
    throw errors.validation('idempotency-key-unsupported', 'Idempotency-Key cannot be used with a form');
  const id = keyId(identity, ctx, key);
  const { body } = ctx.request;
  const fingerprint = fingerprintOf({ querystring: ctx.querystring, body, v4: wantsV4(ctx) });
  const running = runningOf(deps.store);
  const other = running.get(id);
  if (other !== undefined) throw other === fingerprint ? errors.keyInUse() : errors.keyReused();
  running.set(id, fingerprint);
  try {
    const stored = await storedFor(deps.store, { id, fingerprint });
    if (stored && replay(ctx, identity, stored)) return;
    ctx.exchange.writeKey = { id, fingerprint, written: stored, isUsed: false };
    await controller(ctx, identity, deps);
    await keep(ctx, identity, deps.store, id);
    if (stored) ctx.set(REPLAYED, 'true');
  } catch (error) {
    if (!(error instanceof KeyTaken)) throw error;
    // Another process was faster.
    const stored = await storedFor(deps.store, { id, fingerprint });
    if (!stored || !replay(ctx, identity, stored)) throw errors.keyInUse();
  } finally {
    running.delete(id);
  }
}

/** The stored key; null if there is none. Throws a 4xx if it is another request's, or its write is not complete. */
async function storedFor(
  store: Store,
  { id, fingerprint }: Pick<WriteKey, 'id' | 'fingerprint'>,
): Promise<IdempotencyKey | null> {
  const found = await findIdempotencyKey(store.db, id);
  if (found && found.fingerprint !== fingerprint) throw errors.keyReused();
  if (found && !found.answer && (await isUnderWay(store, found))) throw errors.keyInUse();
  return found;
}

/** Answers as before. False if there is no answer, or if the caller might no longer see everything in it. */
function replay(ctx: RequestContext, { grants }: Identity, { answer }: IdempotencyKey): boolean {
  if (answer?.grants !== grants.version) return false;
  ctx.set(REPLAYED, 'true');
  ctx.status = answer.status;
  if (answer.body !== null) ctx.body = JSON.parse(answer.body) as object;
  return true;
}

/** Keeps the answer, or answers with the one that another process has kept meanwhile. */
async function keep(ctx: RequestContext, identity: Identity, { db }: Store, id: string): Promise<void> {
  const answer = answerIn(ctx, identity.grants.version);
  if (!answer || (await keepAnswer(db, id, answer))) return;
  const other = await findIdempotencyKey(db, id);
  if (other) replay(ctx, identity, other);
}

/** Without transactions, a key may be seen before its write is complete, and may still be undone. */
const isUnderWay = ({ db }: Store, { _id }: IdempotencyKey): Promise<boolean> =>
  isNoted(db, { collection: IDEMPOTENCY_KEYS, id: _id });

/** The answer as it is kept; null if it is too large or not JSON. */
function answerIn({ status, body }: RequestContext, grants: string): KeptAnswer | null {
  if (status < 200 || status > 299) return null;
  if (body === undefined || body === null) return { status, body: null, grants };
  if (!isPlainObject(body) && !Array.isArray(body)) return null;
  const text = JSON.stringify(body);
  return Buffer.byteLength(text) > MAX_KEPT ? null : { status, body: text, grants };
}
