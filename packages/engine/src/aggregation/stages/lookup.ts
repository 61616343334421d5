import type { Document } from 'bson';
import { fail } from '../../errors.js';
import { type Evaluate, extendScope, type Scope } from '../../expressions/scope.js';
import { compileAdditions, makeNode, setAction } from '../../projection/projection-tree.js';
import { gather, PAUSE, type Paced } from '../../values/pace.js';
import { rootOf } from '../../values/paths.js';
import { use } from '../../values/shortcuts.js';
import { isTurnOver, tick } from '../../values/work.js';
import type { CollectionAccess } from '../context.js';
import { type PushedDown, partlyNeeded, pushDown } from '../push-down.js';
import { type CompileStage, runStages, type Stage, type StageScope } from '../stage.js';
import { alignAll } from './align-all.js';
import { type DerivedFilter, deriveFilter } from './derive-filter.js';
import { JoinTable, joinFilter, localValues } from './join-keys.js';
import { type CheckJoined, joinedCheck } from './joined-size.js';
import { type LookupSpec, parseLookup } from './lookup-spec.js';

/** Finds the documents that each of some documents joins. */
type JoinAll = (documents: readonly Document[]) => Paced<readonly (readonly Document[])[]>;

const and = (filters: readonly Document[]): Document => {
  const full = filters.filter((filter) => Object.keys(filter).length > 0);
  return full.length === 1 ? (full[0] as Document) : full.length === 0 ? {} : { $and: full };
};

/** The distinct values of many documents, by equality. */
function* distinctValues(lists: readonly (readonly unknown[])[], scope: Scope): Paced<unknown[]> {
  const seen = new Map<unknown, unknown>();
  for (const list of lists) {
    for (const value of list) {
      const key = scope.hash(value);
      if (!seen.has(key)) seen.set(key, value);
    }
    if (isTurnOver()) yield PAUSE;
  }
  return [...seen.values()];
}

/** A join by equality whose sub-pipeline does not use its parent: one search serves many parents. */
function joinBatch(spec: LookupSpec, collection: CollectionAccess, within: StageScope): JoinAll {
  const { local, foreign } = spec.join as { local: string; foreign: string };
  const read = localValues(local);
  const stages = spec.pipeline ?? [];
  const { filter, rest } = splitMatch(stages);
  const compiled = within.pipeline(rest, within.scope, collection);
  const shared = compiled.findIndex((stage) => stage.align === undefined);
  const together = shared < 0 ? compiled : compiled.slice(0, shared);
  const apart = shared < 0 ? [] : compiled.slice(shared);
  const needed = partlyNeeded(rest, within.context.shortcuts);
  const fields = needed === undefined ? undefined : new Set([...needed, rootOf(foreign)]);
  return function* (documents) {
    const lists = documents.map(read);
    const values = yield* distinctValues(lists, within.scope);
    const found = yield* gather(
      collection.find({ filter: and([joinFilter(foreign, values), filter]), fields }),
    );
    // Whatever was found was found for the only document.
    if (documents.length === 1) return [yield* gather(runStages(found, compiled))];
    const table = yield* JoinTable.of(found, foreign, within.scope);
    const aligned = yield* alignAll(found, together);
    const joined: (readonly Document[])[] = [];
    for (const list of lists) {
      const own = aligned.pick(table.find(list));
      joined.push(apart.length === 0 ? own : yield* gather(runStages(own, apart)));
      tick();
      if (isTurnOver()) yield PAUSE;
    }
    return joined;
  };
}

/** Leading `$match`es as one filter, and the remaining stages. */
function splitMatch(stages: readonly Document[]): { filter: Document; rest: readonly Document[] } {
  const first = stages.findIndex((stage) => !('$match' in stage));
  const end = first < 0 ? stages.length : first;
  return { filter: and(stages.slice(0, end).map((stage) => stage['$match'])), rest: stages.slice(end) };
}

/** Queries the collection with the beginning of a sub-pipeline, using the variables' current values. */
function searchOf(
  derived: DerivedFilter,
  {
    extra,
    pushed,
    fields,
  }: {
    readonly extra: readonly Document[];
    readonly pushed: PushedDown;
    readonly fields: ReadonlySet<string> | undefined;
  },
) {
  const filters = [...extra, ...derived.constant];
  for (const derive of derived.derive) {
    const filter = derive();
    if (filter !== undefined) filters.push(filter);
  }
  const filter = and(filters);
  // With a residual condition the window comes after another test, so only the sort order can be used.
  if (derived.residual) return { filter, sort: pushed.sort, fields };
  return { filter, sort: pushed.sort, skip: pushed.skip, limit: pushed.limit, fields };
}

/** A join that is computed for each parent: its sub-pipeline uses variables, or there is no join by fields. */
function joinEach(spec: LookupSpec, collection: CollectionAccess, within: StageScope): JoinAll {
  const stages = spec.pipeline ?? [];
  const { scope, cells } = extendScope(within.scope, Object.keys(spec.variables));
  const inputs: Evaluate[] = Object.values(spec.variables).map((value) => within.scope.compile(value));
  const read = spec.join === undefined ? undefined : localValues(spec.join.local);
  const { shortcuts } = within.context;
  const pushed = pushDown(stages, shortcuts);
  const derived = deriveFilter(pushed.filter, scope);
  const reads = derived.residual ? partlyNeeded(stages, shortcuts) : pushed.fields;
  const compiled = within.pipeline(derived.residual ? stages : pushed.rest, scope, collection);
  const run = (locals: readonly unknown[] | undefined): Paced<readonly Document[]> => {
    const extra =
      locals === undefined || spec.join === undefined ? [] : [joinFilter(spec.join.foreign, locals)];
    const found = collection.find(searchOf(derived, { extra, pushed, fields: reads }));
    return gather(runStages(found, compiled));
  };
  return function* (documents) {
    // Parents with the same values share one result.
    const known = new Map<unknown, readonly Document[]>();
    const all: (readonly Document[])[] = [];
    for (const document of documents) {
      const values = inputs.map((input) => input(document));
      const locals = read?.(document);
      const key = within.scope.hash([values.map((value) => [value]), locals ?? null]);
      let joined = known.get(key);
      if (joined === undefined || !use(shortcuts, 'sharedJoins')) {
        cells.forEach((cell, i) => {
          cell.value = values[i];
        });
        joined = yield* run(locals);
        known.set(key, joined);
      }
      all.push(joined);
      tick();
      if (isTurnOver()) yield PAUSE;
    }
    return all;
  };
}

const FIRST_BATCH = 32;
const LARGEST_BATCH = 512;

type AddJoined = (document: Document, joined: readonly Document[]) => Document;

/** Adds the joined documents to a copy of the document. */
function makeAdd(as: string): AddJoined {
  const node = makeNode();
  let current: readonly Document[] = [];
  setAction(node, as, { kind: 'compute', evaluate: () => current });
  const add = compileAdditions(node);
  return (document, joined) => {
    current = joined;
    return add(document);
  };
}

function joinStage(join: JoinAll, check: CheckJoined, add: AddJoined): Stage {
  const addAll = function* (documents: readonly Document[]): Paced<Document[]> {
    const lists = yield* join(documents);
    const added: Document[] = [];
    for (const [i, document] of documents.entries()) {
      const joined = lists[i] as readonly Document[];
      check(document, joined);
      added.push(add(document, joined));
      tick();
      if (isTurnOver()) yield PAUSE;
    }
    return added;
  };
  return {
    run: function* run(source) {
      let size = FIRST_BATCH;
      let batch: Document[] = [];
      for (const document of source) {
        if (document === PAUSE) {
          yield PAUSE;
          continue;
        }
        batch.push(document);
        if (batch.length < size) continue;
        yield* yield* addAll(batch);
        batch = [];
        size = Math.min(size * 2, LARGEST_BATCH);
      }
      if (batch.length > 0) yield* yield* addAll(batch);
    },
    *align(documents) {
      return { documents: yield* addAll(documents), from: documents.map((_, i) => i) };
    },
  };
}

/** A collection of the documents from a pipeline that begins with `$documents`. */
const NOTHING: CollectionAccess = { find: () => [] };

/** `$lookup` in all its forms. */
export const lookup: CompileStage = (operand, within) => {
  const spec = parseLookup(operand);
  const collection = spec.from === undefined ? NOTHING : within.collection(spec.from, spec.database);
  if (spec.from === undefined && !('$documents' in (spec.pipeline?.[0] ?? {}))) {
    fail('FailedToParse', "missing 'from' option to $lookup stage specification");
  }
  const independent = Object.keys(spec.variables).length === 0;
  const batched = spec.join !== undefined && independent && use(within.context.shortcuts, 'batchedJoins');
  const earlier = (within.kept ?? []).filter((as) => as !== spec.as);
  return joinStage(
    (batched ? joinBatch : joinEach)(spec, collection, within),
    joinedCheck(spec.from ?? '', { earlier, answered: within.kept !== undefined }),
    makeAdd(spec.as),
  );
};
