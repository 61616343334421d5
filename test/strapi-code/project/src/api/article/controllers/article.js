const { createCoreController } = require('@strapi/strapi').factories;
const { errors } = require('@strapi/utils');

module.exports = createCoreController('api::article.article', ({ strapi }) => ({
  async find(ctx) {
    ctx.query = { ...ctx.query, locale: undefined };
    const { data, meta } = await super.find(ctx);
    return { data, meta: { ...meta, of: 'super' } };
  },
  async findOne(ctx) {
    const found = await super.findOne(ctx);
    if (found) found.data.title = `${found.data.title}!`;
    return found;
  },
  async create(ctx) {
    const { title } = ctx.request.body.data ?? {};
    if (title === 'refused') return ctx.badRequest('not this title', { title });
    if (title === 'thrown') throw new errors.ValidationError('thrown title', { why: 'test' });
    if (title) ctx.request.body.data.slug = `s-${title}`;
    return super.create(ctx);
  },
  async popular(ctx) {
    await this.validateQuery(ctx);
    const query = await this.sanitizeQuery(ctx);
    const { results, pagination } = await strapi
      .service('api::article.article')
      .find({ ...query, filters: { rating: { $gte: 4 } }, sort: 'rating:desc' });
    const shown = await this.sanitizeOutput(results, ctx);
    return this.transformResponse(shown, { pagination });
  },
  async whole(ctx) {
    const entry = await strapi.documents('api::article.article').findFirst({
      filters: { title: 'one' },
      populate: { author: true, seo: true },
      status: 'published',
    });
    return this.transformResponse(await this.sanitizeOutput(entry, ctx));
  },
  async bySlug(ctx) {
    const { slug } = ctx.params;
    const entry = await strapi.service('api::article.article').bySlug(slug);
    if (!entry) return ctx.notFound('no such slug');
    ctx.send({ slug: entry.slug, route: ctx.state.route.handler });
  },
  async sanitized(ctx) {
    return { query: await this.sanitizeQuery(ctx) };
  },
  async count() {
    return { count: await strapi.service('api::article.article').total() };
  },
}));
