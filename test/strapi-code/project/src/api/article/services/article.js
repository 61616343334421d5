const { createCoreService } = require('@strapi/strapi').factories;

module.exports = createCoreService('api::article.article', ({ strapi }) => ({
  bySlug(slug) {
    return strapi.documents('api::article.article').findFirst({ filters: { slug }, status: 'published' });
  },
  async total() {
    return strapi.documents('api::article.article').count({ status: 'published' });
  },
}));
