const { errors } = require('@strapi/utils');

module.exports = {
  beforeCreate({ params: { data } }) {
    data.title = data.title.toUpperCase();
    data.seen = data.title.length;
  },
  beforeDelete() {
    throw new errors.ForbiddenError('tasks stay');
  },
};
