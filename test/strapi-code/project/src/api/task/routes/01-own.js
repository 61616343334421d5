const read = [
  ...['copied', 'derived', 'made', 'madeOne', 'madeNone', 'replacedState'],
  ...['forbidden', 'unauthorized', 'policy', 'unknown', 'roles'],
].map((name) => ({
  method: 'GET',
  path: `/tasks/${name}`,
  handler: `task.${name}`,
  config: { auth: false },
}));

module.exports = {
  routes: [...read, { method: 'POST', path: '/tasks/text', handler: 'task.text', config: { auth: false } }],
};
