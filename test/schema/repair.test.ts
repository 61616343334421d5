/** What is done about each problem in a schema file: accepted as in Strapi, changed by an import, or left to a person. */
import { expect } from 'chai';
import { randomOf, SEED } from '../../packages/engine/test/support/random.js';
import { checkSchema } from '../../src/schema/check/check.js';
import { problemsIn } from '../../src/schema/check/problems.js';
import { adjustmentsIn, repair } from '../../src/schema/check/repair.js';
import { SchemaError } from '../../src/schema/error.js';
import type { SchemaFile } from '../../src/schema/files/read.js';
import { objectAt } from '../../src/values/plain-object.js';
import { rounds } from '../support/rounds.js';
import { type Attributes, componentFile, typeFile } from '../support/schemas.js';

const A = 'api::a.a';
const B = 'api::b.b';
const relation = (kind: string, target: string, more: object = {}) => ({
  type: 'relation',
  relation: kind,
  target,
  ...more,
});

/** Who accepts it: Strapi 5 starts with it; only an import changes it; nobody. */
type Who = 'start' | 'import' | 'nobody';

/** Attribute `x` of `api::a.a`; what it becomes, undefined if it is left out. */
type Case = readonly [what: string, x: unknown, who: Who, becomes?: unknown];

const text = { type: 'string' };
const ATTRIBUTES: readonly Case[] = [
  ['a flag that is not one', { ...text, private: 'yes' }, 'start', { ...text, private: true }],
  ['a flag that is null', { ...text, required: null }, 'start', { ...text, required: false }],
  ['an option of another type', { ...text, maxLength: 'ten' }, 'start', text],
  ['a negative length', { ...text, minLength: -1 }, 'start', text],
  ['lengths reversed', { ...text, minLength: 5, maxLength: 2 }, 'start', { ...text, maxLength: 2 }],
  ['bounds reversed', { type: 'integer', min: 5, max: 2 }, 'start', { type: 'integer', max: 2 }],
  ['a bound that is not a number', { type: 'biginteger', min: 'ten' }, 'start', { type: 'biginteger' }],
  ['an invalid regular expression', { ...text, regex: '(' }, 'start', text],
  ['a default of another type', { type: 'boolean', default: 'true' }, 'start', { type: 'boolean' }],
  [
    'a default that the enumeration lacks',
    { type: 'enumeration', enum: ['x'], default: 'y' },
    'start',
    { type: 'enumeration', enum: ['x'] },
  ],
  ['a default for blocks', { type: 'blocks', default: [] }, 'start', { type: 'blocks' }],
  ['a uid of a missing attribute', { type: 'uid', targetField: 'no' }, 'start', { type: 'uid' }],
  ['a uid that is too long', { type: 'uid', maxLength: 300 }, 'start', { type: 'uid' }],
  [
    'more rounds than bcrypt has',
    { type: 'password', encryption: { rounds: 32 } },
    'start',
    { type: 'password' },
  ],
  [
    'media of an unknown kind',
    { type: 'media', allowedTypes: ['pictures', 'images'] },
    'start',
    { type: 'media', allowedTypes: ['images'] },
  ],
  ['an empty enumeration', { type: 'enumeration', enum: [] }, 'start', { type: 'string', enum: [] }],
  ['an enumeration without values', { type: 'enumeration' }, 'import', text],
  [
    'a value twice',
    { type: 'enumeration', enum: ['x', 'x'] },
    'import',
    { type: 'string', enum: ['x', 'x'] },
  ],
  [
    'values that begin with a digit',
    { type: 'enumeration', enum: ['2nd'] },
    'import',
    { type: 'string', enum: ['2nd'] },
  ],
  ['an unknown type', { type: 'strng' }, 'import', { type: 'json' }],
  ['no type', {}, 'import', { type: 'json' }],
  ['not an attribute', 'text', 'import'],
  ['a missing component', { type: 'component', component: 'shared.no' }, 'import'],
  ['no component', { type: 'component' }, 'import'],
  [
    'a zone with a missing component',
    { type: 'dynamiczone', components: ['box.c', 'shared.no'] },
    'start',
    { type: 'dynamiczone', components: ['box.c'] },
  ],
  [
    'a zone with a component twice',
    { type: 'dynamiczone', components: ['box.c', 'box.c'] },
    'start',
    { type: 'dynamiczone', components: ['box.c'] },
  ],
  ['a zone without components', { type: 'dynamiczone' }, 'start', { type: 'dynamiczone', components: [] }],
  ['a relation without kind', { type: 'relation', target: A }, 'import'],
  ['a relation of an unknown kind', relation('someToSome', A), 'import'],
  ['a relation without target', { type: 'relation', relation: 'oneToOne' }, 'import'],
  ['a relation to an unknown type', relation('oneToOne', 'api::no.no'), 'import'],
  ['a relation to a component', relation('oneToOne', 'box.c'), 'import'],
  [
    'a relation to a type of a plugin that does not exist here',
    relation('oneToMany', 'plugin::content-releases.release'),
    'start',
  ],
  ['a relation to roles of the admin panel', relation('oneToMany', 'admin::role'), 'start'],
  [
    'a relation to files',
    relation('morphMany', 'plugin::upload.file', { morphBy: 'related' }),
    'start',
    { type: 'media', multiple: true },
  ],
  ['a polymorphic inverse without morphBy', relation('morphMany', A), 'start'],
  ['a polymorphic inverse of another attribute', relation('morphMany', A, { morphBy: 'title' }), 'start'],
  ['a polymorphic inverse of no attribute', relation('morphMany', A, { morphBy: 'no' }), 'import'],
  [
    'both inversedBy and mappedBy',
    relation('oneToOne', B, { inversedBy: 'y', mappedBy: 'y' }),
    'start',
    relation('oneToOne', B),
  ],
  [
    'an owner whose other side is one-way',
    relation('oneToOne', B, { inversedBy: 'y' }),
    'start',
    relation('oneToOne', B),
  ],
  [
    'an owner of another kind',
    relation('manyToMany', B, { inversedBy: 'y' }),
    'start',
    relation('manyToMany', B),
  ],
  [
    'an owner whose other side is no relation',
    relation('oneToOne', B, { inversedBy: 'name' }),
    'import',
    relation('oneToOne', B),
  ],
  [
    'an owner without another side',
    relation('oneToOne', B, { inversedBy: 'no' }),
    'import',
    relation('oneToOne', B),
  ],
  [
    'a mapped side whose other side does not exist',
    relation('oneToMany', B, { mappedBy: 'gone' }),
    'start',
    relation('oneToMany', B),
  ],
  ['an owning oneToMany', relation('oneToMany', B, { inversedBy: 'y' }), 'import', relation('oneToMany', B)],
  ['a mapped manyToOne', relation('manyToOne', B, { mappedBy: 'y' }), 'import', relation('manyToOne', B)],
  [
    'a mapped side without an owner',
    relation('oneToMany', B, { mappedBy: 'y' }),
    'start',
    relation('oneToMany', B),
  ],
];

/** Attribute `x` of the component `box.c`. */
const IN_COMPONENTS: readonly Case[] = [
  ['a manyToOne', relation('manyToOne', A), 'start', relation('manyToOne', A)],
  ['a manyToMany', relation('manyToMany', A), 'start', relation('manyToMany', A)],
  ['an owner', relation('manyToOne', A, { inversedBy: 'y' }), 'start', relation('manyToOne', A)],
  ['a mapped side', relation('oneToMany', A, { mappedBy: 'title' }), 'start', relation('oneToMany', A)],
  ['a polymorphic relation', { type: 'relation', relation: 'morphToMany' }, 'start'],
  ['a zone', { type: 'dynamiczone', components: [] }, 'start', { type: 'json', components: [] }],
  [
    'itself, required',
    { type: 'component', component: 'box.c', required: true },
    'start',
    { type: 'component', component: 'box.c', required: false },
  ],
];

/** What the file of `api::a.a` has in addition, and what becomes of these keys. */
const FILES: readonly (readonly [
  what: string,
  more: object,
  who: Who,
  path: readonly string[],
  becomes?: unknown,
])[] = [
  ['an unknown kind', { kind: 'manyTypes' }, 'start', ['kind']],
  [
    'draftAndPublish that is not true',
    { options: { draftAndPublish: 'yes' } },
    'start',
    ['options', 'draftAndPublish'],
    false,
  ],
  [
    'one private attribute',
    { options: { privateAttributes: 'title' } },
    'start',
    ['options', 'privateAttributes'],
    ['title'],
  ],
  [
    'localized that is not true',
    { pluginOptions: { i18n: { localized: 'yes' } } },
    'start',
    ['pluginOptions', 'i18n'],
  ],
  ['indexes without columns', { indexes: [{ name: 'x' }] }, 'start', ['indexes']],
  ['a collection that begins with a digit', { collectionName: '2nd' }, 'start', ['collectionName'], 'nd'],
  ['a collection with a space', { collectionName: 'my things' }, 'start', ['collectionName'], 'my_things'],
  [
    'a collection with a dot',
    { collectionName: 'public.things' },
    'import',
    ['collectionName'],
    'public_things',
  ],
  ['no names', { info: undefined }, 'import', ['info', 'singularName'], 'a'],
  [
    'another singular name',
    { info: { singularName: 'x', pluralName: 'xs', displayName: 'X' } },
    'import',
    ['info', 'singularName'],
    'a',
  ],
  [
    'the same plural',
    { info: { singularName: 'a', pluralName: 'a', displayName: 'A' } },
    'import',
    ['info', 'pluralName'],
    'a-list',
  ],
  [
    'a plural that is not in kebab-case',
    { info: { singularName: 'a', pluralName: 'As', displayName: 'A' } },
    'import',
    ['info', 'pluralName'],
    'a-list',
  ],
  [
    'a route of the server',
    { info: { singularName: 'a', pluralName: 'users', displayName: 'A' } },
    'start',
    ['info', 'pluralName'],
    'users-list',
  ],
  [
    'the plural of another type',
    { info: { singularName: 'a', pluralName: 'bs', displayName: 'A' } },
    'import',
    ['info', 'pluralName'],
    'bs',
  ],
  ['the collection of another type', { collectionName: 'bs' }, 'import', ['collectionName'], 'bs'],
];

const isAccepted = (files: readonly SchemaFile[]): boolean => {
  try {
    checkSchema(files);
    return true;
  } catch (error) {
    if (error instanceof SchemaError) return false;
    throw error;
  }
};

const filesWith = (a: Attributes, c: Attributes = {}): readonly SchemaFile[] => [
  typeFile('a', { title: text, ...a }),
  typeFile('b', { name: text, y: relation('manyToOne', A) }),
  componentFile('box.c', c),
];

describe('problems in schema files', () => {
  const check = (files: readonly SchemaFile[], who: Who): readonly SchemaFile[] => {
    expect(isAccepted(files), 'accepted at the start').to.equal(who === 'start');
    const { problems, files: repaired, changes } = repair(files, {}, 'import');
    expect(problems.length > 0, 'left for a person').to.equal(who === 'nobody');
    const wasWrong = problemsIn(files, {}).problems.length > 0;
    expect(changes.length > 0).to.equal(wasWrong && who !== 'nobody');
    expect(adjustmentsIn(files).length > 0).to.equal(wasWrong && who === 'start');
    return repaired;
  };
  for (const [what, x, who, becomes] of ATTRIBUTES)
    it(`${what}: ${who}`, () => {
      const files = check(filesWith({ x: x as object }), who);
      expect(objectAt(files[0]?.content, 'attributes')['x']).to.eql(becomes);
    });
  for (const [what, x, who, becomes] of IN_COMPONENTS)
    it(`in a component, ${what}: ${who}`, () => {
      const files = check(filesWith({}, { x: x as object }), who);
      expect(objectAt(files[2]?.content, 'attributes')['x']).to.eql(becomes);
    });
  for (const [what, more, who, path, becomes] of FILES)
    it(`${what}: ${who}`, () => {
      const [a, ...others] = filesWith({});
      if (!a) throw new Error('no file');
      const files = check([...others, { ...a, content: { ...objectAt(a.content), ...more } }], who);
      const content = files.find(({ uid }) => uid === A)?.content;
      const last = path.at(-1) ?? '';
      const found = objectAt(content, ...path.slice(0, -1))[last];
      if (becomes === 'bs') expect(found).to.be.a('string').with.length.above(2);
      else expect(found).to.eql(becomes);
    });

  // An import gives them another name when it reads the archive.
  for (const name of ['id', 'documentId', 'created_at', 'my-field', 'constructor', '_rev', 'Title'])
    it(`an attribute called ${name}: nobody`, () => {
      check(filesWith({ [name]: text }), 'nobody');
    });

  it('two owners are two relations, and extensions of unknown plugins are left out', () => {
    const files = [
      typeFile('a', { b: relation('manyToMany', B, { inversedBy: 'a' }) }),
      typeFile('b', { a: relation('manyToMany', A, { inversedBy: 'b' }) }),
      { ...typeFile('c', {}), kind: 'extension' as const, uid: 'plugin::navigation.audience' },
    ];
    const sources = checkSchema(files);
    expect(sources.map(({ uid }) => uid))
      .to.include(A)
      .and.not.include('plugin::navigation.audience');
    expect(JSON.stringify(sources.filter(({ uid }) => uid === A || uid === B))).to.not.include('inversedBy');
  });

  it('of several owners of one attribute, the last has it as its other side, as in Strapi', () => {
    const owner = relation('manyToOne', B, { inversedBy: 'all' });
    const files = (mappedBy: string) => [
      typeFile('a', {
        first: owner,
        second: owner,
        third: owner,
        other: relation('oneToOne', B, { inversedBy: 'all' }),
      }),
      typeFile('b', { all: relation('oneToMany', A, { mappedBy }) }),
    ];
    for (const mappedBy of ['first', 'second', 'third']) {
      expect(isAccepted(files(mappedBy))).to.equal(true);
      const [a, b] = repair(files(mappedBy), {}, 'start').files;
      expect(objectAt(b?.content, 'attributes', 'all')['mappedBy']).to.equal('third');
      const owners = Object.entries(objectAt(a?.content, 'attributes')).filter(
        ([, one]) => 'inversedBy' in objectAt(one),
      );
      expect(owners.map(([name]) => name)).to.eql(['third']);
    }
  });

  it('random files never prevent an import', function () {
    this.timeout(180_000);
    const runs = rounds(50, 500);
    const TYPES = [
      'string',
      'enumeration',
      'uid',
      'relation',
      'component',
      'dynamiczone',
      'media',
      'integer',
      'biginteger',
      'json',
      'no',
      5,
    ];
    const VALUES: readonly unknown[] = [
      ...[
        null,
        true,
        false,
        -1,
        0,
        3,
        5.5,
        '',
        'x',
        'title',
        '(',
        [],
        ['a', 'a'],
        ['1'],
        [5],
        {},
        { a: 1 },
        '2020-01-01',
      ],
      ...[
        'oneToOne',
        'oneToMany',
        'manyToOne',
        'manyToMany',
        'morphToOne',
        'morphToMany',
        'morphOne',
        'morphMany',
      ],
      ...[
        A,
        B,
        'plugin::upload.file',
        'plugin::no.no',
        'api::no.no',
        'box.c',
        'box.d',
        'box.no',
        ['box.c', 'box.no'],
        'p',
        'q',
        'r',
      ],
    ];
    const OPTIONS = [
      ...[
        'required',
        'unique',
        'private',
        'min',
        'max',
        'minLength',
        'maxLength',
        'regex',
        'default',
        'enum',
        'targetField',
      ],
      ...[
        'relation',
        'target',
        'inversedBy',
        'mappedBy',
        'morphBy',
        'component',
        'components',
        'repeatable',
        'multiple',
      ],
      ...[
        'relation',
        'target',
        'relation',
        'target',
        'allowedTypes',
        'conditions',
        'pluginOptions',
        'encryption',
      ],
    ];
    for (let run = 0; run < runs; run += 1) {
      const random = randomOf(SEED + run);
      const attribute = () =>
        Object.fromEntries([
          ['type', random.pick(TYPES)],
          ...Array.from(
            { length: random.below(6) },
            () => [random.pick(OPTIONS), random.pick(VALUES)] as const,
          ),
        ]);
      const attributes = () => ({ title: text, p: attribute(), q: attribute(), r: attribute() });
      const file = {
        options: random.pick(VALUES),
        collectionName: random.pick(VALUES),
        kind: random.pick(VALUES),
      };
      const files = [
        typeFile('a', attributes(), { file }),
        typeFile('b', attributes(), {
          file: { info: random.pick(VALUES), pluginOptions: random.pick(VALUES) },
        }),
        componentFile('box.c', attributes()),
        componentFile('box.d', attributes()),
      ];
      const { problems, files: repaired } = repair(files, {}, 'import');
      expect(problems, `seed ${SEED + run}`).to.eql([]);
      expect(isAccepted(repaired), `seed ${SEED + run}`).to.equal(true);
      for (const [at, { content }] of files.entries())
        for (const [name, was] of Object.entries(objectAt(content, 'attributes'))) {
          const now = objectAt(repaired[at]?.content, 'attributes')[name];
          if (now !== undefined && objectAt(was)['private'])
            expect(objectAt(now)['private'], 'private').to.be.ok;
        }
    }
  });
});
