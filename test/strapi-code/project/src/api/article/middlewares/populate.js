module.exports = () => async (ctx, next) => {
  ctx.query.populate = { author: { fields: ['name'] } };
  ctx.query.sort = 'title:asc';
  await next();
  ctx.set('x-populated', 'author');
};
