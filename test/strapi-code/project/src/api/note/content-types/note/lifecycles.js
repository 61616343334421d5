module.exports = {
  beforeCreate(event) {
    event.params.data.log = `${event.params.data.log ?? ''}before;`;
    if (event.params.data.text === 'who asks')
      event.params.data.log += strapi.requestContext.get()?.request.method ?? 'nobody';
    event.state.seen = true;
  },
  async afterCreate(event) {
    if (event.result.text === 'taken back') {
      await strapi.documents('api::note.note').create({ data: { text: 'also taken back' } });
      throw new Error('after');
    }
    event.result.log = `${event.result.log}after:${event.state.seen};`;
  },
  beforeUpdate(event) {
    const { errors } = require('@strapi/utils');
    if (event.params.data.text === 'refused') throw new errors.ApplicationError('lifecycle refused');
    event.params.data.rank = 99;
  },
  afterUpdate({ result }) {
    const { errors } = require('@strapi/utils');
    if (result.text === 'refused late') throw new errors.ApplicationError('lifecycle refused late');
  },
};
