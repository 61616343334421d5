const { createCoreRouter } = require('@strapi/strapi').factories;

const open = { auth: false };
module.exports = createCoreRouter('api::note.note', {
  config: { find: open, findOne: open, create: open, update: open, delete: open },
});
