module.exports = require('@strapi/strapi').factories.createCoreService('api::task.task');
