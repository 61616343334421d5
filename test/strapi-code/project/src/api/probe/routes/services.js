const open = { auth: false };
const names = ['core', 'single', 'users', 'roles', 'locales', 'many', 'publishedAt', 'pages', 'utils'];

module.exports = {
  routes: [
    ...names.map((name) => ({
      method: 'GET',
      path: `/probe/services/${name}`,
      handler: `services.${name}`,
      config: open,
    })),
    ...['queries', 'hooked', 'versions'].map((name) => ({
      method: 'GET',
      path: `/probe/queries/${name}`,
      handler: `queries.${name}`,
      config: open,
    })),
    { method: 'POST', path: '/probe/services/files', handler: 'services.files', config: open },
    {
      method: 'GET',
      path: '/probe/prefixed',
      handler: 'services.prefixed',
      config: { ...open, prefix: '/ignored' },
    },
    {
      method: 'GET',
      path: '/probe/checked',
      handler: 'services.prefixed',
      config: { ...open, policies: [{ name: 'global::checked', config: { header: 'x-checked' } }] },
    },
  ],
};
