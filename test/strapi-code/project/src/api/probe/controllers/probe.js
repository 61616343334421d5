const { readFileSync } = require('node:fs');
const { basename } = require('node:path');
const { errors } = require('@strapi/utils');

const rows = (list) => list.map(({ title, text, rank }) => title ?? `${text}:${rank}`);

const described = ({ filepath, newFilename, originalFilename, mimetype, size }) => ({
  originalFilename,
  mimetype,
  size,
  text: readFileSync(filepath, 'utf8'),
  isNewName: newFilename === basename(filepath),
});
const byName = (a, b) => (a.originalFilename < b.originalFilename ? -1 : 1);
const ofEach = (files, show) =>
  Object.fromEntries(
    Object.entries(files).map(([name, file]) => [
      name,
      Array.isArray(file) ? file.map(show).sort(byName) : show(file),
    ]),
  );

module.exports = {
  form: ({ request: { body, files } }) => ({ body, files: files && ofEach(files, described) }),
  upload: async ({ request: { body, files } }) => {
    const fileInfo = [{ alternativeText: body.alternativeText, name: 'named' }];
    const stored = await strapi
      .plugin('upload')
      .service('upload')
      .upload({ data: { fileInfo }, files: [...files.files].sort(byName) });
    return stored.map(({ name, alternativeText, caption, ext, mime, url, size }) => ({
      name,
      alternativeText,
      caption: caption ?? null,
      ext,
      mime,
      size,
      isUpload: url.startsWith('/uploads/'),
    }));
  },
  attach: async ({ request: { files } }) => {
    const home = strapi.documents('api::home.home');
    const { id: refId } = await home.findFirst();
    const data = { ref: 'api::home.home', refId, field: 'cover' };
    await strapi.plugin('upload').service('upload').upload({ data, files: files.files });
    return (await home.findFirst({ populate: ['cover'] })).cover.name;
  },
  service: () => ({ four: strapi.service('api::probe.probe').double(2) }),
  types: () => ({ types: strapi.service('api::probe.probe').types() }),
  model: () => {
    const { uid, kind, info, attributes } = strapi.contentType('api::article.article');
    return { uid, kind, singular: info.singularName, title: attributes.title.type };
  },
  config: () => ({
    own: strapi.config.get('own.greeting'),
    missing: strapi.config.get('own.missing', 'standard'),
    has: strapi.config.has('own.greeting'),
  }),
  created: (ctx) => ctx.created({ made: true }),
  deleted: (ctx) => ctx.deleted(),
  forbidden: (ctx) => ctx.forbidden('not for you'),
  unauthorized: (ctx) => ctx.unauthorized(),
  conflict: (ctx) => ctx.conflict('taken', { by: 'x' }),
  thrown: (ctx) => ctx.throw(418, 'short and stout'),
  notFound: () => {
    throw new errors.NotFoundError('nothing here');
  },
  application: () => {
    throw new errors.ApplicationError('cannot', { now: true });
  },
  crash: () => {
    throw new TypeError('broken');
  },
  statusCode: () => {
    throw Object.assign(new Error('taken'), { statusCode: 409 });
  },
  nothing: () => undefined,
  text: (ctx) => {
    ctx.type = 'text/plain';
    ctx.body = 'plain';
  },
  query: (ctx) => ({ query: ctx.query }),
  body: (ctx) => ({ body: ctx.request.body, params: ctx.params }),
  user: (ctx) => ({
    user: ctx.state.user ? ctx.state.user.username : null,
    role: ctx.state.user?.role?.type ?? null,
  }),
  context: () => ({ path: strapi.requestContext.get().request.path }),
  rows: async () => {
    const query = strapi.db.query('api::note.note');
    return {
      all: rows(await query.findMany({ orderBy: { rank: 'desc' } })),
      some: rows(
        await query.findMany({ where: { rank: { $lte: 2 } }, orderBy: { rank: 'asc' }, limit: 1, offset: 1 }),
      ),
      or: await query.count({ where: { $or: [{ text: 'a' }, { text: 'b' }] } }),
      one: (await query.findOne({ where: { text: 'b' }, select: ['text'] })).text,
      none: await query.findOne({ where: { text: 'zzz' } }),
      page: (await query.findWithCount({ limit: 1 }))[1],
    };
  },
  versions: async () => {
    const query = strapi.db.query('api::article.article');
    return {
      both: await query.count(),
      published: await query.count({ where: { publishedAt: { $notNull: true } } }),
      drafts: rows(await query.findMany({ where: { publishedAt: null }, orderBy: 'title' })),
      joined: rows(
        await query.findMany({ where: { author: { name: 'Ann' }, publishedAt: { $notNull: true } } }),
      ),
    };
  },
  write: async () => {
    const query = strapi.db.query('api::note.note');
    const made = await query.create({ data: { text: 'made', rank: 7 } });
    const changed = await query.update({ where: { id: made.id }, data: { text: 'changed' } });
    const removed = await query.delete({ where: { id: made.id } });
    return {
      log: made.log,
      rank: changed.rank,
      text: removed.text,
      left: await query.count({ where: { id: made.id } }),
    };
  },
  entities: async () => {
    const uid = 'api::note.note';
    const made = await strapi.entityService.create(uid, { data: { text: 'entity', rank: 3 } });
    const found = await strapi.entityService.findOne(uid, made.id);
    const many = await strapi.entityService.findMany(uid, { filters: { text: 'entity' }, sort: 'rank' });
    await strapi.entityService.delete(uid, made.id);
    return {
      text: found.text,
      many: many.length,
      left: await strapi.entityService.count(uid, { filters: { text: 'entity' } }),
    };
  },
  entityVersions: async () => {
    const uid = 'api::article.article';
    const shown = (row) => row && [row.title, row.publishedAt !== null];
    const published = { publishedAt: { $notNull: true } };
    const made = await strapi.entityService.create(uid, {
      data: { title: 'entity', publishedAt: new Date() },
    });
    const draft = await strapi.entityService.create(uid, { data: { title: 'entity', publishedAt: null } });
    const list = await strapi.entityService.findMany(uid, { filters: { title: 'entity' } });
    const live = await strapi.entityService.findMany(uid, {
      filters: { title: 'entity' },
      status: 'published',
    });
    const one = await strapi.entityService.findOne(uid, made.id);
    const data = { title: 'entity 2', publishedAt: new Date().toISOString() };
    const changed = [
      await strapi.entityService.update(uid, made.id, { data }),
      await strapi.entityService.update(uid, draft.id, { data: { title: 'entity 2' } }),
      await strapi.entityService.update(uid, 123456789, { data }),
    ];
    const where = { title: 'entity 2' };
    const rows = await strapi.db.query(uid).count({ where });
    const count = await strapi.entityService.count(uid, { filters: where });
    const { id } = await strapi.db.query(uid).findOne({ where: { ...where, ...published } });
    const removed = await strapi.entityService.delete(uid, id);
    await strapi.entityService.delete(uid, draft.id);
    return {
      made: [shown(made), shown(draft)],
      list: list.map(shown),
      live: live.map(shown),
      one: shown(one),
      changed: changed.map(shown),
      rows,
      count,
      removed: shown(removed),
      left: await strapi.db.query(uid).count({ where }),
    };
  },
  events: async () => {
    const seen = [];
    const listener = ({ uid, entry }) => void seen.push([uid, entry.text]);
    strapi.eventHub.on('entry.create', listener);
    await strapi.documents('api::note.note').create({ data: { text: 'heard' } });
    await new Promise((resolve) => setTimeout(resolve, 50));
    strapi.eventHub.off('entry.create', listener);
    return { seen };
  },
  wrapped: async () => {
    const made = await strapi.documents('api::note.note').create({ data: { text: 'wrap me' } });
    return { text: made.text, order: globalThis.fixtureOrder };
  },
  lifecycles: async () => {
    const uid = 'api::article.article';
    const articles = strapi.documents(uid);
    const version = (row) => row && (row.publishedAt ? 'published' : 'draft');
    let seen = [];
    const note = ({ action, params, result }) =>
      void seen.push([
        action,
        version(result) ?? (params.data ? version(params.data) : null),
        params.data?.title ?? null,
        Object.keys(params.where ?? {})
          .sort()
          .join(),
      ]);
    const names = ['Create', 'Update', 'Delete'].flatMap((name) => [`before${name}`, `after${name}`]);
    const stop = strapi.db.lifecycles.subscribe({
      models: [uid],
      ...Object.fromEntries(names.map((name) => [name, note])),
    });
    const after = async (call) => {
      seen = [];
      const made = await call;
      const of = (when) => seen.filter(([action]) => action.startsWith(when));
      const events = { before: of('before'), after: of('after') };
      seen = [];
      return [events, made];
    };
    const [created, { documentId }] = await after(articles.create({ data: { title: 'first' } }));
    const at = { documentId };
    const [publishedFirst] = await after(articles.publish(at));
    const [updated] = await after(articles.update({ ...at, data: { title: 'second' } }));
    const [discarded] = await after(articles.discardDraft(at));
    const [publishedAgain] = await after(articles.publish(at));
    const [updatedPublished] = await after(
      articles.update({ ...at, status: 'published', data: { title: 'third' } }),
    );
    const [unpublished] = await after(articles.unpublish(at));
    const [deleted] = await after(articles.delete(at));
    const [createdPublished, { documentId: other }] = await after(
      articles.create({ data: { title: 'fourth' }, status: 'published' }),
    );
    const [cloned, { documentId: copy }] = await after(articles.clone({ documentId: other }));
    const [deletedBoth] = await after(articles.delete({ documentId: other }));
    await articles.delete({ documentId: copy });
    stop();
    return {
      created,
      publishedFirst,
      updated,
      discarded,
      publishedAgain,
      updatedPublished,
      unpublished,
      deleted,
      createdPublished,
      cloned,
      deletedBoth,
    };
  },
  booted: () => ({ registered: globalThis.fixtureRegistered, booted: globalThis.fixtureBooted }),
  caught: () => {
    try {
      return { schema: strapi.db.schema };
    } catch {
      return { caught: true };
    }
  },
  stored: async () => {
    const store = strapi.store({ type: 'type', name: 'setup', environment: 'any' });
    const before = await store.get({ key: 'ran' });
    await store.set({ key: 'ran', value: { $at: ['once', { 'a.b': true }] } });
    await strapi.store.set({ type: 'type', name: 'setup', key: 'ran', value: false });
    const after = await store.get({ key: 'ran' });
    const other = await strapi.store({ type: 'type', name: 'setup' }).get({ key: 'ran' });
    await store.delete({ key: 'ran' });
    return { before, after, other, left: await store.get({ key: 'ran' }) };
  },
  permissions: async () => {
    const permissions = strapi.db.query('plugin::users-permissions.permission');
    const roles = strapi.query('plugin::users-permissions.role');
    const role = await roles.findOne({ where: { type: 'authenticated' } });
    const where = { action: 'api::note.note.find', role: role.id };
    const before = await permissions.findOne({ where });
    const made = await permissions.create({ data: { ...where } });
    const found = await permissions.findMany({ where, populate: ['role'] });
    const held = await roles.findOne({ where: { id: role.id }, populate: ['permissions'] });
    const other = await permissions.count({ where: { ...where, role: { type: 'public' } } });
    await permissions.delete({ where: { id: made.id } });
    return {
      before,
      made: made.action,
      found: found.map((row) => [row.action, row.role.type]),
      held: held.permissions.filter(({ action }) => action.startsWith('api::')).map(({ action }) => action),
      other,
      left: await permissions.count({ where }),
    };
  },
  contentApi: async (ctx) => {
    const { sanitize, validate } = strapi.contentAPI;
    const model = strapi.contentType('api::article.article');
    const [entry] = await strapi
      .documents('api::article.article')
      .findMany({ populate: ['author'], limit: 1 });
    const refused = (promise) =>
      promise.then(
        () => 'passed',
        ({ message }) => message,
      );
    return {
      output: Object.keys(await sanitize.output(entry, model, { auth: ctx.state.auth })).sort(),
      list: (await sanitize.output([{ title: 'x', secret: 'y' }], model))[0],
      query: await sanitize.query(
        { filters: { secret: 'x', title: 'y' }, fields: ['title', 'secret'] },
        model,
      ),
      validated: await refused(validate.query({ filters: { nothing: 1 } }, model)),
      valid: await refused(validate.query({ filters: { title: 'x' } }, model)),
      input: await refused(validate.input({ nothing: 1 }, model)),
    };
  },
  described: async () => {
    const found = await strapi.documents('api::note.note').findMany({ describe: true, limit: 1 });
    return { found: found.length, described: globalThis.fixtureDescribed };
  },
  session: (ctx) => ({ views: ctx.session?.views }),
  unsupported: () => ({ never: strapi.db.connection.raw('select 1') }),
};
