module.exports = {
  routes: [
    { method: 'GET', path: '/articles/popular', handler: 'article.popular' },
    { method: 'GET', path: '/articles/whole', handler: 'article.whole' },
    {
      method: 'GET',
      path: '/articles/by-slug/:slug',
      handler: 'api::article.article.bySlug',
      config: { auth: false },
    },
    { method: 'GET', path: '/articles/sanitized', handler: 'article.sanitized' },
    { method: 'GET', path: '/articles/count', handler: 'article.count' },
    { method: 'GET', path: '/articles/open', handler: 'article.find', config: { auth: false } },
    {
      method: 'GET',
      path: '/articles/inherited',
      handler: 'article.find',
      config: { auth: { scope: ['api::article.article.find'] } },
    },
    {
      method: 'GET',
      path: '/articles/inline',
      handler: (ctx) => {
        ctx.body = { inline: ctx.state.from };
      },
      config: {
        auth: false,
        policies: ['global::not-denied'],
        middlewares: [
          (ctx, next) => {
            ctx.state.from = 'middleware';
            return next();
          },
        ],
      },
    },
  ],
};
