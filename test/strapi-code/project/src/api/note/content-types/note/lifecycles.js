module.exports = {
  beforeCreate(event) {
    event.params.data.log = `${event.params.data.log ?? ''}before;`;
    if (event.params.data.text === 'who asks')
      event.params.data.log += strapi.requestContext.get()?.request.method ?? 'nobody';
    event.state.seen = true;
  },
  afterCreate(event) {
    event.result.log = `${event.result.log}after:${event.state.seen};`;
  },
  beforeUpdate(event) {
    const { errors } = require('@strapi/utils');
    if (event.params.data.text === 'refused') throw new errors.ApplicationError('lifecycle refused');
    event.params.data.rank = 99;
  },
};
