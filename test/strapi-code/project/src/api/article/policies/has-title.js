const { errors } = require('@strapi/utils');

module.exports = (policyContext) => {
  const { data } = policyContext.request.body ?? {};
  if (data?.title === 'policy') throw new errors.PolicyError('no such title', { policy: 'has-title' });
  return data?.title === '' ? false : undefined;
};
