const { createCoreService } = require('@strapi/strapi').factories;

module.exports = createCoreService('api::author.author', () => ({
  async find(...args) {
    const { results, pagination } = await super.find(...args);
    return { results: results.map((one) => ({ ...one, name: one.name.toUpperCase() })), pagination };
  },
  async findOne(documentId, params) {
    const found = await super.findOne(documentId, params);
    return found && { ...found, name: `<${found.name}>` };
  },
}));
