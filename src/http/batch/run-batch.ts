/** Performs the operations of a batch, each by the route that would answer it alone. */
import type { ContentAction } from '../../describe/contract/types.js';
import { errors } from '../../errors.js';
import { bodyOf, plainError } from '../../mcp/tool.js';
import type { ActionCall, RouteAnswer, ServiceOf } from '../../mcp/types.js';
import { objectAt, textOf } from '../../values/plain-object.js';
import type { BatchOperation } from './read-batch.js';
import { withDocumentIds } from './references.js';

/** What became of an operation. */
export interface Outcome {
  readonly status: number;
  readonly data: unknown;
  readonly error?: Readonly<Record<string, unknown>>;
  /** The code of the error; null if it has none, and without an error. */
  readonly code: string | null;
  /** Null if there is none, or if it is not known. */
  readonly documentId: string | null;
  /** Characters of the answer. */
  readonly size: number;
}

/** What performing an operation needs. */
export interface Performing {
  readonly call: (call: ActionCall) => Promise<RouteAnswer> | null;
  /** Replaces the Document Service; absent: each operation is committed by itself. */
  readonly service?: ServiceOf;
  /** The document that an upsert finds; null: none. */
  readonly find: (operation: BatchOperation) => Promise<string | null>;
}

/** @param earlier the outcomes of the operations before it */
export async function perform(
  given: BatchOperation,
  earlier: readonly Outcome[],
  performing: Performing,
): Promise<Outcome> {
  const documentIdOf = (number: number): string => {
    const { documentId = null, status = 0 } = earlier[number] ?? {};
    if (documentId === null || status >= 400)
      throw errors.validation('batch-reference-failed', `Operation ${number} has no documentId to refer to`, {
        operation: number,
      });
    return documentId;
  };
  const { documentId, data } = objectAt(
    withDocumentIds({ documentId: given.documentId, data: given.data }, documentIdOf),
  );
  const operation = { ...given, documentId: textOf(documentId), data };
  return given.action === 'upsert'
    ? upsert(operation, performing)
    : send(operation, given.action, performing);
}

async function upsert(operation: BatchOperation, performing: Performing): Promise<Outcome> {
  const documentId = await performing.find(operation);
  return send({ ...operation, documentId }, documentId === null ? 'create' : 'update', performing);
}

/** Quotes a bare revision. */
const asTag = (ifMatch: string): string => (/^(\*|"|W\/)/.test(ifMatch.trim()) ? ifMatch : `"${ifMatch}"`);

async function send(
  operation: BatchOperation,
  action: ContentAction,
  performing: Performing,
): Promise<Outcome> {
  const { ifMatch, by: _, ...call } = operation;
  const { service } = performing;
  const answer = await performing.call({
    ...call,
    action,
    ...(ifMatch !== null && { headers: { 'if-match': asTag(ifMatch) } }),
    ...(service && { service }),
  });
  if (!answer)
    throw errors.validation(
      'batch-action-unavailable',
      `${call.type.uid}.${action} cannot be part of a batch: it has no route, or code of the project answers it`,
    );
  return outcomeOf(answer, call.documentId);
}

function outcomeOf(answer: RouteAnswer, named: string | null): Outcome {
  const { status, text } = answer;
  if (status >= 400) return failed(answer);
  const { data = null } = text === '' ? {} : bodyOf(answer);
  const documentId = textOf(objectAt(data)['documentId']) ?? named;
  return { status, data, code: null, documentId, size: text.length };
}

export function failed(answer: RouteAnswer): Outcome {
  const { status, text, code } = answer;
  const { error = plainError(answer) } = bodyOf(answer);
  return { status, data: null, error: objectAt(error), code, documentId: null, size: text.length };
}
