module.exports = (plugin) => {
  const { me } = plugin.controllers.user;
  plugin.controllers.user.me = async (ctx) => {
    await me(ctx);
    if (ctx.body) ctx.body.extended = true;
  };
  plugin.controllers.user.greet = (ctx) => {
    ctx.body = { hello: ctx.state.user?.username ?? 'you' };
  };
  plugin.routes['content-api'].routes.push({
    method: 'GET',
    path: '/user/greet',
    handler: 'user.greet',
    config: { prefix: '', auth: false },
  });
  plugin.routes['content-api'].routes.push({
    method: 'GET',
    path: '/user/below',
    handler: 'user.greet',
    config: { auth: false },
  });
  return plugin;
};
