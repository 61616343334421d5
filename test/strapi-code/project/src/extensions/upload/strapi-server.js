module.exports = (plugin) => {
  const createService = plugin.services.upload;
  plugin.services.upload = (context) => {
    const service = createService(context);
    return {
      ...service,
      async upload(given, ...more) {
        const files = await service.upload(given, ...more);
        return files.map((file) => ({ ...file, caption: `${file.caption ?? 'none'} (extended)` }));
      },
      greet: () => 'of the service',
    };
  };
  plugin.contentTypes.file.schema.attributes.credit = { type: 'string' };
  plugin.controllers.mine = {
    async show(ctx) {
      const files = await strapi
        .documents('plugin::upload.file')
        .findMany({ filters: { name: 'cover.txt' } });
      const { credit } = strapi.contentType('plugin::upload.file').attributes;
      ctx.body = {
        greet: strapi.plugin('upload').service('upload').greet(),
        credit: files.map((file) => file.credit),
        type: credit.type,
        booted: globalThis.fixtureUploadBooted,
      };
    },
  };
  plugin.policies.mine = (policyContext) => policyContext.request.query.denied === undefined;
  plugin.routes['content-api'].routes.push({
    method: 'GET',
    path: '/mine',
    handler: 'mine.show',
    config: { auth: false, policies: ['mine'] },
  });
  const { bootstrap } = plugin;
  plugin.bootstrap = async (context) => {
    await bootstrap(context);
    globalThis.fixtureUploadBooted = true;
  };
  return plugin;
};
