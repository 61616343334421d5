import { expect } from 'chai';
import { checkSchema } from '../../src/schema/check/check.js';
import { modelOf } from '../../src/schema/find.js';
import { buildSchema } from '../../src/schema/load.js';
import type { Attribute, RelationAttribute } from '../../src/schema/types.js';
import { componentFile, fixtureSchema, schemaOf, thing, typeFile } from '../support/schemas.js';

const attribute = (raw: object, options: Parameters<typeof thing>[1] = {}): Attribute => {
  const found = thing({ a: raw, other: { type: 'string' } }, options).attributes.get('a');
  if (!found) throw new Error('no attribute a');
  return found;
};

describe('schema/resolve', () => {
  it('adds system attributes before and after the type’s own (rules D.2)', () => {
    expect([...thing({ b: { type: 'string' }, a: { type: 'string' } }).attributes.keys()]).to.eql([
      'id',
      'documentId',
      'b',
      'a',
      'createdAt',
      'updatedAt',
      'publishedAt',
      'locale',
      'createdBy',
      'updatedBy',
      'localizations',
    ]);
  });

  it('gives a component an id and its own attributes', () => {
    const schema = schemaOf(componentFile('c.c', { title: { type: 'string' } }));
    expect([...(modelOf(schema, 'c.c')?.attributes.keys() ?? [])]).to.eql(['id', 'title']);
  });

  const plain = { localized: [false, true], creators: [false, true] } as const;
  for (const localized of plain.localized)
    for (const populateCreatorFields of plain.creators)
      it(`system attributes: localized ${localized}, creators ${populateCreatorFields} (rules A.15)`, () => {
        const type = thing({}, { localized, options: { populateCreatorFields } });
        const hidden = [...type.attributes.values()].filter((a) => a.private).map((a) => a.name);
        expect(hidden).to.eql([
          ...(localized ? [] : ['locale']),
          ...(populateCreatorFields ? [] : ['createdBy', 'updatedBy']),
          ...(localized ? [] : ['localizations']),
        ]);
        expect([...type.attributes.values()].filter((a) => a.writable).map((a) => a.name)).to.eql([
          'publishedAt',
          'locale',
        ]);
      });

  it('makes attributes private that the type or the project lists as such (rules A.15)', () => {
    const options = { privateAttributes: ['a', 'createdAt'] };
    const file = typeFile('thing', { a: { type: 'string' }, b: { type: 'string' } }, { options });
    const type = buildSchema(checkSchema([file]), ['b', 'updatedAt']).contentTypes.get('api::thing.thing');
    const hidden = ['a', 'b', 'createdAt', 'updatedAt', 'title'].map(
      (name) => type?.attributes.get(name)?.private,
    );
    expect(hidden).to.eql([true, true, true, true, undefined]);
  });

  it("applies a type's defaults: collection type, no Draft & Publish, collection named by the plural", () => {
    const type = schemaOf(
      typeFile('blog-post', {}, { file: { kind: undefined, options: undefined, pluginOptions: undefined } }),
    ).contentTypes.get('api::blog-post.blog-post');
    expect(type).to.include({
      kind: 'collectionType',
      draftAndPublish: false,
      localized: false,
      collectionName: 'blog_posts',
      origin: 'api',
    });
  });

  const options: readonly (readonly [object, object])[] = [
    [
      { type: 'string' },
      {
        kind: 'scalar',
        required: false,
        unique: false,
        private: false,
        writable: true,
        searchable: true,
        default: undefined,
        visibleWhen: null,
      },
    ],
    [
      {
        type: 'string',
        required: true,
        unique: true,
        private: true,
        writable: false,
        searchable: false,
        minLength: 1,
        maxLength: 9,
      },
      {
        required: true,
        unique: true,
        private: true,
        writable: false,
        searchable: false,
        minLength: 1,
        maxLength: 9,
      },
    ],
    [{ type: 'password' }, { type: 'password', private: true }],
    [
      { type: 'integer', min: 0, max: 5, default: 3 },
      { min: 0, max: 5, default: 3 },
    ],
    [
      { type: 'biginteger', min: '-1', default: 7 },
      { min: '-1', default: '7' },
    ],
    [{ type: 'uid', targetField: 'other' }, { targetField: 'other' }],
    [{ type: 'string', default: null }, { default: undefined }],
    [
      { type: 'customField', customField: 'plugin::color-picker.color', required: true },
      { kind: 'scalar', type: 'string', required: true },
    ],
    [
      { type: 'string', conditions: { visible: { '==': [{ var: 'other' }, 'x'] } } },
      { visibleWhen: { '==': [{ var: 'other' }, 'x'] } },
    ],
    [
      { type: 'media' },
      { kind: 'media', many: false, allowedTypes: ['images', 'videos', 'files', 'audios'] },
    ],
    [
      { type: 'media', multiple: true, allowedTypes: ['images'] },
      { kind: 'media', many: true, allowedTypes: ['images'] },
    ],
    [{ type: 'media', allowedTypes: null }, { allowedTypes: ['images', 'videos', 'files', 'audios'] }],
    [
      { type: 'dynamiczone', components: [], min: 1, max: 2 },
      { kind: 'zone', components: [], min: 1, max: 2 },
    ],
  ];
  for (const [raw, expected] of options)
    it(`${JSON.stringify(raw)}`, () => {
      const found: Readonly<Record<string, unknown>> = { ...attribute(raw) };
      for (const [key, value] of Object.entries(expected)) expect(found[key], key).to.eql(value);
    });

  it('compiles a regex', () => {
    expect(attribute({ type: 'string', regex: '^[A-Z]+$' }))
      .to.have.property('regex')
      .that.eql(/^[A-Z]+$/);
  });

  it('omits options that the file does not have', () => {
    expect(attribute({ type: 'integer' })).not.to.have.any.keys('min', 'max', 'minLength', 'enum', 'regex');
  });

  const t = 'api::thing.thing';
  const to = (relation: string, more: object = {}) => ({ type: 'relation', relation, target: t, ...more });
  const MORPH_TO_ONE = { type: 'relation', relation: 'morphToOne' };
  const MORPH_TO_MANY = { type: 'relation', relation: 'morphToMany' };
  /** Attributes a and b of one type: whether a stores the reference, and is a list (rules D.5). */
  const relations: readonly (readonly [string, a: object, b: object, owner: boolean, many: boolean])[] = [
    ['oneToOne one-way', to('oneToOne'), MORPH_TO_ONE, true, false],
    ['oneToOne owner', to('oneToOne', { inversedBy: 'b' }), to('oneToOne', { mappedBy: 'a' }), true, false],
    [
      'oneToOne inverse',
      to('oneToOne', { mappedBy: 'b' }),
      to('oneToOne', { inversedBy: 'a' }),
      false,
      false,
    ],
    ['oneToMany one-way', to('oneToMany'), MORPH_TO_ONE, true, true],
    [
      'oneToMany inverse',
      to('oneToMany', { mappedBy: 'b' }),
      to('manyToOne', { inversedBy: 'a' }),
      false,
      true,
    ],
    ['manyToOne one-way', to('manyToOne'), MORPH_TO_ONE, true, false],
    [
      'manyToOne owner',
      to('manyToOne', { inversedBy: 'b' }),
      to('oneToMany', { mappedBy: 'a' }),
      true,
      false,
    ],
    ['manyToMany one-way', to('manyToMany'), MORPH_TO_ONE, true, true],
    [
      'manyToMany inverse',
      to('manyToMany', { mappedBy: 'b' }),
      to('manyToMany', { inversedBy: 'a' }),
      false,
      true,
    ],
    ['morphToOne', MORPH_TO_ONE, MORPH_TO_ONE, true, false],
    ['morphToMany', MORPH_TO_MANY, MORPH_TO_ONE, true, true],
    ['morphOne', to('morphOne', { morphBy: 'b' }), MORPH_TO_ONE, false, false],
    ['morphMany', to('morphMany', { morphBy: 'b' }), MORPH_TO_MANY, false, true],
  ];
  for (const [name, a, b, owner, many] of relations)
    it(`${name}: ${owner ? 'stored' : 'not stored'}, ${many ? 'to-many' : 'to-one'}`, () => {
      const attribute = thing({ a, b }).attributes.get('a') as RelationAttribute;
      expect([attribute.owner, attribute.many]).to.eql([owner, many]);
    });

  const flagged = (localized: boolean) => ({ pluginOptions: { i18n: { localized } } });
  /** Rules G.9. */
  const localization: readonly (readonly [string, object, boolean])[] = [
    ['a string without the flag', { type: 'string' }, false],
    ['a string with it', { type: 'string', ...flagged(true) }, true],
    ['a uid', { type: 'uid' }, true],
    ['a relation', { type: 'relation', relation: 'oneToOne', target: t, ...flagged(false) }, true],
    ['media with the flag', { type: 'media', ...flagged(true) }, true],
    ['media with the flag off', { type: 'media', ...flagged(false) }, false],
    ['a zone without the flag', { type: 'dynamiczone', components: [] }, false],
  ];
  for (const [name, raw, localized] of localization)
    it(`${name} is ${localized ? 'localized' : 'shared'}, and shared if the type has no locales`, () => {
      expect(attribute(raw, { localized: true }).localized).to.equal(localized);
      expect(attribute(raw, { localized: false }).localized).to.equal(false);
    });

  it('makes attributes private that privateAttributes lists', () => {
    const type = thing({ a: { type: 'string' } }, { options: { privateAttributes: ['a', 'updatedAt'] } });
    expect(type.attributes.get('a')?.private).to.equal(true);
    expect(type.attributes.get('updatedAt')?.private).to.equal(true);
  });

  it('keeps indexes whose columns are attributes, by attribute name', () => {
    const indexes = [
      { name: 'a', columns: ['published_at:desc', 'myName'], type: 'unique' },
      { columns: ['my_name'] },
      { columns: ['nope'] },
    ];
    expect(thing({ myName: { type: 'string' } }, { file: { indexes } }).indexes).to.eql([
      { name: 'a', keys: { publishedAt: -1, myName: 1 }, unique: true },
      { name: 'api::thing.thing_1', keys: { myName: 1 }, unique: false },
    ]);
  });

  it('overrides system attributes that the file repeats', () => {
    const type = thing({ createdAt: { type: 'datetime', private: true }, a: { type: 'string' } });
    expect(type.attributes.get('createdAt')).to.include({ system: true, private: false, writable: false });
    expect([...type.attributes.keys()].slice(0, 4)).to.eql(['id', 'documentId', 'a', 'createdAt']);
  });

  describe('built-in types', () => {
    const shown: Readonly<Record<string, readonly [collection: string, names: readonly string[]]>> = {
      'plugin::upload.file': [
        'mangrove.files',
        [
          'id',
          'documentId',
          'name',
          'alternativeText',
          'caption',
          'focalPoint',
          'width',
          'height',
          'formats',
          'hash',
          'ext',
          'mime',
          'size',
          'url',
          'previewUrl',
          'provider',
          'provider_metadata',
          'related',
          'createdAt',
          'updatedAt',
          'publishedAt',
        ],
      ],
      'plugin::users-permissions.user': [
        'mangrove.users',
        [
          'id',
          'documentId',
          'username',
          'email',
          'provider',
          'confirmed',
          'blocked',
          'role',
          'createdAt',
          'updatedAt',
          'publishedAt',
        ],
      ],
      'plugin::users-permissions.role': [
        'mangrove.roles',
        ['id', 'documentId', 'name', 'description', 'type', 'users', 'createdAt', 'updatedAt', 'publishedAt'],
      ],
      'admin::user': [
        'mangrove.admins',
        [
          'id',
          'documentId',
          'firstname',
          'lastname',
          'username',

          'preferedLanguage',
          'createdAt',
          'updatedAt',
          'publishedAt',
        ],
      ],
    };
    for (const [uid, [collection, names]] of Object.entries(shown))
      it(`${uid} has the public attributes listed in rules C.7, H.3 and A.15`, () => {
        const type = schemaOf().contentTypes.get(uid);
        expect(type?.collectionName).to.equal(collection);
        expect(type?.file).to.equal(null);
        expect([...(type?.attributes.values() ?? [])].filter((a) => !a.private).map((a) => a.name)).to.eql(
          names,
        );
      });

    it("a file's related entries are not stored", () => {
      const related = schemaOf().contentTypes.get('plugin::upload.file')?.attributes.get('related');
      expect(related).to.include({ relation: 'morphToMany', owner: false, many: true, target: null });
    });
  });

  it('resolves the fixture as its files declare', async () => {
    const schema = await fixtureSchema();
    const article = schema.contentTypes.get('api::article.article');
    const shared = [...(article?.attributes.values() ?? [])].filter((a) => !a.localized).map((a) => a.name);
    expect(shared).to.eql(['views', 'featured', 'tags', 'hero']);
    const restaurants = schema.contentTypes.get('api::category.category')?.attributes.get('restaurants');
    expect(restaurants).to.include({ owner: false, mappedBy: 'categories', many: true });
  });
});
