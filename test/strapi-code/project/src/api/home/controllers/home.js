const { createCoreController } = require('@strapi/strapi').factories;

module.exports = createCoreController('api::home.home', ({ strapi }) => ({
  async find(ctx) {
    const response = await super.find(ctx);
    return (
      response && {
        ...response,
        meta: { locale: await strapi.plugin('i18n').service('locales').getDefaultLocale() },
      }
    );
  },
}));
