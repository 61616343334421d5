module.exports = (config) => async (ctx, next) => {
  ctx.set('x-stamp', config.text);
  await next();
};
