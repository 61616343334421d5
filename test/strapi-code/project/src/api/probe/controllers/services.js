const utils = require('@strapi/utils');

const USER = 'plugin::users-permissions.user';
const service = (plugin, name) => strapi.plugin(plugin).service(name);
const outcome = (promise) =>
  Promise.resolve(promise).then(
    (value) => value ?? null,
    ({ name, message }) => ({ name, message }),
  );
const named = ({ username, email, provider, confirmed, blocked }) => ({
  username,
  email,
  provider,
  confirmed,
  blocked,
});

module.exports = {
  core: async () => {
    const authors = strapi.service('api::author.author');
    const notes = strapi.service('api::note.note');
    const made = await notes.create({ data: { text: 'of the service', rank: 9 } });
    const found = await notes.findOne(made.documentId, { fields: ['text'] });
    const changed = await notes.update(made.documentId, { data: { rank: 10 } });
    const page = await notes.find({
      filters: { rank: { $gte: 9 } },
      sort: 'rank',
      pagination: { page: 1, pageSize: 1 },
    });
    const offset = await notes.find({ pagination: { start: 1, limit: 1, withCount: false } });
    const removed = await notes.delete(made.documentId);
    const { results } = await authors.find({ filters: { name: 'Ann' } });
    const one = await authors.findOne(results[0].documentId, {});
    return {
      made: made.text,
      found: [found.text, found.rank],
      changed: changed.rank,
      page: [page.results.map(({ rank }) => rank), page.pagination],
      offset: [offset.results.length, offset.pagination],
      removed: Object.keys(removed),
      authors: results.map(({ name }) => name),
      one: one.name,
      none: await outcome(notes.findOne('none')),
      unknown: await outcome(notes.update('none', { data: {} })),
    };
  },
  single: async () => {
    const homes = strapi.service('api::home.home');
    const changed = await homes.createOrUpdate({ data: { visits: 3 } });
    const found = await homes.find({ fields: ['visits'] });
    return { changed: changed.visits, found: [found.visits, found.heading] };
  },
  users: async () => {
    const users = service('users-permissions', 'user');
    const jwt = service('users-permissions', 'jwt');
    const roles = await service('users-permissions', 'role').find();
    const { id: role } = roles.find(({ type }) => type === 'authenticated');
    const made = await users.add({
      username: 'probe',
      email: 'probe@mail.example',
      provider: 'local',
      password: 'probe-secret',
      confirmed: true,
      role,
    });
    const fetched = await users.fetch(made.id, { populate: ['role'], fields: ['username'] });
    const edited = await users.edit(made.id, { username: 'probed' });
    const filters = { username: 'probed' };
    const all = await users.fetchAll({ filters, sort: 'username', fields: ['email'] });
    const token = await jwt.issue({ id: made.id });
    const { id } = await jwt.verify(token);
    const counted = (await service('users-permissions', 'role').find()).find((one) => one.id === role);
    const removed = await users.remove({ id: made.id });
    return {
      made: { ...named(made), role: made.role.type },
      fetched: [fetched.username, fetched.email ?? null, fetched.role.type],
      edited: edited.username,
      all: all.map((one) => [one.email, one.username ?? null]),
      count: [await users.count({ filters }), await users.count({ filters: { username: 'nobody' } })],
      token: [typeof token, id === made.id],
      wrong: (await outcome(jwt.verify('wrong'))).message,
      nb_users: counted.nb_users,
      removed: removed.username,
      left: await strapi.db.query(USER).count({ where: { username: 'probed' } }),
      gone: await outcome(users.fetch(made.id)),
      edit: await outcome(users.edit(123456789, { username: 'none' })),
    };
  },
  roles: async () => {
    const roles = service('users-permissions', 'role');
    const all = await roles.find();
    const { id } = all.find(({ type }) => type === 'public');
    const { name, type, permissions } = await roles.findOne(id);
    const { article } = permissions['api::article'].controllers;
    return {
      all: all.map((role) => [role.name, role.type]).sort(),
      one: { name, type, find: article.find, create: article.create },
      none: await outcome(roles.findOne(123456789)),
    };
  },
  files: async ({ request: { files } }) => {
    const uploads = service('upload', 'upload');
    const [made] = await uploads.upload({
      data: { fileInfo: { name: 'probe.txt', caption: 'first' } },
      files: files.files,
    });
    const found = await uploads.findOne(made.id);
    const info = await uploads.updateFileInfo(made.id, { caption: 'second' });
    const many = await uploads.findMany({ filters: { name: 'probe.txt' }, fields: ['name', 'caption'] });
    const page = await uploads.findAndCountPage({ filters: { name: 'probe.txt' } });
    const removed = await uploads.remove(found);
    return {
      made: [made.name, made.caption, made.ext, made.mime],
      found: found.name,
      info: info.caption,
      many: many.map((file) => [file.name, file.caption, file.ext ?? null]),
      page: [page.results.length, page.pagination.total, page.pagination.page],
      removed: removed.name,
      none: await outcome(uploads.findOne(made.id)),
      missing: await outcome(uploads.updateFileInfo(made.id, { caption: 'third' })),
    };
  },
  locales: async () => {
    const locales = service('i18n', 'locales');
    const all = await locales.find();
    return {
      all: all.map(({ code, name }) => [code, name]),
      one: (await locales.findByCode('en')).code,
      none: await outcome(locales.findByCode('xx')),
      standard: await locales.getDefaultLocale(),
    };
  },
  many: async () => {
    const shelves = strapi.db.query('api::shelf.shelf');
    const data = ['many 1', 'many 2', 'many 3'].map((name) => ({ name }));
    const made = await shelves.createMany({ data });
    const where = { name: { $startsWith: 'many' } };
    const changed = await shelves.updateMany({
      where: { name: { $in: ['many 2', 'many 3'] } },
      data: { name: 'many' },
    });
    const rows = await shelves.findMany({ where, orderBy: ['name', 'id'] });
    const page = await shelves.findPage({ where, page: 2, pageSize: 2, orderBy: { name: 'desc' } });
    const removed = await shelves.deleteMany({ where: { id: { $in: made.ids } } });
    return {
      made: [made.count, made.ids.length],
      changed: changed.count,
      rows: rows.map(({ name }) => name),
      page: [page.results.map(({ name }) => name), page.pagination],
      removed: removed.count,
      left: await shelves.count({ where }),
      nothing: await shelves.updateMany({ where: { name: 'nothing' }, data: { name: 'x' } }),
      refused: [
        await outcome(shelves.update({ data: { name: 'x' } })),
        await outcome(shelves.update({ where: { id: 1 } })),
        await outcome(shelves.delete({})),
        await outcome(shelves.createMany({ data: {} })),
        await outcome(shelves.createMany({ data: [] })),
        await outcome(shelves.updateMany({ where: {}, data: {} })),
      ].map(({ message }) => message),
    };
  },
  publishedAt: async () => {
    const uid = 'api::article.article';
    const articles = strapi.db.query(uid);
    const versions = async (documentId) =>
      (await articles.findMany({ where: { documentId }, orderBy: 'publishedAt' })).map((row) => [
        row.title,
        row.publishedAt !== null,
      ]);
    const published = async (documentId) =>
      (await strapi.documents(uid).findOne({ documentId, status: 'published' }))?.title ?? null;
    const made = await strapi.documents(uid).create({ data: { title: 'dated' } });
    const { documentId } = made;
    const changed = await articles.update({
      where: { id: made.id },
      data: { title: 'dated 2', publishedAt: new Date() },
    });
    const live = await published(documentId);
    const row = await articles.findOne({ where: { documentId, publishedAt: { $notNull: true } } });
    const back = await articles.update({ where: { id: row.id }, data: { publishedAt: null } });
    const gone = await published(documentId);
    const same = await articles.update({
      where: { id: back.id },
      data: { title: 'dated 3', publishedAt: null },
    });
    const last = await versions(documentId);
    await articles.deleteMany({ where: { documentId } });
    return {
      changed: [changed.title, changed.publishedAt !== null],
      live,
      back: [back.title, back.publishedAt],
      gone,
      same: [same.title, same.publishedAt],
      last,
      left: (await versions(documentId)).length,
    };
  },
  pages: async () => {
    const uid = 'api::article.article';
    const { entityService } = strapi;
    const { documentId: author, id: authorId } = await strapi
      .documents('api::author.author')
      .create({ data: { name: 'Paged' } });
    for (const title of ['p1', 'p2', 'p3'])
      await strapi.documents(uid).create({ data: { title, author }, status: 'published' });
    const filters = { title: { $startsWith: 'p' }, author: { name: 'Paged' } };
    const page = await entityService.findPage(uid, {
      filters,
      sort: 'title:desc',
      fields: ['title'],
      status: 'published',
      page: 1,
      pageSize: 2,
    });
    const both = await entityService.findPage(uid, { filters, page: 1, pageSize: 100 });
    const [first] = page.results;
    const loaded = await entityService.load(uid, { id: first.id }, 'author');
    const inverse = await entityService.load('api::author.author', { id: authorId }, 'articles', {
      filters: { publishedAt: { $notNull: true } },
      sort: 'title',
    });
    const pages = await entityService.loadPages(
      'api::author.author',
      { id: authorId },
      'articles',
      { filters: { publishedAt: { $notNull: true } }, sort: 'title' },
      { page: 2, pageSize: 2 },
    );
    const wrong = [
      await outcome(entityService.load(uid, { id: first.id }, 5)),
      await outcome(entityService.load(uid, { id: first.id }, 'title')),
      await outcome(entityService.loadPages(uid, { id: first.id }, 'author')),
    ];
    const rows = await strapi.documents(uid).findMany({ filters: { author: { name: 'Paged' } } });
    for (const row of rows) await strapi.documents(uid).delete({ documentId: row.documentId });
    await strapi.documents('api::author.author').delete({ documentId: author });
    return {
      page: [page.results.map(({ title }) => title), page.pagination],
      both: both.pagination.total,
      loaded: loaded.name,
      inverse: inverse.map(({ title }) => title),
      pages: [pages.results.map(({ title }) => title), pages.pagination],
      wrong: wrong.map(({ message }) => message),
    };
  },
  utils: async () => {
    const { contentTypes, strings, arrays, objects, dates, async: later, policy } = utils;
    const article = strapi.contentType('api::article.article');
    const checked = policy.createPolicy({
      name: 'checked',
      validator: ({ header }) => {
        if (typeof header !== 'string') throw new Error('a header');
      },
      handler: () => true,
    });
    return {
      kinds: [contentTypes.isSingleType(article), contentTypes.isCollectionType(article)],
      draft: [
        contentTypes.isDraft({ publishedAt: null }, article),
        contentTypes.isDraft({}, article),
        contentTypes.hasDraftAndPublish(article),
      ],
      attributes: Object.entries(article.attributes)
        .filter(([, attribute]) => contentTypes.isRelationalAttribute(attribute))
        .map(([name]) => name)
        .filter((name) => name === 'author'),
      constants: contentTypes.constants.PUBLISHED_AT_ATTRIBUTE,
      strings: [
        strings.toKebabCase('blogPost'),
        strings.isKebabCase('blog-post'),
        strings.isCamelCase('blog-post'),
        strings.startsWithANumber('1a'),
        strings.isEqual(1, '1'),
      ],
      arrays: [arrays.includesString([1, 2], '2'), arrays.includesString([1], '2')],
      objects: objects.keysDeep({ a: { b: 1, c: { d: 2 } } }),
      dates: dates.timestampCode(new Date(1_000_000)),
      mapped: await later.map([1, 2, 3], async (value) => value * 2),
      curried: await later.map([1, 2])((value) => value + 1),
      piped: await later.pipe(
        (a, b) => a + b,
        async (value) => value * 10,
      )(1, 2),
      reduced: await later.reduce([1, 2, 3])(async (sum, value) => sum + value, 10),
      policy: [
        checked.name,
        await outcome(new Promise((done) => done(checked.validator({ header: 'x' })))),
        await outcome(new Promise((done) => done(checked.validator({})))),
      ],
    };
  },
  prefixed: (ctx) => ({ path: ctx.path, route: ctx.state.route.path }),
};
