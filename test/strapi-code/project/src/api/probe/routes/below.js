module.exports = {
  prefix: '/below',
  routes: [
    { method: 'GET', path: '/', handler: 'services.prefixed', config: { auth: false } },
    { method: 'GET', path: '/inner', handler: 'services.prefixed', config: { auth: false } },
    {
      method: 'GET',
      path: '/beside-below',
      handler: 'services.prefixed',
      config: { auth: false, prefix: '' },
    },
  ],
};
