/** The body of `POST /batch`, checked. Pure. */

import { TIME_OF } from '../../documents/operations/schedule.js';
import type { VersionChange } from '../../documents/request.js';
import { errors } from '../../errors.js';
import { shorten } from '../../print-value.js';
import { byRoute, uniqueAttributes } from '../../schema/find.js';
import type { ContentType, ScalarAttribute, Schema } from '../../schema/types.js';
import { isPlainObject, type PlainObject } from '../../values/plain-object.js';
import { checkOperationReferences } from './references.js';

type BatchAction = 'create' | 'update' | 'upsert' | 'delete' | VersionChange | 'restore';

/** One operation of a batch. References to earlier ones are not replaced yet. */
export interface BatchOperation {
  readonly action: BatchAction;
  readonly type: ContentType;
  /** Null for a creation, and for a single type. */
  readonly documentId: string | null;
  /** Of a restore: the name of the version; otherwise null. */
  readonly version: string | null;
  readonly data: unknown;
  /** `locale`, `status` and when it is to be done, as given. */
  readonly query: Readonly<Record<string, string>>;
  /** An entity tag or a revision; null: no condition. */
  readonly ifMatch: string | null;
  /** Of an upsert: the unique attribute by which its document is found. */
  readonly by: ScalarAttribute | null;
}

export interface Batch {
  readonly operations: readonly BatchOperation[];
  /** All operations are stored, or none. */
  readonly atomic: boolean;
  readonly dryRun: boolean;
}

interface Accepts {
  /** Members besides `action`, `uid` and `plural`. */
  readonly takes: readonly string[];
  /** Takes the documentId of a collection type. */
  readonly ofDocument?: true;
  readonly collectionOnly?: true;
}

const CHANGE: Accepts = { takes: ['locale', 'ifMatch'], ofDocument: true };

const ACTIONS: Readonly<Record<BatchAction, Accepts>> = {
  create: { takes: ['data', 'locale', 'status'], collectionOnly: true },
  update: { takes: ['data', 'locale', 'status', 'ifMatch'], ofDocument: true },
  upsert: { takes: ['by', 'data', 'locale', 'status'], collectionOnly: true },
  delete: CHANGE,
  publish: { ...CHANGE, takes: [...CHANGE.takes, 'publishAt'] },
  unpublish: { ...CHANGE, takes: [...CHANGE.takes, 'unpublishAt'] },
  discardDraft: CHANGE,
  restore: { takes: ['version'], ofDocument: true },
};

const malformed = (path: string, message: string) =>
  errors.validation('batch-malformed', `${path} ${message}`, { path, source: 'body' });

const isAction = (value: unknown): value is BatchAction =>
  typeof value === 'string' && Object.hasOwn(ACTIONS, value);

function refuseOthers(given: PlainObject, known: readonly string[], at = ''): void {
  for (const key of Object.keys(given))
    if (!known.includes(key)) throw errors.invalidKey({ key, path: `${at}${key}`, source: 'body' });
}

function flagIn(body: PlainObject, name: string, otherwise: boolean): boolean {
  const value = body[name] ?? otherwise;
  if (typeof value !== 'boolean') throw malformed(name, 'must be true or false');
  return value;
}

/** @param maxOperations of one batch. Throws a 400 that names the path of what is wrong. */
export function readBatch(body: unknown, schema: Schema, maxOperations: number): Batch {
  if (!isPlainObject(body)) throw malformed('operations', 'is required');
  refuseOthers(body, ['operations', 'atomic', 'dryRun']);
  const { operations } = body;
  if (!Array.isArray(operations) || operations.length === 0)
    throw malformed('operations', 'must be a list of at least one operation');
  if (operations.length > maxOperations)
    throw errors.validation('batch-too-long', `A batch has at most ${maxOperations} operations`, {
      setting: 'rest.maxBatch',
      limit: maxOperations,
      source: 'body',
    });
  const atomic = flagIn(body, 'atomic', true);
  const dryRun = flagIn(body, 'dryRun', false);
  if (dryRun && !atomic)
    throw malformed('dryRun', 'needs atomic: without it, operations do not belong together');
  return { operations: operations.map((given, at) => readOperation(given, at, schema)), atomic, dryRun };
}

function readOperation(given: unknown, at: number, schema: Schema): BatchOperation {
  const path = `operations.${at}`;
  if (!isPlainObject(given)) throw malformed(path, 'must be an object');
  const { action } = given;
  if (!isAction(action))
    throw malformed(`${path}.action`, `must be one of ${Object.keys(ACTIONS).join(', ')}`);
  const type = typeOf(given, path, schema);
  const { takes, ofDocument = false, collectionOnly = false } = ACTIONS[action];
  const isSingle = type.kind === 'singleType';
  if (isSingle && collectionOnly)
    throw malformed(`${path}.action`, `cannot be ${action} for a single type: use update`);
  const named = ofDocument && !isSingle;
  refuseOthers(given, ['action', 'uid', 'plural', ...(named ? ['documentId'] : []), ...takes], `${path}.`);
  const text = (name: string): string | null => {
    const value = given[name];
    if (value === undefined || value === null) return null;
    if (typeof value !== 'string' || value === '' || /\p{Surrogate}/u.test(value))
      throw malformed(`${path}.${name}`, 'must be a text');
    return value;
  };
  const documentId = text('documentId');
  if (named && documentId === null) throw malformed(`${path}.documentId`, 'is required');
  const version = text('version');
  if (action === 'restore' && version === null) throw malformed(`${path}.version`, 'is required');
  const query = Object.fromEntries(
    ['locale', 'status', ...Object.values(TIME_OF)].flatMap((name) => {
      const value = text(name);
      return value === null ? [] : [[name, value]];
    }),
  );
  checkOperationReferences({ documentId, data: given['data'] }, path, at);
  return {
    action,
    type,
    documentId,
    version,
    data: given['data'],
    query,
    ifMatch: text('ifMatch'),
    by: action === 'upsert' ? uniqueIn(text('by'), type, path) : null,
  };
}

function typeOf({ uid, plural }: PlainObject, path: string, schema: Schema): ContentType {
  const [key, name] = uid === undefined ? ['plural', plural] : ['uid', uid];
  if (uid !== undefined && plural !== undefined) throw malformed(`${path}.plural`, 'excludes uid');
  if (typeof name !== 'string') throw malformed(`${path}.${key}`, 'must name a content type');
  const type = key === 'uid' ? schema.contentTypes.get(name) : byRoute(schema, name);
  if (type?.origin !== 'api')
    throw errors.validation('content-type-unknown', `Content type ${shorten(name)} does not exist`, {
      path: `${path}.${key}`,
      source: 'body',
    });
  return type;
}

function uniqueIn(by: string | null, type: ContentType, path: string): ScalarAttribute {
  const attribute = uniqueAttributes(type).find(({ name, private: hidden }) => name === by && !hidden);
  if (!attribute) throw malformed(`${path}.by`, 'must name a unique attribute');
  return attribute;
}
