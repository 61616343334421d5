import type { Document } from 'bson';
import { fail } from '../../errors.js';
import { type Argument, anArray, anInt32, anObject, argument } from '../../expressions/argument.js';
import { NO_MATCH } from '../../expressions/boolean.js';
import { type Members, saying } from '../../expressions/operator.js';
import type { Scope } from '../../expressions/scope.js';
import { typeOrder } from '../../values/compare.js';
import { toDouble } from '../../values/numbers.js';
import { forEach, sortPaced } from '../../values/pace.js';
import { hasOperator } from '../../values/types.js';
import { type CompileStage, ofMembers, type Stage, type StageScope } from '../stage.js';
import { aGranularity, type Granularity, granularityOf } from './granularity.js';
import { addToGroup, compileOutputs, finishGroup, groupStage, sortedGroups, startGroup } from './group.js';

const DEFAULT_OUTPUT = { count: { $sum: 1 } };

const groupBy = (code: number) =>
  argument(
    (value): value is unknown => (typeof value === 'string' && value.startsWith('$')) || hasOperator(value),
  )(code, "The $op 'groupBy' field must be defined as a $-prefixed path or an expression object");

const output = (code: number) =>
  anObject(code, "The $op 'output' field must be an object, but found type: $type.");

const BUCKET_MEMBERS: Members = {
  object: saying(40201, 'Argument to $op stage must be an object'),
  unknown: saying(40197, 'Unrecognized option to $op: $key.'),
  required: ['groupBy', 'boundaries'],
  missing: saying(40198, "$op requires 'groupBy' and 'boundaries' to be specified."),
  optional: ['default'],
  literals: {
    groupBy: groupBy(40202),
    boundaries: anArray(40200, "The $op 'boundaries' field must be an array"),
    output: output(40196),
  },
};

function bucket(spec: Document, { scope }: StageScope): Stage {
  const { groupBy, boundaries, default: other, output = DEFAULT_OUTPUT } = spec;
  const limits = scope.compile(boundaries).constant?.value;
  if (!Array.isArray(limits))
    return fail(40191, "The $bucket 'boundaries' field must be an array of constant values");
  if (limits.length < 2)
    fail(
      40192,
      `The $bucket 'boundaries' field must have at least 2 values, but found ${limits.length} value(s).`,
    );
  for (let i = 1; i < limits.length; i++) {
    if (typeOrder(limits[i - 1]) !== typeOrder(limits[i]))
      fail(40193, "All values in the 'boundaries' option to $bucket must have the same type.");
    if (scope.compare(limits[i - 1], limits[i]) >= 0) {
      fail(40194, "The 'boundaries' option to $bucket must be sorted in ascending order");
    }
  }
  const by = scope.compile(groupBy);
  const fallback = 'default' in spec ? scope.compile(other).constant : undefined;
  if ('default' in spec && fallback === undefined)
    fail(40195, "The $bucket 'default' field must be a constant expression");
  if (
    fallback !== undefined &&
    scope.compare(fallback.value, limits[0]) >= 0 &&
    scope.compare(fallback.value, limits.at(-1)) < 0
  )
    fail(
      40199,
      "The $bucket 'default' field must be less than the lowest boundary or greater than or equal to the highest boundary.",
    );
  const placeOf = (value: unknown): unknown => {
    const from = limits.findLastIndex((limit) => scope.compare(limit, value) <= 0);
    if (from >= 0 && from < limits.length - 1) return limits[from];
    if (fallback !== undefined) return fallback.value;
    return fail(40066, NO_MATCH);
  };
  const grouped = groupStage((root) => placeOf(by(root) ?? null), compileOutputs(output, scope), scope);
  return sortedGroups(grouped, (a, b) => scope.compare(a['_id'], b['_id']));
}

const MUST = "The $op 'buckets' field must be";
const wholeBuckets = anInt32(
  40241,
  `${MUST} a numeric value, but found type: $type.`,
  `${MUST} representable as a 32-bit integer`,
);
const buckets: Argument<unknown> = {
  is: (value): value is unknown => wholeBuckets.is(value) && toDouble(value) >= 1,
  code: 40243,
  says: `${MUST} greater than 0`,
  first: wholeBuckets,
};

const AUTO_MEMBERS: Members = {
  object: saying(40240, 'The argument to $op must be an object'),
  unknown: saying(40245, 'Unrecognized option to $op: $key.'),
  required: ['groupBy', 'buckets'],
  missing: saying(40246, "$op requires 'groupBy' and 'buckets' to be specified"),
  literals: {
    groupBy: groupBy(40239),
    buckets,
    output: output(40244),
    granularity: aGranularity,
  },
};

/** Splits sorted documents into a number of groups of about the same size; equal values stay together. */
function bucketAuto(spec: Document, { scope }: StageScope): Stage {
  const { groupBy, buckets, output = DEFAULT_OUTPUT, granularity } = spec;
  const rounder = granularity === undefined ? undefined : granularityOf(granularity);
  const by = scope.compile(groupBy);
  const outputs = compileOutputs(output, scope);
  return {
    run: function* run(source) {
      const found: Row[] = [];
      yield* forEach(source, (document) => void found.push({ document, value: by(document) ?? null }));
      const rows = yield* sortPaced(found, (a, b) => scope.compare(a.value, b.value));
      const most = toDouble(buckets);
      const size = Math.max(1, Math.round(rows.length / most));
      const boundOf = rounder === undefined ? plainBound(scope) : roundedBound(rounder, scope);
      let min = rounder === undefined ? rows[0]?.value : rounder.down(rows[0]?.value ?? 0);
      let start = 0;
      for (let number = 1; start < rows.length; number++) {
        const least = number >= most ? rows.length : Math.min(start + size, rows.length);
        const { max, end } = boundOf(rows, least);
        const group = startGroup({ min, max }, outputs, rows[start]?.document ?? {});
        for (const { document } of rows.slice(start, end)) addToGroup(group, outputs, document);
        yield finishGroup(group, outputs);
        min = max;
        start = end;
      }
    },
  };
}

interface Row {
  readonly document: Document;
  readonly value: unknown;
}

/** Where a bucket ends that contains at least the rows before `end`: its upper bound, and the first row of the next bucket. */
type BoundOf = (rows: readonly Row[], end: number) => { max: unknown; end: number };

/** A bucket extends to the next one's first value; equal values are not split. */
const plainBound =
  (scope: Scope): BoundOf =>
  (rows, least) => {
    let end = least;
    while (end < rows.length && scope.compare(rows[end]?.value, rows[end - 1]?.value) === 0) end += 1;
    return { max: (rows[end] ?? rows[end - 1])?.value, end };
  };

/** A bucket extends to the next number of the series, and includes everything below it. */
const roundedBound =
  (rounder: Granularity, scope: Scope): BoundOf =>
  (rows, least) => {
    let max = rounder.up(rows[least - 1]?.value);
    let end = least;
    while (end < rows.length && scope.compare(rows[end]?.value, max) < 0) end += 1;
    // Zero has no next number: the first value after a bucket of zeros ends it.
    if (scope.compare(max, 0) === 0) {
      while (end < rows.length && scope.compare(rows[end]?.value, 0) === 0) end += 1;
      if (end < rows.length) max = rounder.down(rows[end]?.value);
    }
    return { max, end };
  };

/** Stages that group documents by ranges. */
export const BUCKET: Readonly<Record<string, CompileStage>> = {
  $bucket: ofMembers(BUCKET_MEMBERS, bucket),
  $bucketAuto: ofMembers(AUTO_MEMBERS, bucketAuto),
};
