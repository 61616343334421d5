/**
 * Reads within a transaction. What it has changed is not stored yet, so a read that would meet it is refused, except
 * for one entry by its documentId: no answer leaves out a change.
 */
import { type ApiError, errors } from '../errors.js';
import type { Condition, ReadPlan, RelationTarget } from '../query/read-plan.js';
import { isLocalizations } from '../schema/relation.js';
import { collectionName, statusesOf } from '../schema/stored/collections.js';
import type { ContentType } from '../schema/types.js';
import type { DocumentsContext } from './context.js';
import type { Reader, ReadRequest, View } from './read/reader.js';
import { typesMet } from './read/types-met.js';

const refusal = (uid: string): ApiError =>
  errors.application(
    'transaction-read',
    `This transaction has changed entries of ${uid}: until it ends, they can only be read one by one, without filters and populate`,
  );

const noPopulate = (): ApiError =>
  errors.application('transaction-read', 'A write in a transaction cannot populate what it answers');

/** The document that is all a condition allows; null if there may be others. */
const documentIn = (filter: Condition): unknown => {
  if (filter.kind === 'and') return filter.of.map(documentIn).find((one) => one !== null) ?? null;
  if (filter.kind !== 'test' || filter.attribute.name !== 'documentId') return null;
  const { operator, negated, values } = filter.test;
  return operator === 'eq' && !negated ? (values[0] ?? null) : null;
};

/** A plan without the other locales of what it finds, which are the same document, if only their scalars are shown. */
const withoutLocalizations = (plan: ReadPlan): ReadPlan => {
  const isPlain = ({ filter, selection }: RelationTarget): boolean =>
    filter.kind === 'always' &&
    [selection.relations, selection.components, selection.zones].every(({ length }) => length === 0);
  const relations = plan.selection.relations.filter(
    ({ attribute, targets }) => !isLocalizations(attribute) || !targets.every(isPlain),
  );
  return { ...plan, selection: { ...plan.selection, relations } };
};

/** Whether the transaction of a context has changed a document, or any of its type if null. */
const hasChanged = ({ transaction }: DocumentsContext, type: ContentType, documentId: unknown): boolean =>
  statusesOf(type).some((status) =>
    (transaction?.pending.of(collectionName(type, status)) ?? []).some(
      ({ before, after }) => documentId === null || (after ?? before)?.['documentId'] === documentId,
    ),
  );

/** The first type besides a plan's own that it meets, and that was changed; undefined if there is none. */
const changedBeside = (context: DocumentsContext, plan: ReadPlan): string | undefined =>
  [...typesMet(plan)].find((uid) => {
    const type = context.schema.contentTypes.get(uid);
    return type !== undefined && hasChanged(context, type, null);
  });

/** For rules, which test changed entries themselves: refuses conditions that depend on other changed entries. */
export function ruleReader(context: DocumentsContext, reader: Reader): Pick<Reader, 'list' | 'holds'> {
  if (!context.transaction) return reader;
  const checked = (request: ReadRequest): ReadRequest => {
    const uid = changedBeside(context, reader.prepare({ ...request, target: 'list' }).read.plan);
    if (uid !== undefined)
      throw errors.application(
        'transaction-rule',
        `A rule depends on entries of ${uid}, which this transaction has changed`,
      );
    return request;
  };
  return {
    list: async (request) => reader.list(checked(request)),
    holds: async (request, entry) => reader.holds(checked(request), entry),
  };
}

/** The reader for the callers of a context. */
export function readerWithin(context: DocumentsContext, reader: Reader): Reader {
  if (!context.transaction) return reader;
  const changedIn = (plan: ReadPlan, documentId: unknown): string | undefined =>
    hasChanged(context, plan.type, documentId)
      ? plan.type.uid
      : changedBeside(context, documentId === null ? plan : withoutLocalizations(plan));
  const checked = (request: ReadRequest, documentId?: string): ReadRequest => {
    const { plan } = reader.prepare({ ...request, target: 'list' }).read;
    const uid = changedIn(plan, documentId ?? documentIn(plan.filter));
    if (uid !== undefined) throw refusal(uid);
    return request;
  };
  const view = (request: ReadRequest): View => viewWithin(context, reader.view(request));
  return {
    ...reader,
    view,
    list: async (request) => reader.list(checked(request)),
    single: async (request) => reader.single(checked(request)),
    json: async (request, of) => reader.json(checked(request), of),
    count: async (request) => reader.count(checked(request)),
    async one(request, documentId) {
      const { plan, populates } = reader.prepare({ ...request, target: 'one' }).read;
      const isPlain = !populates && plan.filter.kind === 'always' && plan.publication === null;
      if (isPlain && !plan.type.storage) return { data: await view(request).read(documentId), timings: [] };
      return reader.one(checked(request, documentId), documentId);
    },
  };
}

/** Shows entries as they will be stored. */
function viewWithin({ read }: DocumentsContext, view: View): View {
  const { plan, populates } = view;
  const { type, status, locale } = plan;
  const show: View['show'] = async (documentId, entry) => {
    if (populates) throw noPopulate();
    return view.show(documentId, entry);
  };
  return {
    ...view,
    show,
    checkReadable: async () => {
      if (populates) throw noPopulate();
    },
    async read(documentId) {
      const inLocale = locale.kind === 'one' ? { locale: locale.code } : {};
      const [entry] = await read(collectionName(type, status), { documentId, ...inLocale });
      return entry ? show(documentId, entry) : null;
    },
  };
}
