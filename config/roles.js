/** Who may do what from the first start. `npx mangrove routes list --content` shows the actions there are. */
const types = ['restaurant', 'category', 'chef', 'article', 'page'];
const allow = (...actions) =>
  types.flatMap((type) => actions.map((action) => `api::${type}.${type}.${action}`));

export default {
  public: [...allow('find', 'findOne'), 'api::homepage.homepage.find', 'plugin::i18n.locales.listLocales'],
  editor: {
    name: 'Editor',
    description: 'Writes and publishes everything',
    permissions: [
      ...allow('find', 'findOne', 'create', 'update', 'delete'),
      'api::homepage.homepage.find',
      'api::homepage.homepage.update',
      'api::homepage.homepage.delete',
      'plugin::i18n.locales.listLocales',
      'plugin::upload.content-api.find',
      'plugin::upload.content-api.findOne',
      'plugin::upload.content-api.upload',
      'plugin::upload.content-api.destroy',
    ],
  },
};
