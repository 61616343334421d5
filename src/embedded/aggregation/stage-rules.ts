import type { Document } from 'bson';

/** A stage as it is declared: where it may stand, and what others may count on. */
export interface StageRule {
  /** It may only begin a pipeline, or only end one. */
  readonly place?: 'first' | 'last';
  /** It makes its documents itself instead of reading those of the collection. */
  readonly source?: true;
  /** It is on no collection, but on a database, or on that of the server. */
  readonly on?: 'database' | 'admin';
  /** It may not run in a transaction: it tells of the server, not of what a transaction sees. */
  readonly outside?: true;
  /** It may not stand within `$facet`. */
  readonly notInFacet?: true;
  /** The version of MongoDB that it came with, where that is later than 5.0. */
  readonly since?: number;
  /** It is not in version 1 of the Stable API. */
  readonly unstable?: true;
  /** MongoDB has it and this engine has not: it is refused by name. */
  readonly missing?: true;
  /** The member of its operand that names another collection. */
  readonly foreign?: 'from' | 'coll';
  /** The code for a stage that writes within its pipelines. */
  readonly refusesWrites?: number;
  /** An update may be made of it. */
  readonly updates?: true;
  /** A change stream may be shaped by it. */
  readonly changes?: true;
  /** It gives one document for each, so that a window may go before it. */
  readonly oneToOne?: true;
  /** It leaves alone what it does not write. */
  readonly adds?: true;
}

const SHAPING: StageRule = { updates: true, changes: true, oneToOne: true };
const ADDING: StageRule = { ...SHAPING, adds: true };
const REPLACING: StageRule = { updates: true, changes: true };
const WRITING: StageRule = { place: 'last', notInFacet: true };
const OF_SERVER: StageRule = { place: 'first', source: true, outside: true, notInFacet: true };

/** Every stage that MongoDB documents, as far as the engine knows it. */
export const STAGE_RULES: Readonly<Record<string, StageRule>> = {
  $_internalInhibitOptimization: {},
  $_internalSplitPipeline: {},
  $addFields: ADDING,
  $bucket: {},
  $bucketAuto: {},
  $changeStream: { place: 'first', outside: true, notInFacet: true },
  $changeStreamSplitLargeEvent: { missing: true, changes: true },
  $collStats: OF_SERVER,
  $count: {},
  $currentOp: { ...OF_SERVER, on: 'admin', unstable: true },
  $densify: { since: 5.1 },
  $documents: { place: 'first', source: true, on: 'database', since: 5.1 },
  $facet: { notInFacet: true, refusesWrites: 40600 },
  $fill: { since: 5.3 },
  $geoNear: { place: 'first', notInFacet: true, missing: true },
  $graphLookup: { oneToOne: true, foreign: 'from' },
  $group: {},
  $indexStats: { ...OF_SERVER, unstable: true },
  $limit: {},
  $listCachedAndActiveUsers: { ...OF_SERVER, on: 'database', unstable: true },
  $listLocalSessions: { ...OF_SERVER, on: 'database', unstable: true },
  $listSampledQueries: { missing: true },
  $listSessions: { ...OF_SERVER, unstable: true },
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
  $setWindowFields: {},
  $skip: {},
  $sort: {},
  $sortByCount: {},
  $unionWith: { foreign: 'coll', refusesWrites: 31441 },
  $unset: SHAPING,
  $unwind: {},
  $vectorSearch: { missing: true },
};

const UNKNOWN: StageRule = {};

/** How a stage is declared; one of that name that nobody knows has no rules. */
export const stageRule = (name: string): StageRule =>
  Object.hasOwn(STAGE_RULES, name) ? (STAGE_RULES[name] as StageRule) : UNKNOWN;

/** The name of a stage; an empty one where there is none. */
export const stageName = (stage: Document | undefined): string => Object.keys(stage ?? {})[0] ?? '';

/** Whether a pipeline that begins so makes its documents itself. */
export const isSource = (stage: Document | undefined): boolean => stageRule(stageName(stage)).source === true;

/** Whether a stage stores the pipeline's results instead of answering them. */
export const isWriteStage = (stage: Document | undefined): boolean =>
  stageRule(stageName(stage)).place === 'last';

/** The first known stage of which no update may be made. */
export const notInUpdates = (stages: readonly Document[]): string | undefined =>
  stages.map(stageName).find((name) => Object.hasOwn(STAGE_RULES, name) && !stageRule(name).updates);
