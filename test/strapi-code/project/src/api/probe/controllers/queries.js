/** What calls and queries write, and who sees it. */
module.exports = {
  async queries() {
    const notes = 'api::note.note';
    const heard = [];
    const stop = strapi.eventHub.on(
      'entry.create',
      ({ uid, entry }) => uid === notes && heard.push(entry.text),
    );
    globalThis.fixtureOrder = [];
    const made = await strapi.db.query(notes).create({ data: { text: 'wrap me' } });
    const late = strapi.db.query(notes).create({ data: { text: 'taken back' } });
    const refused = await late.catch(({ message }) => message);
    const stored = await strapi.db.query(notes).count({ where: { text: { $contains: 'taken back' } } });
    const also = strapi.documents(notes).create({ data: { text: 'taken back' } });
    const error = await also.catch(({ message }) => message);
    const left = await strapi.db.query(notes).count({ where: { text: { $contains: 'taken back' } } });
    await strapi.documents(notes).create({ data: { text: 'heard' } });
    await new Promise((done) => setTimeout(done, 200));
    stop();
    await strapi.db
      .query(notes)
      .deleteMany({ where: { text: { $in: ['wrap me', 'taken back', 'also taken back', 'heard'] } } });
    return { text: made.text, order: globalThis.fixtureOrder, refused, stored, error, left, heard };
  },
  /** What queries write, and their lifecycles: with the parameters that they were given. */
  async hooked() {
    const articles = strapi.db.query('api::article.article');
    const seen = [];
    const names = [
      'Create',
      'CreateMany',
      'Update',
      'UpdateMany',
      'Delete',
      'DeleteMany',
      'FindOne',
      'FindMany',
      'Count',
    ];
    const hook = (event) => {
      const { data, where, select } = event.params;
      // Strapi's writes read what they answer.
      if (event.action.endsWith('FindOne') && !select) return;
      const { id, ids, ...result } = Object(event.result);
      seen.push([
        event.action,
        data,
        where,
        select,
        Array.isArray(event.result) ? event.result.length : (result.title ?? result.count),
      ]);
      if (event.action === 'beforeUpdate') data.title = `${data.title}!`;
      if (event.action === 'afterFindOne' && event.result) event.result.title += '?';
    };
    const stop = strapi.db.lifecycles.subscribe({
      models: ['api::article.article'],
      ...Object.fromEntries(names.flatMap((name) => ['before', 'after'].map((when) => [when + name, hook]))),
    });
    const { publishedAt } = await articles.create({ data: { title: 'row' } });
    const draft = await articles.create({ data: { title: 'draft row', publishedAt: null } });
    await articles.createMany({ data: [{ title: 'many 1' }, { title: 'many 2' }] });
    const updated = await articles.update({ where: { title: 'row' }, data: { title: 'changed row' } });
    await articles.update({ where: { title: 'nothing' }, data: { title: 'x' } });
    await articles.updateMany({
      where: { title: 'many 1', publishedAt: { $notNull: true } },
      data: { title: 'many 3' },
    });
    const found = await articles.findOne({
      where: { title: 'many 3', publishedAt: { $notNull: true } },
      select: ['title'],
    });
    const all = await articles.findMany({
      where: { title: { $startsWith: 'many' }, publishedAt: { $notNull: true } },
      orderBy: 'title',
    });
    const count = await articles.count({ where: { title: 'nothing' } });
    await articles.delete({ where: { id: draft.id } });
    await articles.delete({ where: { title: 'nothing' } });
    await articles.deleteMany({ where: { title: 'nothing' } });
    stop();
    const mine = ['row', 'draft row', 'changed row!', 'many 2', 'many 3'];
    await articles.deleteMany({ where: { title: { $in: mine } } });
    return {
      ...{ isPublished: publishedAt !== null, isDraft: draft.publishedAt === null, updated: updated.title },
      ...{
        found: found.title,
        all: all.map(({ title }) => title),
        count,
        seen: JSON.parse(JSON.stringify(seen)).map(([action, data, where, select, result]) => ({
          action,
          data,
          select,
          result,
          where: action.includes('Delete') && where.id ? 'one' : where,
        })),
      },
    };
  },
  /** The version of a row in its data, and filters of what removes versions. */
  async versions() {
    const articles = strapi.documents('api::article.article');
    const seen = [];
    const see = ({ action, params: { data } }) =>
      seen.push([
        action,
        data.publishedAt === null ? 'draft' : data.publishedAt instanceof Date ? 'published' : 'none',
      ]);
    const models = ['api::article.article', 'api::author.author'];
    const stop = strapi.db.lifecycles.subscribe({ models, beforeCreate: see, beforeUpdate: see });
    const { documentId } = await articles.create({ data: { title: 'versions' } });
    await articles.update({ documentId, data: { title: 'versions 2' } });
    await articles.publish({ documentId });
    const author = await strapi.documents('api::author.author').create({ data: { name: 'versions' } });
    stop();
    const missed = await articles.unpublish({ documentId, filters: { title: 'nothing' } });
    const gone = await articles.unpublish({ documentId, filters: { title: 'versions 2' } });
    await articles.delete({ documentId });
    await strapi.documents('api::author.author').delete({ documentId: author.documentId });
    return { seen, asked: globalThis.fixtureAsked, missed: missed.entries.length, gone: gone.entries.length };
  },
};
