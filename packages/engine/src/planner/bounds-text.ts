import { type Document, MaxKey, MinKey } from 'bson';
import { bsonTypeOf, compareValues, isNumeric, type Limits } from '../values/index.js';
import { shellText } from '../values/shell-text.js';
import type { IndexScan } from './plan.js';
import type { Predicate } from './predicates.js';

/** One end of an interval: how its value is written, and whether it is included. */
interface End {
  readonly text: string;
  readonly closed: boolean;
}

type Interval = readonly [low: End, high: End];

const closed = (text: string): End => ({ text, closed: true });

const NUMBERS: Interval = [closed('-inf.0'), closed('inf.0')];

/** The limits of a range within one type, if it is open at one side. */
const WITHIN: Readonly<Record<string, Interval>> = {
  string: [closed('""'), { text: '{}', closed: false }],
  date: [closed('new Date(-9223372036854775808)'), closed('new Date(9223372036854775807)')],
  objectId: [closed(`ObjectId('${'0'.repeat(24)}')`), closed(`ObjectId('${'f'.repeat(24)}')`)],
  bool: [closed('false'), closed('true')],
};

const EVERYTHING: Interval = [closed('MinKey'), closed('MaxKey')];

function ofLimits(limits: Limits): Interval {
  const { gt, gte, lt, lte } = limits;
  const any = [gt, gte, lt, lte].find((value) => value !== undefined);
  const [low, high] = isNumeric(any) ? NUMBERS : (WITHIN[bsonTypeOf(any)] ?? EVERYTHING);
  const end = (open: unknown, close: unknown, without: End): End =>
    close !== undefined
      ? closed(shellText(close))
      : open === undefined
        ? without
        : { text: shellText(open), closed: false };
  return [end(gt, gte, low), end(lt, lte, high)];
}

const ofPoint = (value: unknown): Interval => [closed(shellText(value)), closed(shellText(value))];

function intervalsOf(predicate: Predicate | undefined): Interval[] {
  if (predicate?.points !== undefined) {
    const points = [...predicate.points].sort(compareValues);
    return points.filter((point, i) => i === 0 || compareValues(point, points[i - 1]) !== 0).map(ofPoint);
  }
  if (predicate?.limits === undefined) return [EVERYTHING];
  const range = ofLimits(predicate.limits);
  return predicate.beside === undefined ? [range] : [range, ofPoint(predicate.beside)];
}

const print = ([from, to]: Interval): string =>
  `${from.closed ? '[' : '('}${from.text}, ${to.text}${to.closed ? ']' : ')'}`;

/** The parts of an index that a scan reads, by field, in scan order, in MongoDB's notation. */
export function boundsText({ index, bounds, reverse }: IndexScan): Document {
  return Object.fromEntries(
    index.paths.map((path, i) => {
      const intervals = intervalsOf(bounds.predicates[i]);
      const isDown = (index.directions[i] === -1) !== reverse;
      const walked = isDown ? intervals.reverse().map(([low, high]): Interval => [high, low]) : intervals;
      return [path, walked.map(print)];
    }),
  );
}

/** The first and the last key of a count over one range of an index. */
export function countBounds({ index, bounds }: IndexScan): Document {
  const ends = index.paths.map((_, i): { low: unknown; high: unknown; from: boolean; to: boolean } => {
    const predicate = bounds.predicates[i];
    const point = predicate?.points?.[0];
    if (predicate?.points !== undefined) return { low: point, high: point, from: true, to: true };
    const { gt, gte, lt, lte } = predicate?.limits ?? {};
    const of = isNumeric(gt ?? gte ?? lt ?? lte) ? Number.POSITIVE_INFINITY : undefined;
    const low = gte ?? gt ?? (of && -of);
    return { low, high: lte ?? lt ?? of, from: gt === undefined, to: lt === undefined };
  });
  const key = (side: 'low' | 'high', without: unknown): Document =>
    Object.fromEntries(index.paths.map((path, i) => [path, ends[i]?.[side] ?? without]));
  return {
    startKey: key('low', new MinKey()),
    startKeyInclusive: ends.every(({ from }) => from),
    endKey: key('high', new MaxKey()),
    endKeyInclusive: ends.every(({ to }) => to),
  };
}
