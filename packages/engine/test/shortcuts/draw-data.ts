import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  DBRef,
  Decimal128,
  type Document,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'mongodb';
import type { Random } from '../support/random.js';

const STARTS = [
  '',
  'a',
  'A',
  'blue',
  'green ',
  'post-',
  'A long title of an ',
  '\u00e9 ',
  'a common prefix of some length ',
];
const ENDS = ['', '1', '9', '10', 'B', 'lu', 'ä', '\u0000', '\u0001x', 'article', ' 😀', 'Kiwi', 'ki\u017f'];
const NUMBERS: readonly unknown[] = [
  new Int32(-1),
  new Int32(0),
  new Double(-0),
  new Double(Number.NaN),
  new Int32(1),
  new Double(1.5),
  new Double(1),
  Long.fromNumber(1),
  Decimal128.fromString('1.0'),
  Decimal128.fromString('NaN'),
  new Double(Number.POSITIVE_INFINITY),
  Long.fromString('9007199254740993'),
  new Int32(255),
  new Int32(256),
];
const OTHERS: readonly unknown[] = [
  null,
  true,
  false,
  new Date(0),
  new Date(-1),
  new ObjectId('000000000000000000000001'),
  new ObjectId('0000000000000000000000ff'),
  new Binary(Buffer.from([1, 2])),
  new BSONRegExp('lu', 'i'),
  new Timestamp({ t: 1, i: 2 }),
  new Code('f'),
  new Code('f', { n: new Int32(1) }),
  new BSONSymbol('blue'),
  new DBRef('c', new ObjectId('000000000000000000000001')),
  new Binary(Buffer.alloc(16, 7), Binary.SUBTYPE_UUID),
  new MinKey(),
  new MaxKey(),
];
const LONG = 'a long text '.repeat(8_500);

export const chance = (random: Random, share: number): boolean => random.below(1000) < share * 1000;

export const word = (random: Random): string =>
  chance(random, 0.5)
    ? random.pick(STARTS) + random.pick(ENDS)
    : `${random.pick(STARTS)}${random.below(40)}${chance(random, 0.3) ? random.pick(ENDS) : ''}`;

const list = (random: Random, most: number, item: () => unknown): unknown[] =>
  Array.from({ length: random.below(most + 1) }, item);

/** Kinds of values. */
const KINDS = {
  texts: word,
  numbers: (random) => (chance(random, 0.5) ? new Int32(random.below(30) - 3) : random.pick(NUMBERS)),
  others: (random) => random.pick(OTHERS),
  lists: (random) => list(random, 3, () => word(random)),
  mixedLists: (random) => list(random, 3, () => anyScalar(random)),
  documents: (random) => ({ x: anyScalar(random), ...(chance(random, 0.3) ? { y: word(random) } : {}) }),
  listsOfDocuments: (random) =>
    list(random, 3, () => ({ x: anyScalar(random), y: new Int32(random.below(3)) })),
  nestedLists: (random) => [[word(random)], list(random, 2, () => random.pick(NUMBERS))],
  longTexts: (random) => LONG + word(random),
  missing: () => undefined,
} satisfies Record<string, (random: Random) => unknown>;

type Kind = keyof typeof KINDS;
const USUAL: readonly Kind[] = [
  'texts',
  'texts',
  'numbers',
  'others',
  'lists',
  'documents',
  'listsOfDocuments',
];
const ODD = Object.keys(KINDS).filter((kind): kind is Kind => kind !== 'longTexts');

export const anyScalar = (random: Random): unknown =>
  KINDS[random.pick<Kind>(['texts', 'texts', 'numbers', 'others'])](random);

/** How the values of one field are drawn: most are alike. */
export interface Field {
  readonly usual: Kind;
  readonly odd: readonly Kind[];
  readonly share: number;
}

export type Shape = Readonly<Record<string, Field>>;

const drawField = (random: Random): Field => ({
  usual: random.pick(USUAL),
  odd: [random.pick(ODD), random.pick(ODD)],
  share: random.pick([0, 0.01, 0.05, 0.2, 0.6]),
});

const IDS = ['numbers', 'numbers', 'texts', 'objectIds'] as const;

/** What the documents of a collection are like. */
export interface Drawing {
  readonly ids: (typeof IDS)[number];
  readonly shape: Shape;
}

export const drawShape = (random: Random): Drawing => ({
  ids: random.pick(IDS),
  shape: { a: drawField(random), b: drawField(random), c: drawField(random), 'o.x': drawField(random) },
});

function drawValueOf(random: Random, { usual, odd, share }: Field): unknown {
  const kind = chance(random, share) ? random.pick(odd) : usual;
  return chance(random, 0.0004) ? KINDS.longTexts(random) : KINDS[kind](random);
}

export function idOf({ ids }: Drawing, number: number): unknown {
  if (ids === 'texts') return `post-${number}`;
  if (ids === 'objectIds') return new ObjectId(number.toString(16).padStart(24, '0'));
  return new Int32(number - 1);
}

/** One document. `n` is in the order of insertion, `u` unique. */
export function drawDocument(random: Random, drawing: Drawing, number: number): Document {
  const { a, b, c, 'o.x': x } = drawing.shape as Record<string, Field>;
  const out: Document = { _id: idOf(drawing, number) };
  const put = (to: Document, name: string, field: Field | undefined): void => {
    const value = field && drawValueOf(random, field);
    if (value !== undefined) to[name] = value;
  };
  put(out, 'a', a);
  put(out, 'b', b);
  put(out, 'c', c);
  const inner: Document = {};
  put(inner, 'x', x);
  if (chance(random, 0.95)) out['o'] = chance(random, 0.02) ? [inner, { x: 'in a list' }] : inner;
  out['u'] = new Int32(number * 7);
  return out;
}
