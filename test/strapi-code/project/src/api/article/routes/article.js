const { createCoreRouter } = require('@strapi/strapi').factories;

module.exports = createCoreRouter('api::article.article', {
  except: ['delete'],
  config: {
    find: { middlewares: ['api::article.populate'] },
    findOne: {},
    create: { policies: ['has-title'] },
    update: { policies: [{ name: 'global::may', config: { header: 'x-may' } }] },
  },
});
