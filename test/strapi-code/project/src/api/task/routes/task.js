const { createCoreRouter } = require('@strapi/strapi').factories;

module.exports = createCoreRouter('api::task.task', {
  config: { create: { auth: false }, delete: { auth: false } },
});
