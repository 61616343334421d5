const { createCoreController } = require('@strapi/strapi').factories;
const { errors } = require('@strapi/utils');

const onlyTitles = { fields: ['title'], sort: 'number:desc', pagination: { limit: 1 } };
const titlesOf = ({ data, meta }) => ({ titles: data.map(({ title, number }) => [title, number]), meta });

module.exports = createCoreController('api::task.task', () => ({
  async copied(ctx) {
    return titlesOf(await super.find({ ...ctx, query: onlyTitles }));
  },
  async derived(ctx) {
    return titlesOf(await super.find(Object.create(ctx, { query: { value: onlyTitles } })));
  },
  async made(ctx) {
    return titlesOf(await super.find({ query: onlyTitles, state: ctx.state }));
  },
  async madeOne(ctx) {
    const { results } = await strapi.service('api::task.task').find({ sort: 'number' });
    return super.findOne({ params: { id: results[0].documentId }, query: {}, state: ctx.state });
  },
  async madeNone(ctx) {
    return super.findOne({ params: { id: 'none' }, query: {}, state: ctx.state });
  },
  async replacedState(ctx) {
    ctx.state = {};
    return titlesOf(await super.find(ctx));
  },
  async text(ctx) {
    return { type: typeof ctx.request.body, body: ctx.request.body };
  },
  async forbidden() {
    throw new errors.ForbiddenError('why', { by: 'code' });
  },
  async unauthorized() {
    throw new errors.UnauthorizedError('why', { by: 'code' });
  },
  async policy() {
    throw new errors.PolicyError('why', { by: 'code' });
  },
  async unknown() {
    const uid = 'api::task.task';
    const outcome = (promise) =>
      promise.then(
        (list) => list.length,
        ({ message }) => message,
      );
    const filters = { nothing: 1 };
    const populate = ['nothing'];
    return {
      filters: await outcome(strapi.documents(uid).findMany({ filters })),
      populate: await outcome(strapi.documents(uid).findMany({ populate })),
      fields: await outcome(strapi.documents(uid).findMany({ fields: ['nothing'] })),
      sort: await outcome(strapi.documents(uid).findMany({ sort: 'nothing' })),
      entities: await outcome(strapi.entityService.findMany(uid, { filters })),
      entitiesPopulate: await outcome(strapi.entityService.findMany(uid, { populate })),
    };
  },
  async roles() {
    const roles = strapi.plugin('users-permissions').service('role');
    const outcome = (promise) =>
      promise.then(
        () => 'done',
        ({ message }) => message,
      );
    const named = async (name) => (await roles.find()).find((role) => role.name === name);
    const shown = ({ name, description, type, nb_users }) => ({ name, description, type, nb_users });
    await roles.createRole({ name: 'Editors', description: 'edit', permissions: {}, users: [] });
    const { id } = await named('Editors');
    const made = shown(await named('Editors'));
    await roles.updateRole(id, { name: 'Writers', description: 'write', permissions: {} });
    const changed = shown(await named('Writers'));
    const { id: open } = await named('Public');
    await roles.deleteRole(id, open);
    return {
      made,
      changed,
      left: (await named('Writers')) ?? null,
      none: await outcome(roles.updateRole(99999, { name: 'x' })),
    };
  },
}));
