import { expect } from 'chai';
import { checkSchema } from '../../src/schema/check/check.js';
import { problemsIn } from '../../src/schema/check/problems.js';
import { SchemaError } from '../../src/schema/error.js';
import type { SchemaFile } from '../../src/schema/files/read.js';
import { type Attributes, componentFile, typeFile } from '../support/schemas.js';

const problemsOf = (...files: readonly SchemaFile[]): readonly string[] =>
  problemsIn(files, {}).problems.map(({ file, path, expected }) => `${file} › ${path}: ${expected}`);

const seo = componentFile('shared.seo', { title: { type: 'string' } });

/** Attributes of `thing`, next to each other, and their problems without the leading `attributes.`. */
const attributeCases: readonly (readonly [string, Attributes, readonly string[]])[] = [
  [
    'every scalar type',
    Object.fromEntries(
      [
        'string',
        'text',
        'richtext',
        'blocks',
        'json',
        'password',
        'email',
        'uid',
        'integer',
        'biginteger',
        'float',
        'decimal',
        'date',
        'time',
        'datetime',
        'timestamp',
        'boolean',
      ].map((type) => [`a_${type}`, { type }]),
    ),
    [],
  ],
  ['an unknown type', { a: { type: 'strng' } }, ['a: "type" is one of string, text, ']],
  ['a type that is not a string', { a: { type: 5 } }, ['a: "type" is one of string, text, ']],
  ['no type', { a: {} }, ['a.type: missing']],
  ['an invalid flag', { a: { type: 'string', required: 'yes' } }, ['a.required: boolean, not "yes"']],
  [
    'an invalid length',
    { a: { type: 'string', maxLength: -1 } },
    ['a.maxLength: a number from 0 on, not -1'],
  ],
  [
    'lengths reversed',
    { a: { type: 'string', minLength: 5, maxLength: 2 } },
    ['a.minLength: at most "maxLength", which is 2'],
  ],
  ['bounds reversed', { a: { type: 'integer', min: 5, max: 2 } }, ['a.min: at most "max", which is 2']],
  [
    'big bounds reversed',
    { a: { type: 'biginteger', min: '9007199254740993', max: '9007199254740992' } },
    ['a.min: at most "max"'],
  ],
  ['big bounds as strings', { a: { type: 'biginteger', min: '-10', max: '9007199254740993' } }, []],
  [
    'a bound that is not a number',
    { a: { type: 'biginteger', min: 'ten' } },
    ['a.min: an integer in quotes, not "ten"'],
  ],
  ['an invalid regex', { a: { type: 'string', regex: '(' } }, ['a.regex: a regular expression, not "("']],
  ['an enumeration without values', { a: { type: 'enumeration' } }, ['a.enum: missing']],
  ['an empty enumeration', { a: { type: 'enumeration', enum: [] } }, ['a.enum: not empty']],
  ['a repeated value', { a: { type: 'enumeration', enum: ['x', 'x'] } }, ['a.enum: no value twice']],
  [
    'values that are equal after normalization',
    { a: { type: 'enumeration', enum: ['street-food', 'street_food'] } },
    ['a.enum: values that stay distinct when punctuation is removed: "street-food" and "street_food"'],
  ],
  [
    'a value that starts with a digit',
    { a: { type: 'enumeration', enum: ['2nd'] } },
    ['a.enum: values that do not begin with a digit, not "2nd"'],
  ],
  [
    'a default that is not in the enumeration',
    { a: { type: 'enumeration', enum: ['x'], default: 'y' } },
    ['a.default: one of "enum"'],
  ],
  ['a default of another type', { a: { type: 'boolean', default: 'true' } }, ['a.default: true or false']],
  [
    'valid defaults',
    {
      a: { type: 'integer', default: 3 },
      b: { type: 'biginteger', default: '9007199254740993' },
      c: { type: 'json', default: {} },
      d: { type: 'date', default: '2024-02-29' },
      e: { type: 'string', default: null },
    },
    [],
  ],
  ['a default for blocks', { a: { type: 'blocks', default: [] } }, ['a.default: no default']],
  [
    'a uid of a missing attribute',
    { a: { type: 'uid', targetField: 'title' } },
    ['a.targetField: a string attribute of the same model, not "title"'],
  ],
  [
    'a uid of a relation',
    { t: { type: 'media' }, a: { type: 'uid', targetField: 't' } },
    ['a.targetField: a string attribute'],
  ],
  [
    'a uid with target and default',
    { t: { type: 'string' }, a: { type: 'uid', targetField: 't', default: 'x' } },
    ['a.default: none'],
  ],
  [
    'more rounds than bcrypt allows',
    { a: { type: 'password', encryption: { rounds: 32 } } },
    ['a.encryption.rounds: a number up to 31, not 32'],
  ],
  [
    'a uid that is too long',
    { a: { type: 'uid', maxLength: 300 } },
    ['a.maxLength: a number up to 256, not 300'],
  ],
  [
    'media of an unknown kind',
    { a: { type: 'media', allowedTypes: ['pictures'] } },
    ['a.allowedTypes.0: one of "images"'],
  ],
  [
    'names that are equal in snake_case',
    { fooBar: { type: 'string' }, foo_bar: { type: 'string' } },
    ['foo_bar: another name: "foo_bar" and "fooBar" are the same'],
  ],
  [
    'a system name',
    { created_at: { type: 'string' } },
    ['created_at: another name: every content type has an attribute "createdAt"'],
  ],
  [
    'a system attribute as repeated by an export',
    { createdAt: { type: 'datetime' }, locale: { type: 'string' } },
    [],
  ],
  // Of a relation, which has no column in Strapi's table, only the name itself is taken.
  ['a name like that of a system relation', { CreatedBy: { type: 'string' } }, []],
  ['the name of a system relation', { createdBy: { type: 'string' } }, ['createdBy: another name']],
  ['a system name with another type', { locale: { type: 'json' } }, ['locale: another name']],
  [
    'reserved names',
    { id: { type: 'string' }, documentId: { type: 'string' } },
    [
      'id: another name: "id" is reserved',
      'documentId: another name: "documentId" is reserved. In a project of Strapi 4, rename it to documentId_v4',
    ],
  ],
  [
    'names that a query cannot express',
    { constructor: { type: 'string' }, toString: { type: 'string' }, hasOwnProperty: { type: 'string' } },
    ['constructor: another name', 'toString: another name', 'hasOwnProperty: another name'],
  ],
  ['a name that only the builder rejects', { meta: { type: 'string' }, status: { type: 'string' } }, []],
  [
    'a missing component',
    { a: { type: 'component', component: 'shared.nope' } },
    ['a.component: a component of this project, not "shared.nope"'],
  ],
  [
    'a zone with a missing component',
    { a: { type: 'dynamiczone', components: ['shared.seo', 'shared.nope'] } },
    ['a.components: components of this project, not "shared.nope"'],
  ],
  ['a known custom field', { a: { type: 'customField', customField: 'plugin::color-picker.color' } }, []],
  [
    'an unknown custom field, treated as JSON',
    { a: { type: 'customField', customField: 'global::map' } },
    [],
  ],
  [
    'a relation without kind',
    { a: { type: 'relation', target: 'api::thing.thing' } },
    ['a.relation: missing'],
  ],
  ['a relation without target', { a: { type: 'relation', relation: 'oneToOne' } }, ['a.target: missing']],
  [
    'a relation to an unknown type',
    { a: { type: 'relation', relation: 'oneToOne', target: 'api::no.no' } },
    ['a.target: a content type of this project, not "api::no.no"'],
  ],
  [
    'a relation to a file',
    { a: { type: 'relation', relation: 'morphMany', target: 'plugin::upload.file', morphBy: 'related' } },
    ['a.type: "media"'],
  ],
  [
    'morph owners',
    { a: { type: 'relation', relation: 'morphToOne' }, b: { type: 'relation', relation: 'morphToMany' } },
    [],
  ],
  [
    'a morph inverse of an ordinary attribute',
    {
      a: { type: 'relation', relation: 'morphMany', target: 'api::thing.thing', morphBy: 'b' },
      b: { type: 'string' },
    },
    ['a.morphBy: a morphToOne or morphToMany of api::thing.thing, not "b"'],
  ],
  [
    'a morph inverse',
    {
      a: { type: 'relation', relation: 'morphOne', target: 'api::thing.thing', morphBy: 'b' },
      b: { type: 'relation', relation: 'morphToOne' },
    },
    [],
  ],
];

describe('schema/check', () => {
  for (const [name, attributes, expected] of attributeCases) {
    it(`${name}: ${expected.length === 0 ? 'right' : 'wrong'}`, () => {
      const found = problemsOf(typeFile('thing', attributes), seo);
      expect(found, found.join('\n')).to.have.length(expected.length);
      for (const [at, text] of expected.entries())
        expect(found[at])
          .to.match(/^thing\/schema\.json › attributes\./)
          .and.include(`attributes.${text}`);
    });
  }

  it('__proto__ is not an attribute name', () => {
    const attributes = JSON.parse('{"__proto__": {"type": "string"}}') as Attributes;
    expect(problemsOf(typeFile('thing', attributes))).to.have.length(1);
  });

  const relation = (relation: string, target: string, more: object = {}) => ({
    type: 'relation',
    relation,
    target,
    ...more,
  });
  const a = 'api::a.a';
  const b = 'api::b.b';
  /** Attribute `x` of a, and attribute `y` of b. */
  const pairs: readonly (readonly [string, object, object, number])[] = [
    ['one-way each', relation('oneToOne', b), relation('oneToMany', a), 0],
    [
      'oneToOne two-way',
      relation('oneToOne', b, { inversedBy: 'y' }),
      relation('oneToOne', a, { mappedBy: 'x' }),
      0,
    ],
    [
      'oneToMany and manyToOne',
      relation('oneToMany', b, { mappedBy: 'y' }),
      relation('manyToOne', a, { inversedBy: 'x' }),
      0,
    ],
    [
      'manyToMany two-way',
      relation('manyToMany', b, { inversedBy: 'y' }),
      relation('manyToMany', a, { mappedBy: 'x' }),
      0,
    ],
    [
      'two owners',
      relation('manyToMany', b, { inversedBy: 'y' }),
      relation('manyToMany', a, { inversedBy: 'x' }),
      2,
    ],
    [
      'a mapped side without an owner',
      relation('oneToMany', b, { mappedBy: 'z' }),
      relation('oneToOne', a),
      1,
    ],
    ['no owner', relation('oneToOne', b, { mappedBy: 'y' }), relation('oneToOne', a, { mappedBy: 'x' }), 2],
    ['only one side declares it', relation('oneToOne', b, { inversedBy: 'y' }), relation('oneToOne', a), 1],
    [
      'kinds that do not match',
      relation('manyToOne', b, { inversedBy: 'y' }),
      relation('manyToMany', a, { mappedBy: 'x' }),
      2,
    ],
    [
      'another target',
      relation('manyToOne', b, { inversedBy: 'y' }),
      relation('oneToMany', b, { mappedBy: 'x' }),
      2,
    ],
    ['an owning oneToMany', relation('oneToMany', b, { inversedBy: 'y' }), relation('manyToOne', a), 1],
    ['a mapped manyToOne', relation('manyToOne', b, { mappedBy: 'y' }), relation('oneToMany', a), 1],
    ['both keys', relation('oneToOne', b, { inversedBy: 'y', mappedBy: 'y' }), relation('oneToOne', a), 1],
    ['a missing inverse', relation('oneToOne', b, { inversedBy: 'z' }), relation('oneToOne', a), 1],
  ];
  for (const [name, x, y, count] of pairs) {
    it(`relations: ${name}`, () => {
      const found = problemsOf(typeFile('a', { x }), typeFile('b', { y }));
      expect(found, found.join('\n')).to.have.length(count);
    });
  }

  it('reports nothing else about a relation whose other file is invalid', () => {
    const found = problemsOf(
      typeFile('a', { x: relation('oneToOne', b, { inversedBy: 'y' }) }),
      typeFile('b', { y: { type: 1 } }),
    );
    expect(found).to.have.length(1);
    expect(found[0]).to.match(/^b\/schema/);
  });

  const inComponents: readonly (readonly [string, object, string])[] = [
    ['a morph relation', { type: 'relation', relation: 'morphToOne' }, 'attributes.x.relation'],
    ['a two-way relation', relation('oneToOne', a, { inversedBy: 'y' }), 'attributes.x.inversedBy'],
    ['a dynamic zone', { type: 'dynamiczone', components: [] }, 'attributes.x.type'],
  ];
  for (const [name, x, path] of inComponents)
    it(`a component cannot have ${name}`, () => {
      expect(problemsOf(typeFile('a', {}), componentFile('c.c', { x }))).to.have.length(1);
      expect(problemsOf(typeFile('a', {}), componentFile('c.c', { x }))[0]).to.include(path);
    });

  it('a component may have one-way relations, media and other components, and relations to itself', () => {
    const list = { type: 'component', component: 'c.c', repeatable: true, required: true };
    const one = relation('oneToMany', a);
    const more = { single: relation('manyToOne', a), several: relation('manyToMany', a) };
    expect(
      problemsOf(typeFile('a', {}), componentFile('c.c', { list, one, ...more, file: { type: 'media' } })),
    ).to.eql([]);
  });

  it('a component may have values of enumerations that begin with a digit', () => {
    const ratio = { type: 'enumeration', enum: ['16:9', '4:3', '43'] };
    expect(problemsOf(typeFile('a', {}), componentFile('c.c', { ratio }))).to.eql([]);
  });

  it('a component cannot require itself, not even indirectly', () => {
    const step = (component: string) => ({ next: { type: 'component', component, required: true } });
    const found = problemsOf(
      componentFile('c.a', step('c.b')),
      componentFile('c.b', step('c.a')),
      componentFile('c.d', step('c.a')),
    );
    expect(found).to.have.length(2);
    expect(found[0]).to.include('c/a.json › attributes.next.required: false');
  });

  const named = (name: string, singularName: string, pluralName: string, more: object = {}) =>
    typeFile(name, {}, { file: { info: { singularName, pluralName, displayName: name }, ...more } });
  const nameCases: readonly (readonly [string, readonly SchemaFile[], readonly string[]])[] = [
    ['folder and singular name', [named('a', 'x', 'xs')], ['Found a and x']],
    ['a name not in kebab-case', [named('a', 'a', 'As')], ['a kebab-case name']],
    ['identical singular and plural', [named('a', 'a', 'a')], ['a name other than the singular "a"']],
    [
      'the same singular twice',
      [named('a', 'a', 'as'), { ...named('a', 'a', 'others'), uid: 'api::other.a' }],
      ['The singular name "a" should be unique'],
    ],
    [
      'the same plural twice',
      [named('a', 'a', 'xs'), named('b', 'b', 'xs')],
      [
        'The plural name "xs" should be unique',
        'another name: ',
        'another collection: "xs" belongs to api::a.a',
      ],
    ],
    [
      'a single type at a collection’s path',
      [named('a', 'a', 'xs'), named('xs', 'xs', 'xss', { kind: 'singleType' })],
      ['another name: api::a.a is also served at /xs'],
    ],
    [
      'the same collection twice',
      [named('a', 'a', 'as', { collectionName: 'x' }), named('b', 'b', 'bs', { collectionName: 'x' })],
      ['another collection: "x" belongs to api::a.a'],
    ],
    [
      'a collection with a dot',
      [named('a', 'a', 'as', { collectionName: 'mangrove.files' })],
      ['a name of letters, digits, - and _'],
    ],
    [
      'a path used by the server',
      [named('user', 'user', 'users')],
      ['another name: /users is a route of the server'],
    ],
    [
      'a single type at a path used by the server',
      [named('users', 'users', 'userses', { kind: 'singleType' })],
      ['another name: /users is a route of the server'],
    ],
    [
      'a single type beside paths used by the server',
      [named('auth', 'auth', 'auths', { kind: 'singleType' })],
      [],
    ],
    ['no info', [{ ...named('a', 'a', 'as'), content: { attributes: {} } }], ['missing']],
    ['not an object', [{ ...named('a', 'a', 'as'), content: [] }], ['object, not []']],
  ];
  for (const [name, files, expected] of nameCases)
    it(`names: ${name}`, () => {
      const found = problemsOf(...files);
      expect(found, found.join('\n')).to.have.length(expected.length);
      for (const [at, text] of expected.entries()) expect(found[at]).to.include(text);
    });

  it('an extension adds attributes to a built-in type and keeps private ones private', () => {
    const extension: SchemaFile = {
      kind: 'extension',
      uid: 'plugin::users-permissions.user',
      name: 'user',
      file: 'extensions/user.json',
      content: { attributes: { nickname: { type: 'string' }, password: { type: 'string', private: false } } },
    };
    const user = checkSchema([extension]).find(({ uid }) => uid === extension.uid);
    expect(user?.raw.attributes['nickname']).to.eql({ type: 'string' });
    expect(user?.raw.attributes['password']).to.include({ type: 'password', private: true });
    expect(problemsOf({ ...extension, uid: 'plugin::x.y' })).to.eql([]);
    expect(
      problemsOf(
        { ...extension, uid: 'plugin::x.y' },
        typeFile('a', { r: relation('oneToOne', 'plugin::x.y') }),
      ),
    ).to.have.length(1);
  });

  it('reports every problem of every file at once, one on each line, file by file', () => {
    try {
      checkSchema([
        typeFile('a', { x: { type: 'no' }, y: { type: 'enumeration', enum: ['1'] } }),
        typeFile('b', {
          x: { type: 'enumeration', enum: ['1'] },
          z: { type: 'component', component: 'no.no' },
        }),
      ]);
      expect.fail('was accepted');
    } catch (error) {
      expect(error).to.be.instanceOf(SchemaError);
      expect((error as SchemaError).message.split('\n').map((line) => line.split(': ')[0])).to.eql([
        '4 problems in the schema files:',
        '  a/schema.json › attributes.x',
        '  a/schema.json › attributes.y.enum',
        '  b/schema.json › attributes.x.enum',
        '  b/schema.json › attributes.z.component',
      ]);
    }
  });

  it('reports nothing about what depends on an invalid or unreadable part', () => {
    const back = { type: 'relation', relation: 'oneToMany', target: 'api::a.a', mappedBy: 'owner' };
    const unread: SchemaFile = { ...typeFile('c', {}), content: null, unreadable: 'JSON that can be read' };
    expect(
      problemsOf(
        typeFile('a', {
          title: { type: 'strng' },
          slug: { type: 'uid', targetField: 'title' },
          owner: { type: 'relation', relation: 'manyTo', target: 'api::b.b', inversedBy: 'as' },
          c: { type: 'relation', relation: 'oneToOne', target: 'api::c.c' },
        }),
        typeFile('b', { as: back }),
        unread,
      ).map((line) => line.split(':')[0]),
    ).to.eql([
      `a/schema.json › attributes.title`,
      `a/schema.json › attributes.owner.relation`,
      `c/schema.json › `,
    ]);
  });
});
