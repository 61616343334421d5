import { Decimal128, Long } from 'bson';
import { expect } from 'chai';
import { makeConfig } from '../../src/config/load.js';
import { planWrite } from '../../src/documents/plan/plan-write.js';
import { missingTargets } from '../../src/documents/resolve/targets.js';
import { checkPlan, inSchemaOrder } from '../../src/documents/validate/check.js';
import { ApiError, fieldError } from '../../src/errors.js';
import { componentFile, schemaOf, typeFile } from '../support/schemas.js';
import { type CheckOptions, compileChecker } from './checker.js';
import { buildModels } from './models.js';

const { schema, type } = buildModels({
  note: {
    title: { type: 'string', required: true, minLength: 3, maxLength: 5 },
    rx: { type: 'string', regex: '^[a-z]+$' },
    strictRx: { type: 'string', required: true, default: 'ab', regex: '^[a-z]+$' },
    mail: { type: 'email' },
    slug: { type: 'uid' },
    kind: { type: 'enumeration', enum: ['a', 'b'] },
    count: { type: 'integer', min: 1, max: 10 },
    ratio: { type: 'float' },
    price: { type: 'decimal' },
    big: { type: 'biginteger' },
    flag: { type: 'boolean' },
    meta: { type: 'json' },
    rich: { type: 'blocks' },
    day: { type: 'date' },
    clock: { type: 'time' },
    at: { type: 'datetime' },
    secret: { type: 'password', minLength: 4 },
    extra: {
      type: 'string',
      required: true,
      default: 'x',
      conditions: { visible: { '==': [{ var: 'kind' }, 'a'] } },
    },
    seo: { type: 'component', component: 'shared.tag' },
    tags: { type: 'component', component: 'shared.tag', repeatable: true, min: 2, max: 3 },
    zone: { type: 'dynamiczone', components: ['shared.tag'], max: 2 },
    author: { type: 'relation', relation: 'oneToOne', target: 'api::note.note', required: true },
  },
});

const valid = { title: 'abcd' };
const published: CheckOptions = { mode: 'published', action: 'create' };
const draft: CheckOptions = { mode: 'draft', action: 'create' };
const patch: CheckOptions = { mode: 'published', action: 'update' };
const validator = compileChecker(schema, type('note'));

const refusal = (data: unknown, options: CheckOptions, using = validator): ApiError => {
  try {
    using.check(data, options);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error(`accepted: ${JSON.stringify(data)}`);
};

const listed = (error: ApiError): string[] =>
  ((error.details?.['errors'] ?? []) as { path: string[]; message: string }[]).map(
    ({ path, message }) => `${path.join('/')}: ${message}`,
  );

describe('documents/validate: refusals', () => {
  const tooDeep = Array.from({ length: 5000 }).reduce<unknown>((inner) => [inner], 1);
  const rows: [string, Record<string, unknown>, string][] = [
    ['absent', { title: undefined }, 'title: title must be defined.'],
    ['null', { title: null }, 'title: title must be a `string` type, but the final value was: `null`.'],
    [
      'a number in place of a string',
      { title: 5 },
      'title: title must be a `string` type, but the final value was: `5`.',
    ],
    [
      'a list in place of a string',
      { title: ['x', 1] },
      'title: title must be a `string` type, but the final value was: `[\n  "\\"x\\"",\n  "1"\n]`.',
    ],
    ['too short', { title: 'ab' }, 'title: title must be at least 3 characters'],
    ['too long', { title: 'abcdef' }, 'title: title must be at most 5 characters'],
    ['a string of 256 characters', { rx: 'a'.repeat(256) }, 'rx: rx must be at most 255 characters'],
    ['pattern', { rx: 'A' }, 'rx: rx must match the following: "/^[a-z]+$/"'],
    [
      'pattern, empty, required',
      { strictRx: '' },
      'strictRx: strictRx must match the following: "/^[a-z]+$/"',
    ],
    ['e-mail', { mail: 'a@b' }, 'mail: mail must be a valid email'],
    ['email, two dots', { mail: 'a..b@c.de' }, 'mail: mail must be a valid email'],
    ['empty email', { mail: '' }, 'mail: mail cannot be empty'],
    ['uid', { slug: 'a b' }, 'slug: slug must match the following: "/^[A-Za-z0-9-_.~]*$/"'],
    ['enumeration', { kind: '' }, 'kind: kind must be one of the following values: a, b, '],
    ['enumeration, number', { kind: 7 }, 'kind: kind must be one of the following values: a, b, '],
    ['not an integer', { count: 1.5 }, 'count: count must be an integer'],
    ['below', { count: 0 }, 'count: count must be greater than or equal to 1'],
    ['above', { count: '11' }, 'count: count must be less than or equal to 10'],
    [
      'not a number',
      { count: {} },
      'count: count must be a `number` type, but the final value was: `NaN` (cast from the value `{}`).',
    ],
    ['infinite', { ratio: 'Infinity' }, 'ratio: ratio must be a finite number'],
    [
      'json, infinite',
      { meta: [{ a: Number.POSITIVE_INFINITY }] },
      'meta: meta must be a value that JSON can represent',
    ],
    ['json, NaN', { meta: Number.NaN }, 'meta: meta must be a value that JSON can represent'],
    [
      'json, an instance of a class',
      { meta: { at: new Map() } },
      'meta: meta must be a value that JSON can represent',
    ],
    [
      'json, invalid BSON',
      { meta: [{ _bsontype: 'Long' }] },
      'meta: meta must be a value that JSON can represent',
    ],
    ['not a 64-bit integer', { big: { __isLong__: true } }, 'big: big must be a valid integer'],
    ['a number beyond 64 bits', { big: 1e308 }, 'big: big must be a valid integer'],
    ['65 bits', { big: '9223372036854775808' }, 'big: big must be a valid integer'],
    ['boolean', { flag: 't' }, 'flag: flag must be a `boolean` type, but the final value was: `"t"`.'],
    ['password, short', { secret: 'abc' }, 'secret: secret must be at least 4 characters'],
    ['password, 73 bytes', { secret: 'é'.repeat(37) }, 'secret: secret must be at most 72 bytes'],
    ['component, list', { seo: [] }, 'seo: seo must be a `object` type, but the final value was: `[]`.'],
    ['component, inside', { seo: {} }, 'seo/label: seo.label must be defined.'],
    [
      'repeatable, null',
      { tags: null },
      'tags: tags must be a `array` type, but the final value was: `null`.',
    ],
    ['repeatable, too few', { tags: [{ label: 'x' }] }, 'tags: tags field must have at least 2 items'],
    [
      'repeatable, item',
      { tags: [{ label: 'x' }, 5] },
      'tags/1: tags[1] must be a `object` type, but the final value was: `null` (cast from the value `5`).',
    ],
    [
      'zone, unlisted',
      { zone: [{ __component: 'shared.other' }] },
      'zone/0/__component: zone[0].__component must be one of the following values: shared.tag',
    ],
  ];
  for (const [name, data, expected] of rows)
    it(name, () => {
      const error = refusal({ ...valid, ...data }, published);
      expect(listed(error)).to.deep.equal([expected]);
      expect(error.message).to.equal(expected.slice(expected.indexOf(': ') + 2));
    });

  const zones: [string, unknown, string[]][] = [
    [
      'without a component',
      {},
      [
        'zone/0/__component: zone[0].__component is a required field',
        ': Cannot build relations store from dynamiczone, component identifier is undefined',
      ],
    ],
    [
      'an empty component',
      { __component: '' },
      [
        'zone/0/__component: zone[0].__component must be one of the following values: shared.other, shared.tag',
        ': Cannot build relations store from dynamiczone, component identifier is undefined',
      ],
    ],
    [
      'unknown component',
      { __component: 'a.b' },
      [
        'zone/0/__component: zone[0].__component must be one of the following values: shared.other, shared.tag',
        ': Invalid relations',
      ],
    ],
  ];
  it("errors are in Strapi's order: one whose name contains another's is in its place, before it", () => {
    const text = { type: 'string' };
    const person = buildModels({ person: { age: text, name: text, lastname: text, video: text } }).type(
      'person',
    );
    const errors = ['video', 'name', 'lastname', 'age'].map((one) => fieldError([one], 'wrong'));
    expect(inSchemaOrder(errors, person).map(({ path }) => path[0])).to.deep.equal([
      'age',
      'lastname',
      'name',
      'video',
    ]);
  });
  it('a zone item that is not an object is reported once', () => {
    expect(listed(refusal({ ...valid, zone: [null] }, draft))).to.deep.equal([
      'zone/0: zone[0] must be a `object` type, but the final value was: `null`.',
      ': Invalid relations',
    ]);
  });
  it('a zone that is not a list has no components', () => {
    expect(listed(refusal({ ...valid, zone: 'x' }, draft))).to.deep.equal([
      'zone: zone must be a `array` type, but the final value was: `"x"`.',
      ': Cannot build relations store from dynamiczone, component identifier is undefined',
    ]);
  });
  for (const [name, item, expected] of zones)
    it(`zone item, ${name}`, () => {
      const error = refusal({ ...valid, zone: [item] }, draft);
      expect(listed(error)).to.deep.equal(expected);
      expect(error.message).to.equal('2 errors occurred');
    });

  const plain: [string, unknown, string][] = [
    [
      'data is a list',
      [],
      'this must be a `object` type, but the final value was: `null` (cast from the value `[]`).',
    ],
    [
      'data is text',
      'x',
      'this must be a `object` type, but the final value was: `null` (cast from the value `"x"`).',
    ],
    ['date format', { ...valid, day: '2024-1-5' }, 'Invalid format, expected yyyy-MM-dd'],
    ['nonexistent date', { ...valid, day: '2023-02-29' }, 'Invalid date'],
    ['time format', { ...valid, clock: '08:30' }, 'Invalid time format, expected HH:mm:ss.SSS'],
    ['an hour of one digit', { ...valid, clock: '9:00:00' }, 'Invalid time format, expected HH:mm:ss.SSS'],
    ['datetime format', { ...valid, at: 'nope' }, 'Invalid format, expected a timestamp or an ISO date'],
    ['too deep', { ...valid, meta: tooDeep }, 'meta is nested deeper than 90 levels'],
  ];
  for (const [name, data, expected] of plain)
    it(name, () => {
      expect(refusal(data, published)).to.include({
        message: expected,
        status: 400,
        name: 'ValidationError',
      });
    });

  it('a value of another type is not one of the listed values either', () => {
    const heading = { type: 'heading', level: 'x', children: [{ type: 'text', text: 'h' }] };
    const error = refusal({ ...valid, kind: {}, rich: [heading] }, published);
    expect(listed(error)).to.deep.equal([
      'kind: kind must be a `string` type, but the final value was: `{}`.',
      'kind: kind must be one of the following values: a, b, ',
      'rich/0/level: rich[0].level must be one of the following values: 1, 2, 3, 4, 5, 6',
      'rich/0/level: rich[0].level must be a `number` type, but the final value was: `NaN` (cast from the value `"x"`).',
    ]);
  });

  it('an image of blocks lists every field that it requires', () => {
    const given = { alternativeText: null, caption: null, formats: null, previewUrl: null };
    const rich = [{ type: 'image', image: given, children: [{ type: 'text', text: '' }] }];
    const needed = 'name url width height hash ext mime size provider createdAt updatedAt'.split(' ');
    expect(listed(refusal({ ...valid, rich }, published))).to.have.members(
      needed.map((name) => `rich/0/image/${name}: rich[0].image.${name} is a required field`),
    );
  });

  it('a value that casting does not change is not reported as cast', () => {
    const text = { type: 'paragraph', children: [{ type: 'text', text: {} }] };
    expect(listed(refusal({ ...valid, rich: [text] }, published))).to.deep.equal([
      'rich/0/children/0/text: rich[0].children[0].text must be a `string` type, but the final value was: `{}`.',
    ]);
  });

  it('an infinite integer is too large as well as not an integer', () => {
    expect(listed(refusal({ ...valid, count: 'Infinity' }, published))).to.have.members([
      'count: count must be an integer',
      'count: count must be less than or equal to 10',
    ]);
  });

  it("null in an update has its own message if the type's does not mention it", () => {
    const { schema: other, type: of } = buildModels({ memo: { meta: { type: 'json', required: true } } });
    const own = compileChecker(other, of('memo'));
    expect(listed(refusal({ meta: null }, patch, own))).to.deep.equal(['meta: meta cannot be null.']);
    expect(listed(refusal({ meta: null }, published, own))).to.deep.equal(['meta: meta must be defined.']);
  });

  it('an item in an update may lack what is required of a new one, as in Strapi; what it has is checked', () => {
    const tag = { weight: 1 };
    const stored = validator.check(
      { seo: {}, tags: [tag, tag], zone: [{ __component: 'shared.tag' }] },
      patch,
    );
    expect(stored['seo']).to.have.property('label', null);
    const wrong = { seo: { label: null }, tags: [tag, { label: 5 }] };
    expect(listed(refusal(wrong, patch))).to.deep.equal([
      'seo/label: seo.label must be a `string` type, but the final value was: `null`.',
      'tags/1/label: tags[1].label must be a `string` type, but the final value was: `5`.',
    ]);
  });

  const missing = missingTargets('api::note.note', 1);
  /** The message for a body that also refers to an entry that does not exist. */
  const checked = (data: object): Promise<unknown> => {
    const plan = planWrite(schema, { type: type('note'), data, action: 'create' });
    const context = { schema, config: makeConfig('.') };
    return checkPlan(context, plan, { mode: 'published', missing: [missing] }).catch(
      (error: Error) => error.message,
    );
  };
  it('targets that do not exist are reported rather than a malformed time', async () => {
    expect(await checked({ ...valid, clock: '08:30' })).to.equal(missing.message);
  });

  it('targets that do not exist are not reported beside a zone that cannot be read', async () => {
    expect(await checked({ ...valid, zone: [null] })).to.equal('2 errors occurred');
    expect(await checked({ ...valid, zone: [null], author: [{}] })).to.equal('2 errors occurred');
  });

  it('required relations are enforced only if relations are strict', () => {
    const strict = compileChecker(schema, type('note'), { strictRelations: true });
    expect(listed(refusal(valid, published, strict))).to.deep.equal(['author: author must be defined.']);
  });
});

describe('documents/validate: accepted values', () => {
  const stored: [string, string, unknown, unknown][] = [
    ['integer from a string', 'count', ' 5 ', 5],
    ['biginteger', 'big', '-9223372036854775808', Long.MIN_VALUE],
    ['biginteger, padded', 'big', ' 42 ', Long.fromNumber(42)],
    ['biginteger from a number', 'big', 42, Long.fromNumber(42)],
    ['decimal', 'price', '1.50', Decimal128.fromString('1.5')],
    ['boolean', 'flag', 'TRUE', true],
    ['boolean from 0', 'flag', 0, false],
    ['boolean from a list of one', 'flag', ['False'], false],
    ['boolean from a list of lists', 'flag', [[1]], true],
    ['json text', 'meta', '{"a":1}', { a: 1 }],
    ['json, other text', 'meta', 'plain', 'plain'],
    ['json, a datetime', 'meta', { at: new Date(0) }, { at: new Date(0) }],
    ['json, BSON', 'meta', [Long.fromNumber(7)], [Long.fromNumber(7)]],
    ['json keys', 'meta', JSON.parse('{"$set":1,"a.b":2}'), { $set: 1, 'a.b': 2 }],
    ['blocks, not a list', 'rich', { type: 'paragraph' }, null],
    [
      'blocks',
      'rich',
      [{ type: 'paragraph', children: [{ type: 'text', text: 'x', bold: 'true' }] }],
      [{ type: 'paragraph', children: [{ type: 'text', text: 'x', bold: true }] }],
    ],
    ['date from a timestamp', 'day', '2024-02-29T23:00:00+02:00', '2024-02-29'],
    ['time', 'clock', '08:30:01.5', '08:30:01.500'],
    ['instant', 'at', '2024-01-05T10:00:00+02:00', new Date('2024-01-05T08:00:00Z')],
    ['datetime, date only', 'at', '2024-01-05', new Date('2024-01-05T00:00:00Z')],
    ['datetime, a century', 'at', '42', new Date('4200-01-01T00:00:00Z')],
    ['datetime, milliseconds', 'at', 1704412800000, new Date(1704412800000)],
    ['empty pattern', 'rx', '', ''],
    ['a hash instead of a password', 'secret', `$2b$10$${'a'.repeat(53)}`, `$2b$10$${'a'.repeat(53)}`],
    ['references', 'author', { connect: ['abc'] }, { connect: ['abc'] }],
    ['an empty list below the minimum', 'tags', [], []],
  ];
  for (const [name, attribute, given, expected] of stored)
    it(name, () => {
      const entry = validator.check({ ...valid, [attribute]: given }, published);
      expect(entry[attribute]).to.deep.equal(expected);
    });

  it('accepts stored values unchanged', () => {
    const entry = validator.check({ ...valid, big: 7, price: 2.25, at: 0 }, published);
    expect(validator.check(entry, published)).to.deep.equal(entry);
  });

  it('fills in a new entry, with defaults, also inside new items', () => {
    const entry = validator.check({ ...valid, tags: [{ id: 3, label: 'x' }, { label: 'y' }] }, published);
    expect(entry).to.include({ title: 'abcd', strictRx: 'ab', rx: null, seo: null });
    expect(entry['zone']).to.deep.equal([]);
    expect(entry['tags']).to.deep.equal([
      { label: 'x', weight: 1 },
      { label: 'y', weight: 1 },
    ]);
    expect(entry).not.to.have.any.keys('author', 'locale', 'createdAt');
  });

  it('leaves attributes unchanged that an update does not mention, also inside items with an id', () => {
    const entry = validator.check({ tags: [{ id: 3, weight: 2 }, { label: 'y' }], unknown: 1 }, patch);
    expect(entry).to.deep.equal({
      tags: [
        { id: 3, weight: 2 },
        { label: 'y', weight: 1 },
      ],
    });
  });

  it('allows an incomplete draft', () => {
    const data = { title: null, rx: 'A', mail: 'x', slug: 'a b', count: 0, tags: [{}] };
    expect(validator.check(data, draft)).to.include({ title: null, rx: 'A', mail: 'x', count: 0 });
  });

  it('asks a new draft for the lists of items that are required, which may be empty', () => {
    const cells = { type: 'component', component: 'shared.tag', repeatable: true, required: true };
    const zone = { type: 'dynamiczone', components: ['shared.row'], required: true };
    const grid = schemaOf(
      componentFile('shared.tag', { name: { type: 'string', required: true } }),
      componentFile('shared.row', { cells }),
      typeFile('grid', { cells, zone, optional: { ...cells, required: false } }, { draftAndPublish: true }),
    );
    const type = grid.contentTypes.get('api::grid.grid');
    if (!type) throw new Error('no such type');
    const lists = compileChecker(grid, type);
    expect(listed(refusal({}, draft, lists))).to.eql([
      'cells: cells must be defined.',
      'zone: zone must be defined.',
    ]);
    expect(listed(refusal({ cells: [], zone: [{ __component: 'shared.row' }] }, draft, lists))).to.eql([
      'zone/0/cells: zone[0].cells must be defined.',
    ]);
    expect(lists.check({ cells: [], zone: [] }, draft)).to.deep.include({ cells: [], zone: [] });
    expect(lists.check({}, { mode: 'draft', action: 'update' })).to.be.an('object');
  });

  it('does not check an attribute that its condition hides', () => {
    expect(validator.check({ ...valid, kind: 'b', extra: null }, published)).to.include({ extra: null });
    expect(validator.check({ ...valid, kind: 'b', extra: 5 }, published)).to.include({ extra: null });
    expect(listed(refusal({ ...valid, kind: 'a', extra: 5 }, published))).to.have.length(1);
  });

  it('keeps prototypes out of the entry', () => {
    const entry = validator.check(
      JSON.parse('{"title":"abcd","__proto__":{"rx":"A"},"constructor":1}'),
      published,
    );
    expect(entry['rx']).to.equal(null);
    expect(Object.keys(entry)).not.to.include('__proto__');
  });
});
