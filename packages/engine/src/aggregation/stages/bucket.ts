import type { Document } from 'bson';
import { fail } from '../../errors.js';
import { anArray, anObject, argument } from '../../expressions/argument.js';
import { NO_MATCH } from '../../expressions/boolean.js';
import { type Members, saying } from '../../expressions/operator.js';
import { typeOrder } from '../../values/compare.js';
import { hasOperator } from '../../values/types.js';
import { type CompileStage, ofMembers, type Stage, type StageScope } from '../stage.js';
import { compileOutputs, groupStage, sortedGroups } from './group.js';

const DEFAULT_OUTPUT = { count: { $sum: 1 } };

const groupBy = argument(
  (value): value is unknown => (typeof value === 'string' && value.startsWith('$')) || hasOperator(value),
)(40202, "The $op 'groupBy' field must be defined as a $-prefixed path or an expression object");

const output = anObject(40196, "The $op 'output' field must be an object, but found type: $type.");

const BUCKET_MEMBERS: Members = {
  object: saying(40201, 'Argument to $op stage must be an object'),
  unknown: saying(40197, 'Unrecognized option to $op: $key.'),
  required: ['groupBy', 'boundaries'],
  missing: saying(40198, "$op requires 'groupBy' and 'boundaries' to be specified."),
  optional: ['default'],
  literals: {
    groupBy,
    boundaries: anArray(40200, "The $op 'boundaries' field must be an array"),
    output,
  },
};

function bucketStage(spec: Document, { scope }: StageScope): Stage {
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

/** The stage that groups documents by ranges. */
export const bucket: CompileStage = ofMembers(BUCKET_MEMBERS, bucketStage);
