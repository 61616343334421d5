/**
 * What Strapi 3 answers, rule by rule: null, missing and empty values, ids below the first level, localizations, drafts,
 * filters. Each answer follows from the stored documents and their model.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import bcrypt from 'bcryptjs';
import { expect } from 'chai';
import { openForeign } from '../../src/store/transfer/foreign.js';
import { writeFiles } from '../../src/transfer/schemas/files.js';
import { planFiles } from '../../src/transfer/schemas/plan.js';
import { openStrapi3Source } from '../../src/transfer/strapi3/source.js';
import { importInto } from '../support/imported-server.js';
import { configured, fill, model, oid, type Raw } from '../support/strapi3.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const id = (number: number): string => String(oid(number));
const bytes = (number: number): object => ({
  _id: id(number),
  id: { type: 'Buffer', data: [...Buffer.from(id(number), 'hex')] },
});
const LIVE = new Date('2020-03-01T00:00:00.000Z');

const MODELS: readonly Raw[] = [
  model('application::tour.tour', {
    collectionName: 'journeys',
    kind: 'collectionType',
    info: { name: 'Tour' },
    options: { timestamps: false, draftAndPublish: true },
    pluginOptions: { i18n: { localized: true } },
    attributes: {
      name: { type: 'string', pluginOptions: { i18n: { localized: true } } },
      seats: { type: 'integer' },
      price: { type: 'decimal' },
      open: { type: 'boolean' },
      day: { type: 'date' },
      grade: { type: 'enumeration', enum: ['easy', 'hard'] },
      guide: { model: 'guide' },
      stops: { collection: 'stop' },
      photos: { collection: 'file', via: 'related', plugin: 'upload' },
      leg: { type: 'component', repeatable: false, component: 'trip.leg' },
      legs: { type: 'component', repeatable: true, component: 'trip.leg' },
      extras: { type: 'dynamiczone', components: ['trip.leg'] },
      locale: { type: 'string' },
      localizations: { collection: 'tour' },
      published_at: { type: 'datetime' },
    },
  }),
  model('application::guide.guide', {
    collectionName: 'guides',
    kind: 'collectionType',
    info: { name: 'Guide' },
    options: { timestamps: false, draftAndPublish: true },
    attributes: {
      name: { type: 'string' },
      post: { model: 'stop', via: 'keeper' },
      published_at: { type: 'datetime' },
    },
  }),
  model('application::stop.stop', {
    collectionName: 'stops',
    kind: 'collectionType',
    info: { name: 'Stop' },
    options: { timestamps: false },
    attributes: {
      label: { type: 'string' },
      height: { type: 'integer' },
      code: { type: 'biginteger' },
      facts: { type: 'json' },
      keeper: { model: 'guide', via: 'post' },
      tour: { model: 'tour' },
      guide: { model: 'guide' },
      guides: { collection: 'guide' },
    },
  }),
  model('trip.leg', {
    collectionName: 'legs',
    info: { name: 'Leg' },
    options: { timestamps: false },
    attributes: { km: { type: 'integer' }, by: { type: 'string' }, stop: { model: 'stop' } },
  }),
  model('plugins::upload.file', {
    collectionName: 'upload_file',
    kind: 'collectionType',
    info: { name: 'file' },
    attributes: { name: { type: 'string' }, related: { collection: '*', filter: 'field' } },
  }),
  model('plugins::users-permissions.role', {
    collectionName: 'users-permissions_role',
    kind: 'collectionType',
    info: { name: 'role' },
    options: { timestamps: false },
    attributes: { name: { type: 'string' }, type: { type: 'string' } },
  }),
  model('plugins::users-permissions.user', {
    collectionName: 'users-permissions_user',
    kind: 'collectionType',
    info: { name: 'user' },
    options: { timestamps: false },
    attributes: {
      username: { type: 'string' },
      email: { type: 'email' },
      provider: { type: 'string' },
      password: { type: 'password', private: true },
      confirmed: { type: 'boolean' },
      blocked: { type: 'boolean' },
      role: { model: 'role', via: 'users', plugin: 'users-permissions' },
      home: { model: 'stop' },
    },
  }),
];

const leg = (number: number): Raw => ({ _id: oid(number + 500), kind: 'ComponentTripLeg', ref: oid(number) });
const may = (role: number, controller: string, action: string): Raw => ({
  type: ['user', 'auth'].includes(controller) ? 'users-permissions' : 'application',
  controller,
  action,
  enabled: true,
  policy: '',
  role: oid(role),
});

const database = (hash: string): Readonly<Record<string, readonly Raw[]>> => ({
  core_store: [
    ...MODELS,
    ...MODELS.map(({ key }) => String(key).replace('model_def_', '')).map((uid) =>
      configured(uid.includes('::') ? 'content_types' : 'components', uid),
    ),
    { key: 'plugin_i18n_default_locale', value: '"en"' },
  ],
  i18n_locales: ['en', 'fr', 'de', 'it'].map((code, at) => ({
    _id: oid(900 + at),
    code,
    name: code,
    __v: 0,
  })),
  journeys: [
    {
      _id: oid(1),
      name: 'Alps',
      seats: 4,
      price: 12.349,
      guide: oid(11),
      stops: [oid(21), oid(22)],
      photos: [oid(50), oid(51)],
      leg: [leg(31)],
      legs: [leg(32), leg(99), leg(33)],
      extras: [leg(34), leg(98)],
      locale: 'en',
      localizations: [oid(2), oid(3)],
      published_at: LIVE,
      __v: 2,
    },
    { _id: oid(2), name: 'Alpes', locale: 'fr', localizations: [oid(1), oid(3)], published_at: LIVE },
    { _id: oid(3), name: 'Alpen', locale: 'de', localizations: [oid(2), oid(1)], published_at: null },
    {
      _id: oid(4),
      name: 'Nothing',
      seats: null,
      price: null,
      day: null,
      guide: null,
      stops: null,
      photos: null,
      leg: null,
      legs: null,
      extras: null,
      locale: 'en',
      localizations: [],
      published_at: LIVE,
    },
    { _id: oid(5), name: 'Nowhere', photos: [oid(50)], published_at: LIVE },
    { _id: oid(7), name: 'Peaks', stops: [oid(23)], locale: 'it', localizations: [], published_at: LIVE },
    {
      _id: oid(6),
      name: 'Secret',
      photos: [oid(50)],
      locale: 'en',
      localizations: [],
      published_at: null,
      __v: 0,
    },
  ],
  guides: [
    { _id: oid(11), name: 'Ida', published_at: LIVE },
    { _id: oid(12), name: 'Hidden', published_at: null },
  ],
  stops: [
    {
      _id: oid(21),
      label: 'Hut',
      tour: oid(1),
      guides: [oid(11), oid(12), oid(97)],
      former: oid(12),
      keeper: null,
      facts: 'x',
    },
    {
      _id: oid(22),
      facts: 42,
      label: new Date('2021-05-06T07:08:09Z'),
      height: '1200',
      tour: oid(6),
      guide: oid(12),
    },
    {
      _id: oid(23),
      label: 'Peak',
      height: 'high',
      code: '12345678901234567890123',
      tour: oid(96),
      former: oid(97),
      guides: null,
    },
  ],
  legs: [
    { _id: oid(31), km: 3, stop: oid(21) },
    { _id: oid(32), km: null },
    { _id: oid(33), by: 'bus', __v: 1 },
    { _id: oid(34) },
  ],
  upload_file: [
    {
      _id: oid(50),
      name: 'a.png',
      related: [
        { ref: oid(1), kind: 'Tour', field: 'photos' },
        { ref: oid(6), kind: 'Tour', field: 'photos' },
      ],
    },
    { _id: oid(51), name: 'b.png', createdAt: LIVE, updatedAt: LIVE, __v: 0 },
  ],
  'users-permissions_role': [
    { _id: oid(81), name: 'Authenticated', type: 'authenticated' },
    { _id: oid(82), name: 'Public', type: 'public' },
  ],
  'users-permissions_permission': [
    ...['tour', 'guide', 'stop'].flatMap((type) =>
      ['find', 'findone', 'count'].map((action) => may(82, type, action)),
    ),
    may(82, 'user', 'find'),
    may(82, 'auth', 'callback'),
    may(81, 'user', 'me'),
    may(82, 'user', 'me'),
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
      home: oid(21),
    },
  ],
});

const ABSENT = 'no key';
type Rule = readonly [path: string, at: string, expected: unknown];

/** What is at a path of an answer, such as `0.tour.seats`. */
const at = (body: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, step) => {
    if (typeof value !== 'object' || value === null) return value === undefined ? undefined : ABSENT;
    return Object.hasOwn(value, step) ? (value as Raw)[step] : ABSENT;
  }, body);

/** The same with and without `rest.publicDrafts`. */
const ALWAYS: readonly Rule[] = [
  [`/tours/${id(1)}`, 'seats', 4],
  [`/tours/${id(1)}`, 'price', 12.35],
  [`/tours/${id(1)}`, 'open', ABSENT],
  [`/tours/${id(1)}`, 'day', ABSENT],
  [`/tours/${id(1)}`, 'grade', null],
  [`/tours/${id(1)}`, '__v', 2],
  [`/tours/${id(1)}`, 'createdAt', ABSENT],
  [`/tours/${id(1)}`, 'guide.name', 'Ida'],
  [`/tours/${id(1)}`, 'leg.km', 3],
  [`/tours/${id(1)}`, 'leg.stop.label', 'Hut'],
  [`/tours/${id(1)}`, 'legs.0', { _id: id(32), id: id(32), km: null }],
  [`/tours/${id(1)}`, 'legs.1', { _id: id(33), id: id(33), by: 'bus', __v: 1 }],
  [`/tours/${id(1)}`, 'legs.length', 2],
  [`/tours/${id(1)}`, 'extras.0', { __component: 'trip.leg', _id: id(34), id: id(34) }],
  [`/tours/${id(1)}`, 'extras.length', 1],
  ...['seats', 'price', 'day', 'grade', 'leg'].map((name): Rule => [`/tours/${id(4)}`, name, null]),
  ...['photos', 'legs', 'extras'].map((name): Rule => [`/tours/${id(4)}`, name, null]),
  [`/tours/${id(4)}`, 'open', ABSENT],
  [`/tours/${id(4)}`, 'localizations', []],
  [`/tours/${id(5)}`, 'name', 'Nowhere'],
  [`/tours/${id(5)}`, 'locale', ABSENT],
  [`/tours/${id(5)}`, 'guide', ABSENT],
  [`/tours/${id(5)}`, 'leg', null],
  ...['stops', 'legs', 'extras', 'localizations'].map((name): Rule => [`/tours/${id(5)}`, name, []]),
  [`/tours/${id(1)}`, 'photos.0.createdAt', ABSENT],
  [`/tours/${id(1)}`, 'photos.1.createdAt', LIVE.toISOString()],
  [`/stops/${id(23)}`, 'code', '4807115922877859019'],
  [`/tours/${id(2)}`, 'locale', 'fr'],
  [`/tours/${id(6)}`, '', 'Not Found'],
  ['/tours?_sort=name', 'length', 2],
  ['/tours?_locale=all&_sort=name', 'length', 5],
  ['/tours?_locale=all&_sort=name', '3.locale', ABSENT],
  ['/tours/count', '', 2],
  ['/tours?_locale=fr', '0._id', id(2)],
  [`/stops/${id(21)}`, 'tour.stops', [id(21), id(22)]],
  [`/stops/${id(21)}`, 'tour.guide', id(11)],
  [`/stops/${id(21)}`, 'tour.legs.0.km', null],
  [`/stops/${id(21)}`, 'guides.length', 1],
  [`/stops/${id(22)}`, 'label', 'Thu May 06 2021 07:08:09 GMT+0000 (Coordinated Universal Time)'],
  [`/stops/${id(22)}`, 'height', 1200],
  [`/stops/${id(23)}`, 'height', ABSENT],
  ['/stops?label_ne=Hut&label_ne=Peak', 'length', 3],
  ['/stops?label_in=Hut&label_in=Peak', 'length', 2],
  ['/stops?tour.name=Alps', '0.label', 'Hut'],
  ['/stops?tour.guide.name=Ida', '0.label', 'Hut'],
  ['/stops?_sort=tour.name:DESC,label', 'length', 3],
  [
    '/stops?label_constructor=a',
    'message',
    "Your filters contain a field 'label_constructor' that doesn't appear on your model definition nor its relations",
  ],
  ['/users', '0.username', 'ann'],
  ['/users', '0.role', ABSENT],
];

const unknownField = (name: string): string =>
  `Your filters contain a field '${name}' that doesn't appear on your model definition nor its relations`;

const QUERIES: readonly Rule[] = [
  ['/stops?_q=_', 'length', 0],
  // The numeric id of an entry is unknown to Strapi 3.
  ['/guides?_q=1', 'length', 0],
  ['/stops?facts=42', 'length', 0],
  ['/stops?facts=x', '0.label', 'Hut'],
  ['/stops?facts_lt=y', 'length', 1],
  [`/tours?id=${id(2)}`, 'length', 0],
  [`/tours?id=${id(2)}&_locale=fr`, '0.name', 'Alpes'],
  [`/tours?id_in=${id(2)}&id_in=${id(7)}&_locale=all`, 'length', 2],
  [`/tours?id_ne=${id(2)}&_locale=all`, 'length', 4],
  [`/tours?id_nin=${id(1)}&id_nin=${id(5)}&_locale=all`, 'length', 3],
  [`/tours/${id(2)}?_locale=fr`, 'name', 'Alpes'],
  [`/tours/${id(2)}?_locale=en`, '', 'Not Found'],
  [`/tours/${id(5)}?_locale=en`, '', 'Not Found'],
  ['/stops?_locale=en', 'message', unknownField('locale')],
  ['/stops?_sort=label:DESC,label', '0.label', 'Hut'],
  ['/stops?_sort=tour.nope', 'message', unknownField('tour.nope')],
  [
    '/stops?_sort=tour.guide.name',
    'message',
    'Sorting on tour.guide.name is not possible: you cannot sort at a depth greater than 1',
  ],
  ['/stops?tour.name_null=false', 'length', 3],
  ['/stops?tour.name_null=true', 'length', 0],
  ['/stops?tour.seats_null=true', 'length', 0],
  ['/tours?guide.post_null=true&name=Alps', 'length', 1],
  ['/stops?_or[0][label]=Hut&_or[1][label]=Peak', 'length', 2],
  ['/stops?_where[_or][label]=Hut&_where[_or][height]=1', 'length', 0],
  ['/stops?_where[0][_or][0][0][label]=Hut&_where[0][_or][0][1][height_null]=true', 'length', 1],
  ['/stops?_where[0][label]=Hut&_where[label]=Hut', 'message', unknownField('0')],
  ['/stops?_label=Hut', 'length', 1],
  ['/tours?day_lt=2022', 'length', 0],
  ['/tours?day=2022-05', 'length', 0],
  ['/tours?seats=', 'length', 0],
  ['/tours?open=yes', 'statusCode', 400],
  ['/tours?name_null=maybe', 'statusCode', 400],
];

/** With `rest.publicDrafts`, as in Strapi 3. */
const OPEN: readonly Rule[] = [
  ['/tours?_publicationState=preview&published_at_null=true', 'length', 1],
  ['/tours?_publicationState=preview&published_at_null=true', '0.name', 'Secret'],
  ['/tours?published_at_null=false&_publicationState=preview', 'length', 2],
  ['/tours/count?_publicationState=preview&_where[0][published_at_null]=1', '', 1],
  ['/tours?_publicationState=preview&published_at_gt=2019', 'length', 2],
  [`/tours/${id(4)}`, 'guide', null],
  [`/tours/${id(4)}`, 'stops', null],
  [`/stops/${id(23)}`, 'guides', null],
  [`/tours/${id(7)}`, 'stops.0.guides', null],
  [`/stops/${id(21)}`, 'tour.localizations', [bytes(2), bytes(3)]],
  [`/stops/${id(21)}`, 'former', id(12)],
  [`/stops/${id(21)}`, 'keeper', null],
  [`/stops/${id(22)}`, 'keeper', ABSENT],
  [`/stops/${id(22)}`, 'tour', null],
  [`/stops/${id(22)}`, 'guide', null],
  [`/stops/${id(23)}`, 'tour', null],
  [`/tours/${id(1)}`, 'stops.0.guides', [id(11), id(12)]],
  [`/tours/${id(1)}`, 'stops.1.guide', id(12)],
  [`/tours/${id(1)}`, 'stops.1.tour', id(6)],
  [`/tours/${id(1)}`, 'photos.0.related', [id(1), id(6)]],
  ['/tours?_publicationState=preview', 'length', 3],
  ['/tours?_publicationState=preview&_locale=de', '0.localizations.0._id', id(1)],
];

/** Without it, nothing tells of drafts. */
const CLOSED: readonly Rule[] = [
  [`/stops/${id(21)}`, 'tour.localizations', [bytes(2)]],
  [`/stops/${id(21)}`, 'former', ABSENT],
  [`/tours/${id(4)}`, 'guide', ABSENT],
  [`/tours/${id(4)}`, 'stops', []],
  [`/stops/${id(23)}`, 'guides', []],
  [`/tours/${id(7)}`, 'stops.0.guides', []],
  [`/stops/${id(22)}`, 'tour', ABSENT],
  [`/stops/${id(22)}`, 'guide', ABSENT],
  [`/tours/${id(1)}`, 'stops.0.guides', [id(11)]],
  [`/stops/${id(23)}`, 'tour', ABSENT],
  [`/stops/${id(23)}`, 'former', ABSENT],
  [`/tours/${id(1)}`, 'stops.1.guide', ABSENT],
  [`/tours/${id(1)}`, 'stops.1.tour', ABSENT],
  [`/tours/${id(1)}`, 'photos.0.related', [id(1)]],
];

describe('the rules of Strapi 3', function () {
  this.timeout(180_000);
  let scratch: TestServer;
  let first: TestServer;
  const servers = new Map<boolean, TestServer>();
  let folder: string;
  const name = `strapi3_rules_${process.pid}`;

  before(async () => {
    scratch = await startTestServer();
    await fill(scratch.project.databaseUri, name, database(await bcrypt.hash('secret-ann', 4)));
    const source = await openStrapi3Source(await openForeign(scratch.project.databaseUri, name), {
      publicDir: null,
    });
    folder = await mkdtemp(join(tmpdir(), 'mangrove-rules3-'));
    await writeFiles(folder, planFiles(await source.schemas()));
    const settings = { rest: { compat: 'v3' } } as const;
    first = await startTestServer(settings, { schemaFolder: folder });
    await importInto(first, source);
    await source.close();
    for (const publicDrafts of [true, false])
      servers.set(
        publicDrafts,
        await startTestServer(
          { rest: { compat: 'v3', publicDrafts } },
          { schemaFolder: folder, beside: first },
        ),
      );
  });
  after(async () => {
    for (const server of servers.values()) await server.close();
    await first?.close();
    await scratch?.project.store.client.db(name).dropDatabase();
    await scratch?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const ask = async (open: boolean, path: string, init: RequestInit = {}): Promise<unknown> => {
    const response = await fetch(`${servers.get(open)?.url}${path}`, init);
    const text = await response.text();
    return response.headers.get('content-type')?.includes('json') ? (JSON.parse(text) as unknown) : text;
  };

  const check = (open: boolean, rules: readonly Rule[]): void => {
    for (const [path, place, expected] of rules)
      it(`${path} ${place}${open ? '' : ', without public drafts'}`, async () => {
        const body = await ask(open, path);
        expect(place === '' ? body : at(body, place)).to.eql(expected);
      });
  };
  check(true, ALWAYS);
  check(false, ALWAYS);
  check(false, QUERIES);
  check(true, OPEN);
  check(false, CLOSED);

  for (const query of ['_limit=abc', '_limit=-2', '_start=-1', '_start=1.5', '_limit=1&_limit=2'])
    it(`refuses ${query}`, async () => {
      expect(await ask(true, `/stops?${query}`)).to.have.property('statusCode', 400);
    });
  for (const query of ['_publicationState=gone', '_where=label', '_sort=name:up'])
    it(`refuses ${query}`, async () => {
      expect(await ask(true, `/tours?${query}`)).to.have.property('statusCode', 400);
    });
  it('sorts by the id of a reference, and ignores names that have no order', async () => {
    const stops = async (sort: string): Promise<unknown> =>
      ((await ask(false, `/stops?_sort=${sort}`)) as readonly Raw[]).map(({ _id }) => _id);
    const all = await stops('_id');
    for (const sort of ['nothing,_id', '-label,_id', 'guides,_id', 'tour.leg,_id'])
      expect(await stops(sort), sort).to.eql(all);
    // The tour of the second stop is not published, and that of the third is missing.
    expect(await stops('tour:DESC,_id')).to.eql([21, 22, 23].map(id));
    expect(await stops('tour,_id')).to.eql([22, 23, 21].map(id));
    expect(await ask(true, '/tours?_sort=leg')).to.be.an('array').that.is.not.empty;
  });

  it('never mentions an unpublished entry without public drafts', async () => {
    for (const path of ['/tours?_locale=all&_limit=-1', '/stops?_limit=-1', '/guides', `/tours/${id(1)}`]) {
      const text = JSON.stringify(await ask(false, path));
      for (const hidden of [3, 6, 12]) expect(text, path).to.not.include(id(hidden));
    }
  });

  it('shows accounts their own role, and at the sign-in what they refer to', async () => {
    const login = { identifier: 'ann', password: 'secret-ann' };
    const { jwt, user } = (await ask(false, '/auth/local', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(login),
    })) as { readonly jwt: string; readonly user: Raw };
    expect(user).to.have.nested.property('role.type', 'authenticated');
    expect(user).to.have.nested.property('home.label', 'Hut');
    const me = await ask(false, '/users/me', { headers: { authorization: `Bearer ${jwt}` } });
    expect(me).to.have.nested.property('role.name', 'Authenticated');
    // As in Strapi 3, not a 401.
    const messages = [{ id: 'No authorization header was found' }];
    expect(await ask(false, '/users/me')).to.eql({
      statusCode: 400,
      error: 'Bad Request',
      message: [{ messages }],
      data: [{ messages }],
    });
  });
});
