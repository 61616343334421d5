/** Runs a write without sending it, and reports what it would change. */

import { isDeepStrictEqual } from 'node:util';
import type { Reader } from '../documents/read/reader.js';
import { createDocuments, type DocumentsOptions } from '../documents/service.js';
import { versionsOf } from '../documents/stored-versions.js';
import type { WriteTrace } from '../documents/trace.js';
import type { Documents, ServiceByUid } from '../documents/types.js';
import { mayFind } from '../query/attributes.js';
import type { ContentType, Schema, Status } from '../schema/types.js';
import { adoptedDocuments, type InPlaceStep } from '../store/adopted/in-place.js';
import type { Write, WriteStep } from '../store/entries/changes.js';
import { copyOf, isPlainObject, objectAt, textOf } from '../values/plain-object.js';
import { type PlainValues, plainValues } from './plain-values.js';
import type { ServiceOf, ToolUser } from './types.js';

/** A value before and after; null: none. */
interface ValueChange {
  /** Such as `menu.0.name`. */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The changes to one version of a document. */
interface DocumentChange {
  readonly type: string;
  /** Null for a document that would be created, which has no id yet. */
  readonly documentId: string | null;
  readonly locale?: string;
  readonly version: Status;
  readonly change: 'create' | 'update' | 'delete';
  readonly differences: readonly ValueChange[];
}

/** A stored document and its changed state. */
interface Changed {
  readonly type: ContentType;
  readonly version: Status;
  readonly before: object | null;
  readonly after: object | null;
}

/** What a dry run answers. */
interface DryReport {
  readonly dryRun: true;
  readonly changes: readonly DocumentChange[];
  readonly note?: string;
}

interface DryRun {
  /** Replaces the Document Service. */
  readonly service: ServiceOf;
  /** Runs `work` with services whose writes are one write. */
  together<T>(work: (service: ServiceOf) => Promise<T>): Promise<T>;
  /** The changes of the last write that completed all its steps. */
  report(): Promise<DryReport>;
}

/** What a dry run is made from. */
interface DryParts extends DocumentsOptions {
  readonly documents: Pick<Documents, 'isWrapped'>;
}

type DryUser = Pick<ToolUser, 'caller'>;

const HOOKED =
  'Hooks of the project run with the write itself but not in a dry run: they may change more, or reject it.';

const RULED =
  'All steps of the write succeeded. Rules limit what you may read, so its changes are not listed.';

export function newDryRun(given: DryParts, user: DryUser): DryRun {
  const { schema, store, config, reader } = given;
  const parts = { schema, store, config, reader };
  let sent: Write | null = null;
  let inPlace: InPlaceStep[] = [];
  const written = new Set<ContentType>();
  const trace: WriteTrace = {
    begin: () => {
      inPlace = [];
    },
    sent: (write: Write) => {
      sent = write;
    },
    sentInPlace: (step: InPlaceStep) => {
      inPlace.push(step);
    },
  };
  const open = () => createDocuments({ ...parts, reader: noReads(reader), dryRun: trace });
  const serviceOf =
    (documents: ServiceByUid): ServiceOf =>
    async (type, request) => {
      written.add(type);
      return documents(type.uid).forRequest(request);
    };
  const changes = async (): Promise<readonly DocumentChange[]> => {
    const own = sent ? sent.steps.flatMap((step) => changedBy(step, schema)) : [];
    const others = await Promise.all(inPlace.map((step) => changedInPlace(step, parts)));
    return [...own, ...others]
      .filter(({ type, before }) => mayFind(user.caller, type) || (before === null && written.has(type)))
      .map((changed) => describe(changed, parts, user))
      .filter(({ change, differences }) => change !== 'update' || differences.length > 0);
  };
  return {
    service: async (type, request) => serviceOf(await open())(type, request),
    together: async (work) => (await open()).transaction((inside) => work(serviceOf(inside))),
    async report() {
      if (user.caller.grants?.reads) return { dryRun: true, changes: [], note: RULED };
      const isHooked = [...written].some(({ uid }) => given.documents.isWrapped(uid));
      return { dryRun: true, changes: await changes(), ...(isHooked && { note: HOOKED }) };
    },
  };
}

/** Renders nothing, since what was not written cannot be read. */
const noReads = (reader: Reader): Reader => ({
  ...reader,
  view(request) {
    const show = async (documentId: string) => ({ documentId });
    return { ...reader.view(request), read: show, show };
  },
});

/** Only changes of content types: claims and events are not content. */
function changedBy({ collection, before, after }: WriteStep, schema: Schema): readonly Changed[] {
  const { type, status } = versionsOf(schema).get(collection) ?? {};
  return !type || !status || type.storage ? [] : [{ type, version: status, before, after }];
}

async function changedInPlace(step: InPlaceStep, { store }: DocumentsOptions): Promise<Changed> {
  const { type } = step;
  const documents = adoptedDocuments(store);
  switch (step.kind) {
    case 'insert':
      return { type, version: 'published', before: null, after: step.document };
    case 'delete':
      return { type, version: 'published', before: await documents.read(type, step.id), after: null };
    case 'update': {
      const before = await documents.read(type, step.id);
      const after: Members = { ...copyOf(before) };
      for (const [path, value] of Object.entries(step.set)) put(after, path.split('.'), value);
      for (const path of step.unset) put(after, path.split('.'), undefined);
      return { type, version: 'published', before, after };
    }
    case 'saveDraft': {
      const { id, document } = step.draft;
      const before = (await documents.readDraft(type, id))?.document ?? (await documents.read(type, id));
      return { type, version: 'draft', before, after: document };
    }
    case 'dropDraft': {
      const before = (await documents.readDraft(type, step.id))?.document ?? null;
      return { type, version: 'draft', before, after: null };
    }
  }
}

type Members = Record<string, unknown>;

function put(document: Members, [key = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    document[key] = value;
    return;
  }
  const known = document[key];
  const inner = Array.isArray(known) || isPlainObject(known) ? known : {};
  document[key] = inner;
  put(inner as Members, rest, value);
}

/** Left out of a new document, which gets different ones when it is actually created. */
const KEYS: ReadonlySet<string> = new Set(['id', 'documentId']);

const NONE: PlainValues = new Map();

function describe(
  { type, version, before, after }: Changed,
  parts: DocumentsOptions,
  user: DryUser,
): DocumentChange {
  const valuesOf = (document: object | null): PlainValues =>
    document ? plainValues(document, type, parts, user) : NONE;
  const [was, becomes] = [valuesOf(before), valuesOf(after)];
  const paths = [...new Set([...was.keys(), ...becomes.keys()])].filter((path) => !KEYS.has(path));
  const change = before === null ? 'create' : after === null ? 'delete' : 'update';
  const known = documentIdOf(before, type);
  const locale = localeOf(after ?? before);
  return {
    type: type.uid,
    documentId: known ?? (change === 'create' ? null : ''),
    ...(locale !== null && { locale }),
    version,
    change,
    differences: paths.flatMap((path) => {
      const [old, now] = [was.get(path) ?? null, becomes.get(path) ?? null];
      return isDeepStrictEqual(old, now) ? [] : [{ path, before: old, after: now }];
    }),
  };
}

const documentIdOf = (document: object | null, { storage }: ContentType): string | null => {
  const { documentId, _id } = objectAt(document);
  const key = storage ? _id : documentId;
  return key === undefined || key === null ? null : String(key);
};

const localeOf = (document: object | null): string | null => textOf(objectAt(document)['locale']);
