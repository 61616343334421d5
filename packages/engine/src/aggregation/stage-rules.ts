import type { Document } from 'bson';

/** The declaration of a stage: where it is allowed, and what others may rely on. */
export interface StageRule {
  /** It must be first, or last, in a pipeline. */
  readonly place?: 'first' | 'last';
  /** It produces its documents itself instead of reading those of the collection. */
  readonly source?: true;
  /** It runs on a database, or on the database of the server, instead of a collection. */
  readonly on?: 'database' | 'admin';
  /** It is not allowed in a transaction: it reports on the server, not on what a transaction sees. */
  readonly outside?: true;
  /** It is not allowed inside `$facet`. */
  readonly notInFacet?: true;
  /** The version of MongoDB that introduced it, if later than 5.0. */
  readonly since?: number;
  /** It is not in version 1 of the Stable API. */
  readonly unstable?: true;
  /** MongoDB has it, but this engine does not: it is rejected by name. */
  readonly missing?: true;
  /** The field of its operand that names another collection. */
  readonly foreign?: 'from' | 'coll';
  /** The error code for a stage that writes inside its pipelines. */
  readonly refusesWrites?: number;
  /** Allowed in an update. */
  readonly updates?: true;
  /** Allowed in a change stream. */
  readonly changes?: true;
  /** It produces one document for each, so a window may move before it. */
  readonly oneToOne?: true;
  /** It leaves fields alone that it does not write. */
  readonly adds?: true;
}

const SHAPING: StageRule = { updates: true, changes: true, oneToOne: true };
const ADDING: StageRule = { ...SHAPING, adds: true };
const REPLACING: StageRule = { updates: true, changes: true };
const WRITING: StageRule = { place: 'last', notInFacet: true };
const OF_SERVER: StageRule = { place: 'first', source: true, outside: true, notInFacet: true };

/** Every stage that MongoDB documents, as far as the engine supports it. */
export const STAGE_RULES: Readonly<Record<string, StageRule>> = {
  $addFields: ADDING,
  $bucket: {},
  $bucketAuto: { missing: true },
  $changeStream: { place: 'first', outside: true, notInFacet: true },
  $changeStreamSplitLargeEvent: { missing: true, changes: true },
  $collStats: OF_SERVER,
  $count: {},
  $currentOp: { ...OF_SERVER, on: 'admin', unstable: true },
  $densify: { since: 5.1, missing: true },
  $documents: { place: 'first', source: true, on: 'database', since: 5.1 },
  $facet: { notInFacet: true, refusesWrites: 40600 },
  $fill: { since: 5.3, missing: true },
  $geoNear: { place: 'first', notInFacet: true, missing: true },
  $graphLookup: { oneToOne: true, foreign: 'from' },
  $group: {},
  $indexStats: { ...OF_SERVER, unstable: true },
  $limit: {},
  $listCachedAndActiveUsers: { missing: true, unstable: true },
  $listLocalSessions: { missing: true, unstable: true },
  $listSampledQueries: { missing: true },
  $listSessions: { missing: true, unstable: true },
  $lookup: { oneToOne: true, adds: true, foreign: 'from', refusesWrites: 51047 },
  $match: { changes: true },
  $merge: WRITING,
  $out: WRITING,
  $planCacheStats: { missing: true, unstable: true },
  $project: SHAPING,
  $redact: { changes: true },
  $replaceRoot: REPLACING,
  $replaceWith: REPLACING,
  $sample: {},
  $search: { missing: true, unstable: true },
  $searchMeta: { missing: true, unstable: true },
  $set: ADDING,
  $setWindowFields: { missing: true },
  $skip: {},
  $sort: {},
  $sortByCount: {},
  $unionWith: { foreign: 'coll', refusesWrites: 31441 },
  $unset: SHAPING,
  $unwind: {},
  $vectorSearch: { missing: true },
};

const UNKNOWN: StageRule = {};

/** The declaration of a stage; an unknown name has no rules. */
export const stageRule = (name: string): StageRule =>
  Object.hasOwn(STAGE_RULES, name) ? (STAGE_RULES[name] as StageRule) : UNKNOWN;

/** The name of a stage; an empty string if there is none. */
export const stageName = (stage: Document | undefined): string => Object.keys(stage ?? {})[0] ?? '';

/** Whether a pipeline that begins this way produces its documents itself. */
export const isSource = (stage: Document | undefined): boolean => stageRule(stageName(stage)).source === true;

/** Whether a stage stores the pipeline's results instead of returning them. */
export const isWriteStage = (stage: Document | undefined): boolean =>
  stageRule(stageName(stage)).place === 'last';

/** The first known stage that is not allowed in an update. */
export const notInUpdates = (stages: readonly Document[]): string | undefined =>
  stages.map(stageName).find((name) => Object.hasOwn(STAGE_RULES, name) && !stageRule(name).updates);
