import { Long, ObjectId } from 'bson';
import { MongoClient } from 'mongodb';

export type Raw = Readonly<Record<string, unknown>>;

/** An id that shows what it identifies in a failing test. */
export const oid = (number: number): ObjectId => new ObjectId(number.toString(16).padStart(24, 'a'));

/** A document of `core_store` that defines a type or component. */
export const model = (uid: string, content: Raw): Raw => ({
  key: `model_def_${uid}`,
  value: JSON.stringify({ uid, options: { timestamps: ['createdAt', 'updatedAt'] }, ...content }),
  environment: '',
  tag: '',
});

/** A type or component that is still in the project. */
export const configured = (kind: 'content_types' | 'components', uid: string): Raw => ({
  key: `plugin_content_manager_configuration_${kind}::${uid}`,
  value: '{}',
});

const made = {
  createdAt: new Date('2021-03-04T05:06:07.008Z'),
  updatedAt: new Date('2021-04-01T00:00:00Z'),
  __v: 0,
};
const component = (number: number, kind: string, ref: ObjectId): Raw => ({ _id: oid(number), kind, ref });

const MODELS: readonly Raw[] = [
  model('application::book.book', {
    collectionName: 'the_books',
    kind: 'collectionType',
    info: { name: 'Book' },
    options: { timestamps: ['made_on', 'changedOn'], draftAndPublish: true },
    attributes: {
      title: { type: 'string', required: true },
      pages: { type: 'integer' },
      copies: { type: 'integer', default: 7 },
      isbn: { type: 'biginteger' },
      cover: { model: 'file', via: 'related', plugin: 'upload', allowedTypes: ['images'] },
      writer: { model: 'writer', via: 'books' },
      shelves: { collection: 'shelf', via: 'books', dominant: true },
      sequels: { collection: 'book' },
      chapters: { type: 'component', repeatable: true, component: 'text.chapter' },
      parts: { type: 'dynamiczone', components: ['text.chapter', 'text.note'] },
      published_at: { type: 'datetime' },
    },
  }),
  model('application::writer.writer', {
    collectionName: 'writers',
    kind: 'collectionType',
    info: { name: 'Writer' },
    options: { timestamps: ['createdAt', 'updatedAt'], populateCreatorFields: true },
    attributes: {
      name: { type: 'string' },
      born: { type: 'date' },
      fame: { type: 'decimal' },
      rank: { type: 'enumeration', enum: ['one', 'two'] },
      books: { collection: 'book', via: 'writer', isVirtual: true },
      notes: { collection: 'remark', via: 'about' },
    },
  }),
  model('application::shelf.shelf', {
    collectionName: '',
    kind: 'collectionType',
    info: { name: 'Shelf' },
    attributes: {
      label: { type: 'string' },
      books: { collection: 'book', via: 'shelves', isVirtual: true },
    },
  }),
  model('application::remark.remark', {
    collectionName: 'remarks',
    kind: 'collectionType',
    info: { name: 'Remark' },
    attributes: { about: { collection: '*', filter: 'field' } },
  }),
  model('application::site-info.site-info', {
    collectionName: 'site_infos',
    kind: 'singleType',
    info: { name: 'Site info' },
    pluginOptions: { i18n: { localized: true } },
    attributes: {
      text: { type: 'text' },
      locale: { type: 'string' },
      localizations: { collection: 'site-info' },
    },
  }),
  model('application::post.post', {
    collectionName: 'posts',
    kind: 'collectionType',
    info: { name: 'posts' },
    globalId: 'BlogPost',
    pluginOptions: { i18n: { localized: true } },
    attributes: {
      title: { type: 'string', pluginOptions: { i18n: { localized: true } } },
      next: { model: 'post' },
      locale: { type: 'string' },
      localizations: { collection: 'post' },
    },
  }),
  model('application::song.song', {
    collectionName: 'songs',
    kind: 'collectionType',
    info: { name: 'Song' },
    options: { timestamps: ['createdAt', 'updatedAt'], draftAndPublish: true },
    pluginOptions: { i18n: { localized: true } },
    attributes: {
      title: { type: 'string', pluginOptions: { i18n: { localized: true } } },
      facts: { type: 'json' },
      notes: { type: 'component', repeatable: true, component: 'text.note' },
      locale: { type: 'string' },
      localizations: { collection: 'song' },
      published_at: { type: 'datetime' },
    },
  }),
  model('application::gone.gone', {
    collectionName: 'gone',
    kind: 'collectionType',
    info: { name: 'Gone' },
    attributes: {},
  }),
  model('text.chapter', {
    collectionName: 'chapters',
    info: { name: 'Chapter' },
    options: { timestamps: false },
    attributes: {
      heading: { type: 'string' },
      notes: { type: 'component', repeatable: true, component: 'text.note' },
      by: { model: 'writer' },
    },
  }),
  model('text.note', {
    collectionName: 'notes',
    info: { name: 'Note' },
    options: { timestamps: false },
    attributes: { text: { type: 'text' } },
  }),
  model('plugins::upload.file', {
    collectionName: 'upload_file',
    kind: 'collectionType',
    info: { name: 'file' },
    attributes: {
      name: { type: 'string' },
      hash: { type: 'string' },
      ext: { type: 'string' },
      mime: { type: 'string' },
      size: { type: 'decimal' },
      url: { type: 'string' },
      provider: { type: 'string' },
      related: { collection: '*', filter: 'field' },
    },
  }),
  model('plugins::users-permissions.role', {
    collectionName: 'users-permissions_role',
    kind: 'collectionType',
    info: { name: 'role' },
    options: { timestamps: false },
    attributes: {
      name: { type: 'string' },
      type: { type: 'string' },
      permissions: { collection: 'permission', plugin: 'users-permissions', via: 'role', isVirtual: true },
      users: { collection: 'user', plugin: 'users-permissions', via: 'role', isVirtual: true },
    },
  }),
  model('plugins::users-permissions.user', {
    collectionName: 'users-permissions_user',
    kind: 'collectionType',
    info: { name: 'user' },
    attributes: {
      username: { type: 'string' },
      email: { type: 'email' },
      provider: { type: 'string' },
      password: { type: 'password', private: true },
      confirmed: { type: 'boolean' },
      blocked: { type: 'boolean' },
      role: { model: 'role', via: 'users', plugin: 'users-permissions' },
      favourite: { model: 'book' },
    },
  }),
];

const REMOVED = 'application::gone.gone';

/**
 * A small library as stored by Strapi 3, with what happens to databases over the years. `hash` is the password of
 * `ann`.
 */
export const library = (hash: string): Readonly<Record<string, readonly Raw[]>> => ({
  core_store: [
    ...MODELS,
    ...MODELS.map(({ key }) => String(key).replace('model_def_', ''))
      .filter((uid) => uid !== REMOVED)
      .map((uid) => configured(uid.includes('::') ? 'content_types' : 'components', uid)),
    { key: 'plugin_i18n_default_locale', value: '"en"' },
  ],
  i18n_locales: ['en', 'fr'].map((code, at) => ({ _id: oid(900 + at), code, name: code, ...made })),
  the_books: [
    {
      _id: oid(1),
      title: 'First',
      pages: 100,
      isbn: Long.fromString('9007199254740993'),
      cover: oid(50),
      writer: oid(11),
      shelves: [oid(22), oid(21)],
      sequels: [oid(3), oid(99), oid(2)],
      chapters: [
        component(300, 'ComponentTextChapter', oid(32)),
        component(301, 'ComponentTextChapter', oid(31)),
        component(302, 'ComponentTextChapter', oid(98)),
      ],
      parts: [component(303, 'ComponentTextNote', oid(41)), component(304, 'ComponentTextChapter', oid(31))],
      made_on: new Date('2020-01-01T00:00:00Z'),
      changedOn: new Date('2020-02-01T00:00:00Z'),
      published_at: new Date('2020-03-01T00:00:00Z'),
      created_by: oid(700),
      oldField: 'kept',
      __v: 3,
    },
    { _id: oid(2), title: 'Draft', pages: 'many', published_at: null, sequels: [] },
    {
      _id: oid(3),
      title: 'Third',
      copies: 'few',
      pages: '17',
      writer: String(oid(11)),
      shelves: [oid(21)],
      published_at: new Date('2020-03-01T00:00:00Z'),
    },
  ],
  writers: [
    { _id: oid(11), name: 'Ann', notes: [oid(61), oid(62)], ...made },
    {
      _id: oid(12),
      name: 'Bob',
      born: new Date('1970-02-03T00:00:00Z'),
      fame: 'great',
      fax: '+33',
      created_by: oid(700),
      ...made,
    },
    { _id: oid(13), name: null, fame: 1.239, books: null },
  ],
  shelf: [oid(21), oid(22)].map((_id, at) => ({ _id, label: `S${at + 1}`, ...made })),
  remarks: [oid(61), oid(62)].map((_id, at) => ({
    _id,
    about: [
      { _id: oid(320 + at), ref: oid(1), kind: 'Book', field: 'remarks' },
      { _id: oid(310 + at), ref: oid(11), kind: 'Writer', field: 'notes' },
    ],
    ...made,
  })),
  site_infos: [
    { _id: oid(71), text: 'Hello', locale: 'en', localizations: [oid(72), oid(97)], ...made },
    { _id: oid(72), text: 'Bonjour', locale: 'fr', localizations: [oid(71)], ...made },
  ],
  posts: [
    { _id: oid(101), title: 'One', locale: 'en', localizations: [oid(102)], next: oid(103), ...made },
    { _id: oid(102), title: 'Un', locale: 'fr', localizations: [oid(101)], next: oid(104), ...made },
    { _id: oid(103), title: 'Two', locale: 'en', localizations: [oid(104)], ...made },
    { _id: oid(104), title: 'Deux', locale: 'fr', localizations: [oid(103)], ...made },
  ],
  gone: [{ _id: oid(80) }],
  chapters: [
    { _id: oid(31), heading: 'One', by: oid(12), notes: [component(305, 'ComponentTextNote', oid(42))] },
    { _id: oid(32), heading: 'Two', by: oid(96) },
    { _id: oid(33), heading: 'Nobody’s' },
  ],
  notes: [
    { _id: oid(41), text: 'in the zone' },
    { _id: oid(42), text: 'in a chapter' },
  ],
  upload_file: [
    {
      _id: oid(50),
      name: 'c.png',
      hash: 'c_1',
      ext: '.png',
      mime: 'image/png',
      size: 1.5,
      url: '/uploads/c_1.png',
      provider: 'local',
      related: [{ ref: oid(1), kind: 'Book', field: 'cover' }],
      ...made,
    },
  ],
  'users-permissions_role': [
    { _id: oid(81), name: 'Authenticated', type: 'authenticated' },
    { _id: oid(82), name: 'Public', type: 'public' },
  ],
  'users-permissions_permission': [
    { type: 'application', controller: 'book', action: 'find', enabled: true, policy: '', role: oid(82) },
    { type: 'application', controller: 'siteinfo', action: 'find', enabled: true, policy: '', role: oid(81) },
    { type: 'application', controller: 'book', action: 'publish', enabled: true, policy: '', role: oid(82) },
    { type: 'application', controller: 'book', action: 'create', enabled: false, policy: '', role: oid(82) },
  ],
  'users-permissions_user': [
    {
      _id: oid(91),
      username: 'ann',
      email: 'ann@example.com',
      provider: 'local',
      password: hash,
      confirmed: true,
      blocked: false,
      role: oid(81),
      favourite: oid(1),
      ...made,
    },
  ],
  strapi_administrator: [
    { _id: oid(700), email: 'boss@example.com', firstname: 'Ada', lastname: 'Min', __v: 0 },
  ],
  leftovers: [{ _id: 1 }],
});

/** Puts collections into a database of the server at `uri`. */
export async function fill(
  uri: string,
  name: string,
  collections: Readonly<Record<string, readonly Raw[]>>,
): Promise<void> {
  const client = new MongoClient(uri);
  try {
    for (const [collection, documents] of Object.entries(collections))
      await client
        .db(name)
        .collection(collection)
        .insertMany(documents.map((document) => ({ ...document })));
  } finally {
    await client.close();
  }
}
