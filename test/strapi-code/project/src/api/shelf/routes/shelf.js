/** A controller where a router belongs: Strapi starts, and serves no routes of it. */
module.exports = require('@strapi/strapi').factories.createCoreController('api::shelf.shelf');
