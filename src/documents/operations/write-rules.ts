/** The rules of a caller for what it writes: which body, which entries, which targets of relations. */
import { errors } from '../../errors.js';
import type { RawObject } from '../../query/ast.js';
import { CallerValue, CallerValues } from '../../query/caller-values.js';
import { paramsQuery } from '../../query/query.js';
import type { Caller, Grants, Rule } from '../../query/read-plan.js';
import { collectionName, statusesOf } from '../../schema/stored/collections.js';
import type { ContentType, Status } from '../../schema/types.js';
import type { InPlaceStep } from '../../store/adopted/in-place.js';
import type { Entry, WriteStep } from '../../store/entries/changes.js';
import type { Pending } from '../../store/entries/pending.js';
import type { ResolveContext } from '../context.js';
import type { Reader, ReadRequest } from '../read/reader.js';

/** Filters of which each list must have one that matches. */
type Lists = readonly (readonly RawObject[])[];

/** What a write must keep to. */
export interface WriteRules {
  /** Throws a 403 if no entry of a document may be changed, or if there is none. */
  checkDocument(documentId: string): Promise<void>;
  /** Throws a 403 if the write changes entries of a document that it may not, or leaves such. */
  checkSteps(documentId: string, steps: readonly WriteStep[]): Promise<void>;
  /** The same for the changes of a document in an adopted collection. */
  checkInPlace(documentId: string, steps: readonly InPlaceStep[]): Promise<void>;
  /** The targets of relations that the caller may read: see `ResolveContext`. */
  readonly readable: NonNullable<ResolveContext['readable']>;
}

interface Asked {
  readonly type: ContentType;
  readonly caller: Caller;
  /** The rules of the action that allow the body; null: it has none. */
  readonly rules: readonly Rule[] | null;
  /** Whether the answer shows the draft, which stays. */
  readonly showsDraft?: boolean;
  /** The document may have been deleted; what it was has been tested before. */
  readonly mayBeGone?: boolean;
}

const filtersOf = (rules: readonly Rule[] | null): Lists => {
  if (rules === null) return [];
  const filters = rules.map(({ where }) => where);
  return filters.every((filter) => filter !== null) ? [filters] : [];
};

const NO_VALUES = new CallerValues(() => undefined);
/** The value by which a plan names the document that is tested. */
const DOCUMENT = '$document';

/** How stored entries are tested, and those that the transaction of the write has changed. */
interface Reading {
  readonly reader: Pick<Reader, 'list' | 'holds'>;
  readonly pending?: Pending | undefined;
}

/** Null if the caller has no rules that a write must keep to. */
export function writeRulesOf(
  { type, caller, rules, showsDraft = false, mayBeGone = false }: Asked,
  { reader, pending }: Reading,
): WriteRules | null {
  const reads = caller.grants?.reads;
  const own = filtersOf(rules);
  if (!reads && own.length === 0) return null;
  const readable = (uid: string): Lists => reads?.get(uid)?.where ?? [];
  const before = [...readable(type.uid), ...own];
  const drafts = statusesOf(type);
  const listing = (of: ContentType, lists: Lists, params: RawObject): ReadRequest => ({
    type: of,
    caller: { grants: lists.length === 0 ? null : seeing(of, lists, caller.grants?.values) },
    query: paramsQuery(params),
  });
  /** Reads documents; of one, with a plan that serves all documents and callers. */
  const listingOf = (documentIds: readonly string[], of: ContentType, lists: Lists, params: RawObject) => {
    const [documentId, ...others] = documentIds;
    if (documentId === undefined || others.length > 0) {
      const request = listing(of, lists, { ...params, filters: { documentId: { $in: documentIds } } });
      return { ...request, query: { ...request.query, key: null } };
    }
    const values = (caller.grants?.values ?? NO_VALUES).with(DOCUMENT, documentId);
    const asked = { ...params, filters: { documentId: new CallerValue(DOCUMENT, values) } };
    const query = { ...paramsQuery(asked), key: `one ${JSON.stringify(asked)}` };
    return { type: of, caller: { grants: seeing(of, lists, values) }, query };
  };
  const seen = async (of: ContentType, lists: Lists, status: Status, documentIds: readonly string[]) => {
    const inStatus = { status, locale: '*', fields: [of.localized ? 'locale' : 'documentId'] };
    const stored = (await reader.list(listingOf(documentIds, of, lists, inStatus))).data;
    const changed = (pending?.of(collectionName(of, status)) ?? []).filter((step) =>
      documentIds.some((documentId) => isOf(step, documentId)),
    );
    const former = new Set(changed.map(({ before }) => Number(before?.['id'])));
    const rows: Entry[] = stored.filter(({ id }) => !former.has(Number(id)));
    for (const { after } of changed)
      if (after && (await reader.holds(listing(of, lists, inStatus), after))) rows.push(after);
    return rows;
  };
  const exists = async (documentId: string): Promise<boolean> => {
    const all = await Promise.all(drafts.map((status) => seen(type, [], status, [documentId])));
    return all.some((rows) => rows.length > 0);
  };
  const checkLeft = async (entry: Entry, params: RawObject): Promise<void> => {
    if (own.length > 0 && !(await reader.holds(listing(type, own, params), entry)))
      throw errors.entryRefused();
  };
  return {
    async checkDocument(documentId) {
      if (before.length === 0) return;
      const found = await Promise.all(drafts.map((status) => seen(type, before, status, [documentId])));
      if (found.some((rows) => rows.length > 0)) return;
      if (mayBeGone && !(await exists(documentId))) return;
      throw errors.entryRefused();
    },
    async checkSteps(documentId, steps) {
      if (before.length === 0) return;
      for (const status of drafts) {
        const collection = collectionName(type, status);
        const mine = steps.filter((step) => step.collection === collection && isOf(step, documentId));
        const changed = mine.flatMap((step) => (step.before ? [step.before] : []));
        const left = mine.flatMap(({ after }) => (after ? [after] : []));
        const isShown = showsDraft && status === 'draft';
        const rows = changed.length > 0 || isShown ? await seen(type, before, status, [documentId]) : [];
        const known = new Set(rows.map(({ id }) => Number(id)));
        if (!changed.every(({ id }) => known.has(Number(id)))) throw errors.entryRefused();
        const locales = new Set(rows.map(({ locale }) => locale ?? null));
        if (isShown && !steps.every((step) => locales.has(step.before?.['locale'] ?? null)))
          throw errors.entryRefused();
        for (const entry of left) await checkLeft(entry, { status, locale: '*' });
      }
    },
    async checkInPlace(documentId, steps) {
      if (before.length === 0) return;
      for (const status of drafts)
        if (steps.some((step) => replacedBy(step) === status))
          if ((await seen(type, before, status, [documentId])).length === 0) throw errors.entryRefused();
      for (const step of steps) {
        const left = leftBy(step);
        // Documents of both collections have the same form.
        if (left) await checkLeft(left, { status: 'published' });
      }
    },
    async readable(of, documentIds) {
      const lists = readable(of.uid);
      if (lists.length === 0) return null;
      const statuses = caller.anonymous ? (['published'] as const) : statusesOf(of);
      const found = await Promise.all(statuses.map((status) => seen(of, lists, status, documentIds)));
      return found.flat();
    },
  };
}

/** The version of a document that a step replaces or removes; null: it adds one. */
function replacedBy(step: InPlaceStep): Status | null {
  if (step.kind === 'update' || step.kind === 'delete') return 'published';
  const isNew =
    step.kind === 'insert' ||
    (step.kind === 'saveDraft' && step.draft.changed === null && step.replaces === 0);
  return isNew ? null : 'draft';
}

/** The document as a step leaves it; null: it removes it. */
function leftBy(step: InPlaceStep): Entry | null {
  if (step.kind === 'saveDraft') return step.draft.document;
  return 'document' in step ? step.document : null;
}

const isOf = ({ before, after }: WriteStep, documentId: string): boolean =>
  [before, after].some((entry: Entry | null) => entry?.['documentId'] === documentId);

/** The grants of whoever may read of a type only what these filters let it, and of others everything. */
export const seeing = ({ uid }: ContentType, where: Lists, values: CallerValues | undefined): Grants => ({
  version: `by rule ${JSON.stringify(where)}`,
  allows: () => true,
  ...(values && { values }),
  reads: new Map([[uid, { where, fields: null }]]),
});
