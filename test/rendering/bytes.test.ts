import {
  Binary,
  BSON,
  BSONRegExp,
  BSONSymbol,
  Code,
  DBRef,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
  UUID,
} from 'bson';
import { expect } from 'chai';
import fc from 'fast-check';
import { anyCharacter } from '../../packages/engine/test/support/any-character.js';
import { shapeOf } from '../../src/pipeline/populate/shape.js';
import type { Doc } from '../../src/pipeline/types.js';
import type { ReadPlan, SelectedFields } from '../../src/query/read-plan.js';
import { compileRender } from '../../src/render/bytes/compile.js';
import type { SchemaFile } from '../../src/schema/files/read.js';
import { modelOf } from '../../src/schema/find.js';
import { SCALARS } from '../../src/schema/scalars/index.js';
import type { ContentType, Model, ScalarType, Schema } from '../../src/schema/types.js';
import { AS_STORED } from '../../src/values/bson.js';
import { renderObjects } from '../support/render-objects.js';
import { rounds } from '../support/rounds.js';
import { type Attributes, componentFile, schemaOf, typeFile } from '../support/schemas.js';

const RUNS = rounds(60, 400, 'PROPERTY_RUNS');

/** Stands in a value for bytes that no string can have: the letter is replaced once everything is BSON. */
const MARK = '\u0001MARK\u0001';
const BROKEN = [
  Buffer.from([0xff, 0xfe, 0x41, 0x80, 0x42, 0xc0]),
  // A lone surrogate, as some programs write it.
  Buffer.from([0x61, 0xed, 0xa0, 0x80, 0x62, 0x63]),
  Buffer.from([0xf0, 0x9f, 0x98, 0x41, 0x22, 0x5c]),
];

const text = fc.oneof(
  fc.string({ maxLength: 70 }),
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.constantFrom(
    'plain',
    '"quoted" \\ and \u0000\u0007\b\f\n\r\t\u001f\u007f',
    '\u2028\u2029',
    'ä€😀',
    '\ud800',
    'a\udc00b',
    '\ufeffbom',
    '',
    `${'x'.repeat(60)}"`,
    'é'.repeat(40),
    '\n'.repeat(5000),
    MARK,
  ),
);
const number = fc
  .oneof(
    fc.integer(),
    fc.integer().map((hundredths) => hundredths / 100),
    fc.double(),
    fc.constantFrom(
      0,
      -0,
      1e21,
      -1e21,
      1.5,
      1e-7,
      5e-324,
      2 ** 31,
      -(2 ** 31),
      2 ** 53,
      Number.NaN,
      Infinity,
      -Infinity,
    ),
  )
  .map((value) => new Double(value));
const long = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => Long.fromBigInt(value)),
  fc.integer().map((value) => Long.fromNumber(value)),
  fc.constantFrom(Long.MAX_VALUE, Long.MIN_VALUE, Long.fromString('9007199254740993'), Long.fromNumber(-1)),
);
const decimal = fc
  .oneof(
    fc
      .tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.integer({ min: -40, max: 40 }))
      .map(([digits, exponent]) => `${digits}E${exponent}`),
    fc.constantFrom(
      '12.50',
      '0',
      '-0',
      '0.1',
      'NaN',
      'Infinity',
      '-Infinity',
      '1E+6111',
      '1E-6176',
      '9999999999999999999999999999999999',
      '9007199254740993',
    ),
  )
  .map((value) => Decimal128.fromString(value));
const date = fc.oneof(
  fc.date({ noInvalidDate: true }),
  fc
    .constantFrom(
      0,
      -1,
      253402300799999,
      253402300800000,
      -62167219200001,
      8.64e15,
      -8.64e15,
      951782400000,
      1709164800123,
    )
    .map((ms) => new Date(ms)),
);
/** Replaced by a date that JavaScript does not have. */
const FAR = new Date(8_639_999_999_999_123);
/** Two names that become the same. */
const [TWIN, OTHER_TWIN] = ['twin~', 'twin^'];
/** Becomes `_bsontype`, which is not serialized. */
const BSONTYPE = '!bsontype';
/** A null field that becomes one of the type `undefined`, which no program writes any more. */
const UNDEFINED = 'undef';
const name = fc
  .oneof(
    fc.string({ maxLength: 6 }),
    fc.constantFrom(
      'a',
      'b',
      'type',
      'toJSON',
      '10',
      '9',
      '__proto__',
      BSONTYPE,
      '$ref',
      '$id',
      '',
      'ä',
      'constructor',
      'a.b',
      'length',
      TWIN,
      OTHER_TWIN,
      UNDEFINED,
    ),
  )
  .filter((key) => !key.includes('\0'));

const other = fc.constantFrom<unknown>(
  new ObjectId('0123456789abcdef01234567'),
  new Binary(Buffer.from('bytes'), 0),
  new UUID('01234567-89ab-4def-8123-456789abcdef'),
  new BSONRegExp('(?<x>a+)', 'i'),
  new BSONSymbol('symbol'),
  new Code('return 1'),
  new Code('return x', { x: 1 }),
  new Timestamp({ t: 5, i: 6 }),
  new MinKey(),
  new MaxKey(),
  new DBRef('things', new ObjectId('0123456789abcdef01234567')),
  undefined,
);
const simple = fc.oneof(
  text,
  number,
  fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }).map((value) => new Int32(value)),
  long,
  decimal,
  date,
  fc.boolean(),
  fc.constant(null),
);
const { any: stored } = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { arbitrary: simple, weight: 6 },
    { arbitrary: fc.oneof(other, fc.constant(FAR)), weight: 1 },
    { arbitrary: fc.array(tie('any'), { maxLength: 4 }), weight: 1 },
    {
      arbitrary: fc
        .uniqueArray(fc.tuple(name, tie('any')), { selector: ([key]) => key, maxLength: 5 })
        .map(documentOf),
      weight: 2,
    },
  ),
}));

function documentOf(members: readonly (readonly [string, unknown])[]): Doc {
  const made: Doc = {};
  for (const [key, value] of members)
    Object.defineProperty(made, key, { value, enumerable: true, configurable: true, writable: true });
  return made;
}

/** A document as BSON, with values put into it that no object can have. */
function bytesOf(row: Doc, broken: Buffer): Buffer {
  const bytes = Buffer.from(BSON.serialize(row, { ignoreUndefined: false }));
  const replace = (what: Buffer, by: Buffer): void => {
    for (let at = bytes.indexOf(what); at >= 0; at = bytes.indexOf(what, at + 1)) by.copy(bytes, at);
  };
  replace(Buffer.from(MARK), broken);
  replace(Buffer.from(BSONTYPE), Buffer.from('_'));
  replace(Buffer.from(OTHER_TWIN), Buffer.from(TWIN));
  replace(Buffer.from(`\u000a${UNDEFINED}\0`), Buffer.from([6]));
  replace(Buffer.from(Long.fromNumber(FAR.getTime()).toBytesLE()), Buffer.from(Long.MAX_VALUE.toBytesLE()));
  return bytes;
}

const scalarTypes = Object.keys(SCALARS) as ScalarType[];
const attributesOf = Object.fromEntries(
  scalarTypes.map((type) => [`a_${type}`, type === 'enumeration' ? { type, enum: ['a', 'b'] } : { type }]),
);
/** Where another program stores the attributes: under other names, some in nested documents. */
const FIELDS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(scalarTypes.map((each) => [`a_${each}`, `s_${each}`])),
  a_string: 'in.text',
  a_json: 'in.deep.json',
  a_decimal: 'in.deep.price',
  a_datetime: 'in.0',
  a_biginteger: 'in.deep.big',
};
const kept = (storage: object): object => ({ pluginOptions: { mangrove: { storage } } });
const adoptedComponent = (uid: string, attributes: Attributes, storage: object): SchemaFile => {
  const file = componentFile(uid, attributes);
  return { ...file, content: { ...Object(file.content), ...kept(storage) } };
};
const schema: Schema = schemaOf(
  adoptedComponent(
    'b.item',
    { ...attributesOf, more: { type: 'component', component: 'b.inner', repeatable: true } },
    { id: 'in.key', fields: { ...FIELDS, more: 'in.more' } },
  ),
  adoptedComponent('b.inner', { a_string: { type: 'string' }, a_json: { type: 'json' } }, {}),
  typeFile(
    'other',
    {
      ...attributesOf,
      one: { type: 'component', component: 'b.item' },
      many: { type: 'component', component: 'b.item', repeatable: true },
      far: { type: 'component', component: 'b.inner', repeatable: true },
    },
    { file: kept({ id: 'any', fields: { ...FIELDS, far: 'in.far' } }) },
  ),
  componentFile('a.item', {
    ...attributesOf,
    more: { type: 'component', component: 'a.inner', repeatable: true },
  }),
  componentFile('a.inner', { a_string: { type: 'string' }, a_json: { type: 'json' } }),
  componentFile('a.empty', {}),
  typeFile('thing', {
    ...attributesOf,
    one: { type: 'component', component: 'a.item' },
    many: { type: 'component', component: 'a.item', repeatable: true },
    zone: { type: 'dynamiczone', components: ['a.item', 'a.inner', 'a.empty'] },
  }),
);
const typeNamed = (name: string): ContentType => {
  const found = schema.contentTypes.get(`api::${name}.${name}`);
  if (!found) throw new Error(name);
  return found;
};

/** Everything, or a part of it. */
function selectionOf(model: Model, keep: (name: string) => boolean, depth = 0): SelectedFields {
  const all = [...model.attributes.values()].filter(({ name }) => keep(name));
  const inner = (uid: string): SelectedFields => {
    const of = modelOf(schema, uid);
    if (!of) throw new Error(uid);
    return selectionOf(of, keep, depth + 1);
  };
  return {
    model,
    scalars: all.filter((each) => each.kind === 'scalar'),
    components: all
      .filter((each) => each.kind === 'component')
      .map((attribute) => ({ attribute, selection: inner(attribute.component) })),
    zones: all
      .filter((each) => each.kind === 'zone')
      .map((attribute) => ({
        attribute,
        on: new Map(attribute.components.filter(keep).map((uid) => [uid, inner(uid)])),
      })),
    relations: [],
  };
}

const members = (names: readonly string[], value: fc.Arbitrary<unknown>): fc.Arbitrary<Doc> =>
  fc.record(Object.fromEntries(names.map((each) => [each, value])), {
    requiredKeys: [],
  }) as fc.Arbitrary<Doc>;
const anyOrder = (row: fc.Arbitrary<Doc>): fc.Arbitrary<Doc> =>
  row
    .chain((made) => fc.shuffledSubarray(Object.entries(made), { minLength: Object.keys(made).length }))
    .map(documentOf);
const names = Object.keys(attributesOf);
const inner = members(['id', 'a_string', 'a_json', 'strange'], stored);
const item = fc
  .tuple(
    members([...names, 'id'], stored),
    fc.oneof({ arbitrary: fc.array(inner, { maxLength: 3 }), weight: 5 }, stored),
  )
  .map(([scalars, more]) => ({ ...scalars, more }));
const zoneItem = fc
  .tuple(fc.oneof(item, inner), fc.constantFrom<unknown>('a.item', 'a.inner', 'a.empty', 'a.gone', 7, null))
  .map(([value, component]) => ({ __component: component, ...value }));
const mostly = <T>(usual: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ arbitrary: usual as fc.Arbitrary<unknown>, weight: 6 }, { arbitrary: stored, weight: 1 });
const row = anyOrder(
  fc
    .tuple(
      members([...names, 'id', 'documentId', 'strange'], stored),
      fc.record(
        {
          one: mostly(fc.option(item)),
          many: mostly(fc.array(item, { maxLength: 3 })),
          zone: mostly(fc.array(zoneItem, { maxLength: 3 })),
        },
        { requiredKeys: [] },
      ),
    )
    .map(([scalars, components]) => ({ ...scalars, ...components })),
);

/** The JSON of a row rendered through objects, or that there is none. */
const attempt = (make: () => string): string => {
  try {
    return make();
  } catch (error) {
    return String(error instanceof TypeError ? 'TypeError' : error);
  }
};

/** Nested documents, or something unexpected instead. */
const nested = (leaves: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<unknown> => {
  const document = fc.record(leaves, { requiredKeys: [] });
  return fc.oneof(
    { arbitrary: document as fc.Arbitrary<unknown>, weight: 6 },
    { arbitrary: fc.array(document, { maxLength: 2 }) as fc.Arbitrary<unknown>, weight: 1 },
    { arbitrary: stored, weight: 1 },
  );
};
const innerOfOthers = fc.oneof(
  { arbitrary: inner, weight: 8 },
  fc.constant({ $ref: 'things', $id: 1, a_string: 'of a DBRef' }),
);
const inOthers = nested({
  text: stored,
  0: stored,
  key: stored,
  deep: nested({
    json: stored,
    price: stored,
    big: stored,
    $ref: fc.constantFrom<unknown>('things', 1),
    $id: stored,
  }),
  more: mostly(fc.array(innerOfOthers, { maxLength: 3 })),
  far: mostly(fc.array(innerOfOthers, { maxLength: 3 })),
});
const scalarsOfOthers = Object.values(FIELDS).filter((path) => !path.includes('.'));
const itemOfOthers = fc
  .tuple(members([...scalarsOfOthers, 'a_string', 'id'], stored), fc.option(inOthers))
  .map(([scalars, within]) => ({ ...scalars, in: within }));
const rowOfOthers = anyOrder(
  fc
    .tuple(
      members([...scalarsOfOthers, '_id', 'id', 'documentId', 'a_string', 'strange'], stored),
      fc.record(
        {
          in: inOthers,
          one: mostly(fc.oneof(itemOfOthers, fc.array(itemOfOthers, { maxLength: 2 }))),
          many: mostly(fc.oneof(fc.array(itemOfOthers, { maxLength: 3 }), itemOfOthers)),
        },
        { requiredKeys: [] },
      ),
    )
    .map(([scalars, components]) => ({ ...scalars, ...components })),
);

describe('rendering of any stored values', function () {
  this.timeout(180_000);

  const shapes = fc.record({
    componentIds: fc.boolean(),
    v4: fc.boolean(),
    left: fc.subarray([...names, 'one', 'many', 'zone', 'a.item', 'a.inner', 'more', 'far'], {
      maxLength: 6,
    }),
  });
  /** Compares both ways for rows of a type. */
  const compare = (type: ContentType, row: fc.Arbitrary<Doc>, numRuns = RUNS): void =>
    fc.assert(
      fc.property(
        shapes,
        fc.array(row, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(...BROKEN),
        ({ left, ...options }, rows, broken) => {
          const plan = { type, selection: selectionOf(type, (each) => !left.includes(each)) } as ReadPlan;
          const render = renderObjects(plan, { ...options, once: true });
          const shape = shapeOf(plan.selection, type) ?? ((each: Doc) => each);
          const bytes = compileRender(plan, options);
          for (const each of rows) {
            const stored = bytesOf(each, broken);
            const expected = attempt(() =>
              JSON.stringify(render(shape(BSON.deserialize(stored, AS_STORED)))),
            );
            const got = attempt(() => {
              const writer = bytes.open(null, { bytes: 0 });
              writer.write(bytes.row(stored));
              return writer.out.done().toString();
            });
            expect(got).to.equal(expected);
          }
        },
      ),
      { numRuns },
    );

  it('produces the JSON of the objects of the model, whatever is stored', () =>
    compare(typeNamed('thing'), row));

  it('does so for documents of other programs, too', () => compare(typeNamed('other'), rowOfOthers));

  it('does so for values of many members, in time that grows with their number', () => {
    const wide = (count: number, last: string): Doc => {
      const members = Array.from({ length: count - 2 }, (_, at) => [`n${at}`, { at }] as const);
      return { a_json: Object.fromEntries([[TWIN, 1], ...members, [last, 2]]) };
    };
    const counts = [2, 62, 63, 64, 65, 66, 20_000];
    const rows = counts.flatMap((count) => [wide(count, OTHER_TWIN), wide(count, 'last')]);
    for (const each of rows) compare(typeNamed('thing'), fc.constant(each), 1);
  });
});
