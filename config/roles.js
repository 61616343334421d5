/** Who may do what from the first start. Actions are `api::<type>.<type>.<find|findOne|create|update|delete>`. */
const types = ['restaurant', 'category', 'chef', 'article', 'page', 'homepage'];
const allow = (...actions) =>
  types.flatMap((type) => actions.map((action) => `api::${type}.${type}.${action}`));

export default {
  public: [...allow('find', 'findOne'), 'plugin::i18n.locales.listLocales'],
  editor: {
    name: 'Editor',
    description: 'Writes and publishes everything',
    permissions: [
      ...allow('find', 'findOne', 'create', 'update', 'delete'),
      'plugin::i18n.locales.listLocales',
      'plugin::upload.content-api.find',
      'plugin::upload.content-api.findOne',
      'plugin::upload.content-api.upload',
      'plugin::upload.content-api.destroy',
    ],
  },
};
