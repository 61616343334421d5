import type { Document } from 'bson';
import { pushDown } from '../aggregation/index.js';
import { isWriteStage, stageName } from '../aggregation/stage-rules.js';
import { openChangeStream } from '../changes/change-stream.js';
import { type EngineError, fail, isRefusal } from '../errors.js';
import { compileFilter } from '../matching/index.js';
import { compileFields, type FieldReader } from '../options/read-fields.js';
import { choosePlan } from '../planner/choose-plan.js';
import { chooseColumns } from '../planner/column-scan.js';
import { describePlan, explainPlanner, type Shown, withCounts } from '../planner/explain.js';
import type { Plan, Query } from '../planner/plan.js';
import { countQuery, planCount, runPlan } from '../planner/run-query.js';
import { storedRecord } from '../records/records.js';
import type { CollectionMeta } from '../storage/catalog.js';
import type { Reader } from '../storage/view.js';
import { gather, PAUSE, type Paced } from '../values/pace.js';
import { readCount } from './counted.js';
import {
  answering,
  counting,
  deleting,
  type Outer,
  type Seen,
  updating,
  wrapStages,
} from './explain-outer.js';
import { FIELDS, GENERIC } from './fields.js';
import { checkAsked, updateAsked } from './find-and-modify.js';
import { type Answer, type Command, checkName, type Operation, readPaced } from './operation.js';
import { pipelineRows } from './pipeline-rows.js';
import { collationOf, documentOf, hintOf, queryOf } from './query-options.js';
import { explainedParameters, versionOf } from './server-info.js';
import { collectionNameOf } from './source-stages.js';
import {
  compiledUpdate,
  type DeleteStatement,
  deletesOf,
  type UpdateStatement,
  updatesOf,
} from './statements.js';
import { findAsPipeline, resolveSource } from './views.js';
import { describeWrite } from './write-stages.js';

const serverInfo = (operation: Operation): Document => ({
  host: operation.engine.address.split(':')[0],
  port: Number(operation.engine.address.split(':')[1] ?? 0),
  version: versionOf(operation.engine),
});

/** What is explained: a query, and what a command does with the results. */
interface Asked {
  readonly name: string;
  readonly query: Query;
  readonly verbosity: Verbosity;
  readonly outer?: Outer | undefined;
  /** The projection of a find. */
  readonly shown?: Shown | undefined;
  /** The path whose values are requested. */
  readonly distinct?: string | undefined;
  /** Only the number of results is requested. */
  readonly counts?: boolean | undefined;
}

const choose = (reader: Reader, collection: CollectionMeta, { query, counts }: Asked): Plan =>
  (counts === true ? planCount : choosePlan)(reader, collection, query);

/** Runs a plan to its end. */
function* meet(
  { meter }: Operation,
  reader: Reader,
  plan: Plan | undefined,
  { query, outer, counts }: Asked,
): Paced<Seen> {
  if (plan === undefined) return NOTHING;
  let found = 0;
  let changed = 0;
  if (counts === true) return { found: yield* countQuery(reader, plan.collection, query, meter), changed };
  for (const row of runPlan(reader, plan, query, meter)) {
    if (row === PAUSE) {
      yield PAUSE;
      continue;
    }
    found += 1;
    if (outer?.update === undefined) continue;
    const { document } = storedRecord(row);
    if (outer.update.apply(document) !== document) changed += 1;
  }
  return { found, changed };
}

const NOTHING: Seen = { found: 0, changed: 0 };

/** As `meet`; if the query fails, the error is part of the result, since the plan was requested. */
function* tryToMeet(
  operation: Operation,
  reader: Reader,
  plan: Plan | undefined,
  asked: Asked,
): Paced<{ seen: Seen; failure?: EngineError }> {
  try {
    return { seen: yield* meet(operation, reader, plan, asked) };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { seen: NOTHING, failure: error };
  }
}

const shownOf = ({ shown, counts }: Asked): Shown => (counts === true ? { counts } : (shown ?? {}));

/** The paths that are read by columns. */
function* columnPaths(
  reader: Reader,
  plan: Plan,
  { query, distinct, counts }: Asked,
): Paced<readonly string[]> {
  const wanted = counts === true ? 'count' : distinct === undefined ? 'records' : { values: distinct };
  const { rows } = yield* chooseColumns(reader, plan, query, wanted);
  return rows?.paths ?? [];
}

function* explainQuery(operation: Operation, reader: Reader, given: Asked): Paced<Document> {
  const asked = { ...given, query: { ...given.query, columns: operation.engine.columns.present } };
  const { name, verbosity, outer } = asked;
  compileFilter(asked.query.filter, asked.query);
  const collection = reader.catalog.get(operation.db, name);
  const chosen = collection === undefined ? undefined : choose(reader, collection, asked);
  // Skip and limit belong to the counting stage itself, and to no stage of a write.
  const query = outer === undefined ? asked.query : { ...asked.query, skip: undefined, limit: undefined };
  const columns = chosen && (yield* columnPaths(reader, chosen, asked));
  const stages =
    chosen === undefined ? { stage: 'EOF' } : describePlan(chosen, query, { ...shownOf(asked), columns });
  // If there is no collection, nothing is written or counted.
  const does = chosen === undefined ? undefined : outer;
  const out: Document = {
    queryPlanner: {
      namespace: `${operation.db}.${name}`,
      ...(chosen === undefined ? {} : explainPlanner(query)),
      winningPlan: wrapStages(does, stages),
      rejectedPlans: [],
    },
  };
  if (verbosity === 'queryPlanner') return out;
  const before = performance.now();
  const { seen, failure } = yield* tryToMeet(operation, reader, chosen, asked);
  const returned = outer === undefined ? seen.found : outer.returned(seen);
  const { meter } = operation;
  out['executionStats'] = {
    executionSuccess: failure === undefined,
    ...(failure === undefined ? {} : { errorMessage: failure.message, errorCode: failure.code }),
    nReturned: returned,
    executionTimeMillis: Math.round(performance.now() - before),
    totalKeysExamined: meter.keysExamined,
    totalDocsExamined: meter.docsExamined,
    executionStages: { ...wrapStages(does, withCounts(stages, meter), seen), nReturned: returned },
    ...(verbosity === 'allPlansExecution' ? { allPlansExecution: [] } : {}),
  };
  return out;
}

/** A pipeline to explain, and its collection. */
interface AskedPipeline {
  readonly name: string;
  readonly stages: readonly Document[];
  readonly verbosity: Verbosity;
}

function* explainPipeline(
  operation: Operation,
  reader: Reader,
  { name, stages, verbosity }: AskedPipeline,
): Paced<Document> {
  if (stageName(stages[0]) === '$changeStream') {
    const collection = typeof operation.body['aggregate'] === 'string' ? name : undefined;
    openChangeStream(operation.engine, { db: operation.db, collection }, stages);
    return { stages };
  }
  const source = resolveSource(reader, operation.db, name);
  const collation = collationOf(operation.body, reader.catalog.get(operation.db, name));
  const { rest, fields: _, ...asked } = pushDown([...source.stages, ...stages], operation.meter.shortcuts);
  const { shortcuts } = operation.meter;
  const query: Query = { shortcuts, ...asked, collation, hint: hintOf(operation.body['hint']) };
  const counts = readCount(rest) !== undefined;
  const first = yield* explainQuery(operation, reader, { name: source.name, query, verbosity, counts });
  if (rest.length === 0) return first;
  // Compiled, and thus checked, in any case; run without its write.
  const rows = pipelineRows(operation, reader, name, stages);
  const read = isWriteStage(stages.at(-1)) ? stages.slice(0, -1) : stages;
  if (verbosity !== 'queryPlanner')
    yield* gather(read === stages ? rows : pipelineRows(operation, reader, name, read));
  const shown = rest.map((stage) => (isWriteStage(stage) ? describeWrite(stage, operation.db) : stage));
  return { stages: [{ $cursor: first }, ...shown] };
}

/** What can be explained, by name, with its parser. */
const EXPLAINED: Readonly<Record<string, FieldReader>> = Object.fromEntries(
  ['aggregate', 'count', 'delete', 'distinct', 'find', 'findAndModify', 'update'].map((name) => [
    name,
    compileFields(
      { [name]: 'any', ...FIELDS[name as keyof typeof FIELDS] },
      { context: name, shared: GENERIC },
    ),
  ]),
);

/** The verbosity: the plan, its statistics, and those of the other plans. */
type Verbosity = 'queryPlanner' | 'executionStats' | 'allPlansExecution';

/** The stages after the query when a command reads a view, as MongoDB turns it into a pipeline. */
const VIEW_TAILS: Readonly<Record<string, (body: Document) => Document[]>> = {
  count: () => [{ $count: 'count' }],
  distinct: ({ key }) => [{ $group: { _id: null, distinct: { $addToSet: `$${key}` } } }],
};

/** Whether a write uses only the first document that it finds. */
const isSingle = (statement: UpdateStatement | DeleteStatement | undefined): boolean =>
  statement !== undefined && ('update' in statement ? !statement.multi : statement.limit === 1);

/** What an explained findAndModify does. */
function modifying(body: Document, query: Query): Outer {
  checkAsked(body);
  return body['remove'] === true ? deleting : updating(updateAsked(body, query), body['upsert'] === true);
}

const FILTERS: Readonly<Record<string, string>> = {
  find: 'filter',
  count: 'query',
  distinct: 'query',
  findAndModify: 'query',
};

function* explainCommand(
  operation: Operation,
  reader: Reader,
  given: Document,
  verbosity: Verbosity,
): Paced<Document> {
  const first = Object.keys(given)[0] as string;
  const command = first === 'findandmodify' ? 'findAndModify' : first;
  const inner =
    EXPLAINED[command]?.(first === command ? given : { [command]: given[first], ...given }) ?? given;
  const { $db = operation.db } = given;
  if ($db !== operation.db)
    fail('InvalidNamespace', `Mismatched $db in explain command. Expected ${operation.db} but got ${$db}`);
  if (inner['writeConcern'] !== undefined)
    fail('InvalidOptions', 'Command does not support writeConcern where it is explained');
  const name = String(inner[command]);
  checkName(operation.db, name);
  const collection = reader.catalog.get(operation.db, name);
  if (command === 'aggregate')
    return yield* explainPipeline({ ...operation, body: inner }, reader, {
      name,
      stages: inner['pipeline'],
      verbosity,
    });
  if (command === 'update' || command === 'delete') {
    const within = { ...operation, command, body: inner, sequences: new Map() };
    const [statement] = command === 'update' ? updatesOf(within) : deletesOf(within);
    const { filter = {}, given = {} } = statement ?? {};
    const collation = collationOf(given, collection);
    const query: Query = {
      shortcuts: operation.meter.shortcuts,
      filter,
      collation,
      hint: hintOf(given['hint']),
      limit: isSingle(statement) ? 1 : undefined,
    };
    const outer =
      statement !== undefined && 'update' in statement
        ? updating(compiledUpdate(statement, collation, inner['let']), statement.upsert)
        : deleting;
    return yield* explainQuery(operation, reader, { name, query, verbosity, outer });
  }
  const filter = FILTERS[command];
  if (filter === undefined)
    return fail('CommandNotFound', `Explain failed due to unknown command: ${command}`);
  const query = queryOf({ body: inner, meter: operation.meter }, filter, collection);
  if (command === 'findAndModify') {
    if (reader.catalog.databaseLike((db) => db === operation.db) === undefined)
      fail('NamespaceNotFound', `database ${operation.db} does not exist`);
    const outer = answering(modifying(inner, query), inner);
    return yield* explainQuery(operation, reader, { name, query: { ...query, limit: 1 }, verbosity, outer });
  }
  if (collection?.options['viewOn'] === undefined) {
    const projection = documentOf(inner, 'projection');
    const asked = { name, query, verbosity };
    if (command === 'count')
      return yield* explainQuery(operation, reader, {
        ...asked,
        query,
        outer: counting(query),
        counts: true,
      });
    if (command === 'distinct')
      return yield* explainQuery(operation, reader, { ...asked, query, distinct: inner['key'] });
    const shown = { projection, returnKey: inner['returnKey'] === true };
    return yield* explainQuery(operation, reader, { ...asked, shown });
  }
  const stages = [
    ...findAsPipeline(query, documentOf(inner, 'projection')),
    ...(VIEW_TAILS[command]?.(inner) ?? []),
  ];
  return yield* explainPipeline({ ...operation, body: inner }, reader, { name, stages, verbosity });
}

const whole = (operation: Operation, command: Document, explained: Document): Document => ({
  explainVersion: '1',
  ...explained,
  command,
  serverInfo: serverInfo(operation),
  serverParameters: explainedParameters(operation.engine),
  ok: 1,
});

/** The response of `aggregate` with `explain: true`: a plan. Nothing is read or written. */
export function explainAggregate(
  operation: Operation,
  stages: readonly Document[],
): Answer | Promise<Answer> {
  const { body, name } = operation;
  const collection = collectionNameOf(body, name);
  return readPaced(operation, function* (reader) {
    return whole(
      operation,
      body,
      yield* explainPipeline(operation, reader, { name: collection, stages, verbosity: 'queryPlanner' }),
    );
  });
}

export const explain: Command = (operation) => {
  const { body } = operation;
  const inner: Document = body['explain'];
  const verbosity: Verbosity = body['verbosity'] ?? 'allPlansExecution';
  return readPaced(operation, function* (reader) {
    return whole(operation, inner, yield* explainCommand(operation, reader, inner, verbosity));
  });
};
