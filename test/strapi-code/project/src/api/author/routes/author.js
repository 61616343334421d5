const { createCoreRouter } = require('@strapi/strapi').factories;

const core = createCoreRouter('api::author.author', {
  prefix: '/v2',
  config: { find: { auth: false }, findOne: { auth: false }, create: { auth: false } },
});
let routes;
module.exports = {
  get prefix() {
    return core.prefix;
  },
  get routes() {
    routes ??= core.routes.concat([
      { method: 'GET', path: '/authors-named/:name?', handler: 'author.find', config: { auth: false } },
    ]);
    return routes;
  },
};
