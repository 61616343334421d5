module.exports = {
  register({ strapi }) {
    globalThis.fixtureRegistered = true;
    globalThis.fixtureOrder = [];
    strapi.documents.use(async (context, next) => {
      if (context.uid !== 'api::note.note' || context.action !== 'create') return next();
      if (context.params.data.text !== 'wrap me') return next();
      globalThis.fixtureOrder = ['use'];
      const result = await next();
      globalThis.fixtureOrder.push('used');
      return { ...result, text: `${result.text} (wrapped)` };
    });
    strapi.documents.use((context, next) => {
      if (context.uid === 'api::note.note' && context.action === 'findOne')
        globalThis.fixtureAsked = context.params.status;
      return next();
    });
    strapi.documents.use((context, next) => {
      const { describe, ...params } = context.params;
      if (describe) {
        const { uid, kind, attributes } = context.contentType;
        globalThis.fixtureDescribed = [context.action, uid, kind, attributes.text.type];
        context.params = params;
      }
      return next();
    });
    strapi.server.routes([
      {
        method: 'GET',
        path: '/beside',
        handler: (ctx) => {
          ctx.body = 'beside';
        },
        config: { auth: false },
      },
    ]);
  },
  bootstrap({ strapi }) {
    globalThis.fixtureBooted = true;
    strapi.db.lifecycles.subscribe({
      models: ['api::note.note'],
      beforeCreate(event) {
        if (event.params.data.text === 'wrap me') globalThis.fixtureOrder.push('lifecycle');
      },
    });
  },
};
