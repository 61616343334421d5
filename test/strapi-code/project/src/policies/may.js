module.exports = (policyContext, config, { strapi }) => {
  if (!strapi.config.get('server.host')) return false;
  return policyContext.request.headers[config.header] === 'yes';
};
