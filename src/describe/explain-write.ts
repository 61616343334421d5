import type { PlannedEntry, WritePlan } from '../documents/plan/write-plan.js';
import { newTimer, type Timing } from '../documents/read/prepare-read.js';
import type { Reader, ReadRequest, View } from '../documents/read/reader.js';
import type { DocumentsOptions } from '../documents/service.js';
import { createDocuments } from '../documents/service.js';
import type { FoundTarget, WriteTrace } from '../documents/trace.js';
import { ApiError, errors } from '../errors.js';
import { textQuery } from '../query/query.js';
import type { Caller } from '../query/read-plan.js';
import { querySettings } from '../query/settings.js';
import type { Model } from '../schema/types.js';
import { type InPlaceStep, operationOf } from '../store/adopted/in-place.js';
import type { Store } from '../store/client.js';
import { collectionOf } from '../store/connection/collections.js';
import { detectDeployment } from '../store/connection/deployment.js';
import type { Write } from '../store/entries/changes.js';
import type { ChangeEvent } from '../store/outbox/outbox.js';
import { slotsOfPage, withJoins } from '../store/reads/read.js';
import { type DryOperations, dryEvents, dryOperations } from '../store/writes/dry-write.js';
import { isObject } from '../values/plain-object.js';
import { plainPlan } from './plain-plan.js';
import { collectionText, readCommands } from './read-commands.js';
import { requestedBy } from './requested.js';
import { shellText } from './shell-text.js';

/** One version that a write stores: the draft, then its publication. */
interface VersionWrite {
  /** The parsed body: values, links and items by their paths. */
  readonly plan: unknown;
  /** The targets in the body, with the documents that were found. */
  readonly targets: readonly unknown[];
  /** The entry that would be stored. */
  readonly entry: unknown;
}

export interface WriteExplanation {
  readonly method: 'POST' | 'PUT';
  /** The plan of the answer's query. */
  readonly query: unknown;
  readonly versions: readonly VersionWrite[];
  /** Commands for mongosh, in the order in which they would be sent. */
  readonly commands: readonly string[];
  /**
   * How they are committed: in one transaction, or with a journal entry if there are no transactions;
   * separately in adopted collections.
   */
  readonly committedBy: 'transaction' | 'journal' | 'nothing';
  /** The body of the answer; null if the entry would be read again to populate it, with `reads`. */
  readonly answer: unknown;
  readonly reads: readonly string[];
  /** The error that ends the write, as it would be answered. */
  readonly refused: Pick<ApiError, 'status' | 'name' | 'message' | 'details'> | null;
  readonly timings: readonly Timing[];
}

interface ExplainWriteOptions extends Omit<DocumentsOptions, 'dryRun'> {
  readonly caller: Caller;
}

/** Records the steps. A conflict starts over. */
class Notes implements WriteTrace {
  write: Write | null = null;
  /** What would be sent to adopted collections, and the events about it. */
  inPlace: InPlaceStep[] = [];
  events: readonly ChangeEvent[] = [];
  /** Of the document shown. */
  documentId = '';
  /** The plan of the answer, and the duration of its steps. */
  query: unknown = null;
  prepared: readonly Timing[] = [];
  readonly timer = newTimer();
  #plans: unknown[] = [];
  #targets: (readonly FoundTarget[])[] = [];
  #entries: unknown[] = [];

  begin(): void {
    this.timer.mark('check');
    this.#plans = [];
    this.#targets = [];
    this.#entries = [];
    this.inPlace = [];
  }

  planned(plan: WritePlan): void {
    this.timer.mark('plan');
    // Converted at once: later steps change its values to stored form.
    this.#plans.push(plainWritePlan(plan));
  }

  resolved(targets: readonly FoundTarget[]): void {
    this.timer.mark('resolve');
    this.#targets.push(targets);
  }

  validated(): void {
    this.timer.mark('validate');
  }

  built(entry: object): void {
    this.timer.mark('build');
    this.#entries.push(plainPlan(entry));
  }

  viewed({ plan, timings }: View): void {
    this.timer.mark('query');
    this.query = plainPlan(plan);
    this.prepared = timings;
  }

  sent(write: Write): void {
    this.timer.mark('commit');
    this.write = write;
  }

  sentInPlace(step: InPlaceStep): void {
    this.timer.mark('commit');
    this.inPlace.push(step);
  }

  sentEvents(events: readonly ChangeEvent[]): void {
    this.events = events;
  }

  /** The steps of the query first, then those of the body. */
  timings(): readonly Timing[] {
    const steps = this.timer.timings.filter(([name]) => name !== 'query');
    return [...this.prepared.map(([name, ms]) => [`query ${name}`, ms] as const), ...steps];
  }

  versions(): readonly VersionWrite[] {
    return this.#plans.map((plan, at) => ({
      plan,
      targets: (this.#targets[at] ?? []).map(plainPlan),
      entry: this.#entries[at] ?? null,
    }));
  }
}

/**
 * Explains a write with a parsed request body. Errors of the write are part of the explanation; throws if the
 * path belongs to no content type.
 */
export async function explainWrite(
  url: string,
  body: unknown,
  options: ExplainWriteOptions,
): Promise<WriteExplanation> {
  const { schema, store, config, reader, caller } = options;
  const requested = requestedBy(url, schema, config.rest.prefix);
  const { type, documentId } = requested;
  const query = textQuery(requested.query, querySettings(config, 'rest').limits);
  const request: ReadRequest = { type, query, caller };
  const notes = new Notes();
  const unsent = { ...options, reader: withoutReads(reader, notes), dryRun: notes };
  const documents = await createDocuments(unsent);
  const data = isObject(body) ? body['data'] : undefined;
  const service = documents(type.uid).forRequest({ ...request, data });
  const method = type.kind === 'collectionType' && documentId === null ? 'POST' : 'PUT';
  let answer: unknown = null;
  let refused: ApiError | null = null;
  try {
    const one = documentId === null ? service.create() : service.update(documentId);
    answer = (await (type.kind === 'singleType' ? service.updateSingle() : one)).data;
    if (!notes.write && notes.inPlace.length === 0) throw errors.notFound();
    notes.timer.mark('show');
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    refused = error;
  }
  const { write, inPlace, events } = notes;
  const isSent = write !== null || inPlace.length > 0;
  const deployment = await detectDeployment(store.db);
  return {
    method,
    query: notes.query,
    versions: notes.versions(),
    commands: [
      ...inPlace.flatMap((step) => inPlaceCommand(store, step)),
      ...(write ? dryOperations(write, deployment) : dryEvents(events)).map(commandOf),
    ],
    committedBy: inPlace.length > 0 ? 'nothing' : deployment === 'standalone' ? 'journal' : 'transaction',
    answer,
    reads: isSent ? await readsOf(request, notes.documentId, options) : [],
    refused: refused && plainError(refused),
    timings: notes.timings(),
  };
}

/** Skips reads that would need the result of the write. */
const withoutReads = (reader: Reader, notes: Notes): Reader => ({
  ...reader,
  view(request) {
    const view = reader.view(request);
    notes.viewed(view);
    const read = async (documentId: string): Promise<null> => {
      notes.documentId = documentId;
      return null;
    };
    const show: View['show'] = (documentId, entry) =>
      view.populates ? read(documentId) : view.show(documentId, entry);
    return { ...view, read, show };
  },
});

/** The commands that read the answer: to populate it, or to read an adopted document. */
async function readsOf(
  request: ReadRequest,
  documentId: string,
  { reader, store }: ExplainWriteOptions,
): Promise<readonly string[]> {
  const { read } = reader.prepare({ ...request, target: 'written' });
  if (!read.populates && !request.type.storage) return [];
  return withJoins({ store }, read.compiled, { documentId }, async (final, joined) =>
    readCommands(store, final, await slotsOfPage({ store }, final, joined), null),
  );
}

const commandOf = ({ collection, operations }: DryOperations): string =>
  `${collectionText(collection)}.bulkWrite(${shellText(operations)})`;

function inPlaceCommand(store: Store, step: InPlaceStep): readonly string[] {
  const sent = operationOf(step);
  if (!sent) return [];
  const { collectionName: collection } = collectionOf(store, sent.source);
  return [commandOf({ collection, operations: [sent.operation] })];
}

const plainError = ({ status, name, message, details }: ApiError) => ({ status, name, message, details });

function plainWritePlan({ root, action, inheritedNames, needs }: WritePlan): unknown {
  return plainPlan({
    action,
    ...(inheritedNames.size > 0 && { inherited: [...inheritedNames] }),
    root: plainEntry(root),
    componentIds: needs.componentIds,
  });
}

/** Leaves out empty parts. */
function plainEntry({ model, path, values, links, items }: PlannedEntry): object {
  const inside = [...items].flatMap(([name, entries]) =>
    entries.length > 0 ? [[name, entries.map(plainEntry)] as const] : [],
  );
  const changed = [...links].filter(([, { kind }]) => kind !== 'none');
  const own = Object.entries(values)
    .filter(([name, value]) => value !== undefined && !items.has(name) && !links.has(name))
    .map(([name, value]) => [name, isPassword(model, name) ? '(a password)' : value] as const);
  return {
    model,
    ...(path.length > 0 && { path: path.join('.') }),
    values: Object.fromEntries(own),
    ...(changed.length > 0 && { links: Object.fromEntries(changed) }),
    ...(inside.length > 0 && { items: Object.fromEntries(inside) }),
  };
}

const isPassword = ({ attributes }: Model, name: string): boolean => {
  const attribute = attributes.get(name);
  return attribute?.kind === 'scalar' && attribute.type === 'password';
};
