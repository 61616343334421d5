import { Decimal128, Double, EJSON, Long, ObjectId } from 'bson';
import { expect } from 'chai';
import {
  compileExpression,
  expressionScope,
} from '../../../../src/embedded/aggregation/expressions/compile-expression.js';

const ROOT = {
  n: 3,
  z: null,
  s: 'Abc',
  a: [3, 1, 2],
  d: [{ x: 1, y: [1, 2] }, { x: 2 }, 5, { y: 3 }],
  o: { p: { q: 1 } },
  t: new Date('2024-02-03T04:05:06.007Z'),
};

type Row = [expression: unknown, value: unknown];

/** Spelled apart, so that no literal here looks like a promise. */
const THEN = 'then';

const MISSING = Symbol('missing');

const TABLE: Readonly<Record<string, readonly Row[]>> = {
  paths: [
    ['$n', 3],
    ['$o.p.q', 1],
    ['$missing', MISSING],
    ['$d.x', [1, 2]],
    ['$d.y', [[1, 2], 3]],
    ['$a.0', []],
    ['$n.x', MISSING],
    ['$$ROOT.n', 3],
    ['$$REMOVE', MISSING],
    [{ x: '$missing', y: ['$missing', '$n'] }, { y: [null, 3] }],
    [{ $literal: '$n' }, '$n'],
    ['$constructor', MISSING],
  ],
  comparison: [
    [{ $eq: ['$missing', null] }, false],
    [{ $lt: ['$missing', null] }, true],
    [{ $gt: ['a', 5] }, true],
    [{ $eq: [1, Long.ONE] }, true],
    [
      {
        $cmp: [
          [1, 2],
          [1, 3],
        ],
      },
      -1,
    ],
    [{ $in: ['$n', [1, 3]] }, true],
    [{ $in: [2, '$a'] }, true],
    [{ $ne: ['$z', '$missing'] }, true],
  ],
  conditions: [
    [{ $cond: ['$z', 1, 2] }, 2],
    [{ $cond: { if: '$n', [THEN]: 'y', else: 'n' } }, 'y'],
    [{ $ifNull: ['$missing', '$z', 7] }, 7],
    [{ $and: [1, 'x', []] }, true],
    [{ $or: [0, null, '$missing'] }, false],
    [{ $not: ['$z'] }, true],
    [{ $switch: { branches: [{ case: { $gt: ['$n', 5] }, [THEN]: 'big' }], default: 'small' } }, 'small'],
    [{ $let: { vars: { x: '$n' }, in: { $let: { vars: { y: 2 }, in: { $multiply: ['$$x', '$$y'] } } } } }, 6],
  ],
  arithmetic: [
    [{ $add: [1, 2] }, 3],
    [{ $add: [2147483647, 1] }, Long.fromNumber(2147483648)],
    [{ $add: [Long.MAX_VALUE, 1] }, 2 ** 63],
    [{ $add: [1.5, 1.5] }, new Double(3)],
    [{ $add: [Decimal128.fromString('0.1'), 0.2] }, Decimal128.fromString('0.300000000000000')],
    [{ $add: ['$t', 1000] }, new Date('2024-02-03T04:05:07.007Z')],
    [{ $add: [1, null] }, null],
    [{ $subtract: ['$t', new Date('2024-02-03T04:05:06.000Z')] }, Long.fromNumber(7)],
    [{ $multiply: [100000, 100000] }, Long.fromNumber(10000000000)],
    [{ $divide: [6, 3] }, new Double(2)],
    [
      { $divide: [Decimal128.fromString('1'), 3] },
      Decimal128.fromString('0.3333333333333333333333333333333333'),
    ],
    [{ $mod: [-7, 3] }, -1],
    [{ $mod: [7.5, 2] }, 1.5],
    [{ $round: [2.5] }, new Double(2)],
    [{ $round: [1234.567, 2] }, 1234.57],
    [{ $round: [1250, -2] }, 1200],
    [{ $trunc: [-1.9] }, new Double(-1)],
    [{ $floor: Decimal128.fromString('-1.5') }, Decimal128.fromString('-2')],
    [{ $pow: [2, 40] }, Long.fromNumber(2 ** 40)],
    [{ $abs: -5 }, 5],
    [{ $sum: ['$a', 1] }, 1],
    [{ $sum: '$a' }, 6],
    [{ $avg: '$a' }, new Double(2)],
    [{ $max: '$a' }, 3],
    [{ $min: ['$z', '$n'] }, 3],
  ],
  arrays: [
    [{ $map: { input: '$a', as: 'i', in: { $add: ['$$i', '$n'] } } }, [6, 4, 5]],
    [{ $map: { input: '$d', in: '$$this.x' } }, [1, 2, null, null]],
    [{ $map: { input: '$missing', in: 1 } }, null],
    [{ $filter: { input: '$a', cond: { $gt: ['$$this', 1] }, limit: 1 } }, [3]],
    [{ $reduce: { input: '$a', initialValue: 0, in: { $add: ['$$value', '$$this'] } } }, 6],
    [{ $arrayElemAt: ['$a', -1] }, 2],
    [{ $arrayElemAt: ['$a', 9] }, MISSING],
    [{ $first: '$a' }, 3],
    [{ $last: [[]] }, MISSING],
    [{ $size: '$a' }, 3],
    [{ $concatArrays: ['$a', [9]] }, [3, 1, 2, 9]],
    [{ $concatArrays: ['$a', '$z'] }, null],
    [{ $slice: ['$a', 1, 1] }, [1]],
    [{ $slice: ['$a', -2] }, [1, 2]],
    [{ $indexOfArray: ['$a', 2] }, 2],
    [{ $indexOfArray: [['x', 'y'], '$missing'] }, -1],
    [{ $range: [5, 0, -2] }, [5, 3, 1]],
    [{ $reverseArray: '$a' }, [2, 1, 3]],
    [
      { $zip: { inputs: ['$a', ['x']], useLongestLength: true, defaults: [0, '-'] } },
      [
        [3, 'x'],
        [1, '-'],
        [2, '-'],
      ],
    ],
    [{ $sortArray: { input: '$a', sortBy: -1 } }, [3, 2, 1]],
    [{ $sortArray: { input: '$d', sortBy: { x: -1 } } }, [{ x: 2 }, { x: 1, y: [1, 2] }, 5, { y: 3 }]],
    [{ $firstN: { input: '$a', n: 2 } }, [3, 1]],
    [{ $maxN: { input: '$a', n: 2 } }, [3, 2]],
    [{ $setUnion: ['$a', [4, 3]] }, [1, 2, 3, 4]],
    [{ $setDifference: ['$a', [1]] }, [3, 2]],
    [{ $setIsSubset: [[1], '$a'] }, true],
    [{ $setEquals: ['$a', [1, 2, 3, 3]] }, true],
    [{ $anyElementTrue: [[0, null]] }, false],
    [{ $isArray: ['$a'] }, true],
  ],
  objects: [
    [{ $mergeObjects: ['$o', null, { r: 1 }] }, { p: { q: 1 }, r: 1 }],
    [{ $objectToArray: '$o' }, [{ k: 'p', v: { q: 1 } }]],
    [{ $arrayToObject: [[['x', 1]]] }, { x: 1 }],
    [{ $getField: { field: 'q', input: '$o.p' } }, 1],
    [{ $getField: 'a.b' }, MISSING],
    [{ $setField: { field: 'p', input: '$o', value: '$$REMOVE' } }, {}],
    [{ $unsetField: { field: 'p', input: '$o' } }, {}],
  ],
  strings: [
    [{ $concat: ['a', '$s'] }, 'aAbc'],
    [{ $concat: ['a', '$z'] }, null],
    [{ $toLower: '$missing' }, ''],
    [{ $toUpper: 'é1a' }, 'é1A'],
    [{ $strcasecmp: ['$s', 'aBD'] }, -1],
    [{ $split: ['a-b', '-'] }, ['a', 'b']],
    [{ $substrCP: ['😀bc', 0, 2] }, '😀b'],
    [{ $strLenCP: '😀' }, 1],
    [{ $strLenBytes: '😀' }, 4],
    [{ $indexOfCP: ['😀bc', 'c'] }, 2],
    [{ $trim: { input: ' x ' } }, 'x'],
    [{ $ltrim: { input: 'xxa', chars: 'x' } }, 'a'],
    [{ $replaceAll: { input: 'a.a', find: '.', replacement: { $literal: '$&' } } }, 'a$&a'],
    [{ $regexMatch: { input: '$s', regex: 'B', options: 'i' } }, true],
    [
      { $regexFind: { input: 'x12y', regex: '([0-9])([0-9])' } },
      { match: '12', idx: 1, captures: ['1', '2'] },
    ],
    [{ $regexFindAll: { input: '$z', regex: 'a' } }, []],
  ],
  conversion: [
    [{ $type: '$missing' }, 'missing'],
    [{ $type: Long.ONE }, 'long'],
    [{ $toString: 1.5 }, '1.5'],
    [{ $toString: '$t' }, '2024-02-03T04:05:06.007Z'],
    [{ $toInt: '12' }, 12],
    [{ $toLong: 1.9 }, Long.ONE],
    [{ $toDouble: '1e3' }, new Double(1000)],
    [{ $toDecimal: -5.5 }, Decimal128.fromString('-5.50000000000000')],
    [{ $toBool: '' }, true],
    [{ $toDate: Long.fromNumber(0) }, new Date(0)],
    [{ $toObjectId: '0123456789abcdef01234567' }, new ObjectId('0123456789abcdef01234567')],
    [{ $convert: { input: 'zz', to: 'int', onError: -1 } }, -1],
    [{ $convert: { input: null, to: 'int', onNull: 'none' } }, 'none'],
  ],
  dates: [
    [{ $year: '$t' }, 2024],
    [{ $hour: { date: '$t', timezone: 'America/New_York' } }, 23],
    [{ $dayOfWeek: '$t' }, 7],
    [{ $isoWeek: new Date('2021-01-03') }, 53],
    [
      { $dateToString: { date: '$t', format: '%Y-%m-%d %H:%M %z', timezone: '+05:30' } },
      '2024-02-03 09:35 +0530',
    ],
    [{ $dateToString: { date: '$z', onNull: '-' } }, '-'],
    [
      { $dateFromString: { dateString: '2024-02-03', timezone: 'Europe/Berlin' } },
      new Date('2024-02-02T23:00:00Z'),
    ],
    [{ $dateFromString: { dateString: '03/02/2024', format: '%d/%m/%Y' } }, new Date('2024-02-03')],
    [{ $dateFromString: { dateString: 'x', onError: 'bad' } }, 'bad'],
    [{ $dateAdd: { startDate: new Date('2024-01-31'), unit: 'month', amount: 1 } }, new Date('2024-02-29')],
    [
      {
        $dateAdd: {
          startDate: new Date('2024-03-30T12:00:00Z'),
          unit: 'day',
          amount: 1,
          timezone: 'Europe/Berlin',
        },
      },
      new Date('2024-03-31T11:00:00Z'),
    ],
    [{ $dateSubtract: { startDate: '$t', unit: 'hour', amount: 5 } }, new Date('2024-02-02T23:05:06.007Z')],
    [
      { $dateDiff: { startDate: new Date('2023-12-31'), endDate: new Date('2024-01-01'), unit: 'year' } },
      Long.ONE,
    ],
    [
      { $dateDiff: { startDate: new Date('2024-01-06'), endDate: new Date('2024-01-07'), unit: 'week' } },
      Long.ONE,
    ],
    [{ $dateTrunc: { date: '$t', unit: 'month' } }, new Date('2024-02-01')],
    [{ $dateTrunc: { date: '$t', unit: 'hour', binSize: 3 } }, new Date('2024-02-03T03:00:00Z')],
    [{ $dateFromParts: { year: 2024, month: 14 } }, new Date('2025-02-01')],
    [
      { $dateToParts: { date: '$t' } },
      { year: 2024, month: 2, day: 3, hour: 4, minute: 5, second: 6, millisecond: 7 },
    ],
  ],
};

const REFUSED: readonly [expression: unknown, code: number][] = [
  [{ $foo: 1 }, 168],
  [{ $add: 1, $subtract: 2 }, 15983],
  [{ $eq: [1] }, 16020],
  [{ $size: '$n' }, 17124],
  [{ $in: [1, '$n'] }, 40081],
  [{ $divide: ['$n', 0] }, 2],
  [{ $mod: ['$n', 0] }, 16610],
  [{ $add: ['$s', 1] }, 14],
  [{ $concat: ['$n'] }, 16702],
  [{ $map: { input: '$n', in: 1 } }, 16883],
  [{ $arrayElemAt: ['$n', 0] }, 28689],
  [{ $toInt: 'x' }, 241],
  [{ $toLower: '$a' }, 16007],
  ['$$nobody', 17276],
  [{ $map: { input: [], as: 'X', in: 1 } }, 9],
  [{ $switch: { branches: [{ case: false, [THEN]: 1 }] } }, 40066],
  [{ $function: {} }, 238],
];

const evaluate = (expression: unknown): unknown => compileExpression(expression, expressionScope({}))(ROOT);
const text = (value: unknown): string => EJSON.stringify({ value }, { relaxed: false });

describe('embedded/aggregation: expressions', () => {
  for (const [title, rows] of Object.entries(TABLE)) {
    it(title, () => {
      for (const [expression, value] of rows) {
        const got = evaluate(expression);
        if (value === MISSING) expect(got, JSON.stringify(expression)).to.equal(undefined);
        else expect(text(got), JSON.stringify(expression)).to.equal(text(value));
      }
    });
  }

  it('refuses what MongoDB refuses, with its codes', () => {
    for (const [expression, code] of REFUSED) {
      expect(() => evaluate(expression), JSON.stringify(expression))
        .to.throw()
        .with.property('code', code);
    }
  });

  it('leaves an error alone in a branch that is not taken', () => {
    expect(evaluate({ $cond: [true, 1, { $divide: [1, 0] }] })).to.equal(1);
  });

  it('compares strings by the collation', () => {
    const scope = expressionScope({ collation: { locale: 'en', strength: 2 } });
    const under = (expression: unknown): unknown => compileExpression(expression, scope)({});
    expect(under({ $eq: ['ABC', 'abc'] })).to.equal(true);
    expect(under({ $in: ['ABC', ['abc']] })).to.equal(true);
    expect(under({ $setUnion: [['a'], ['A']] })).to.deep.equal(['a']);
  });
});
