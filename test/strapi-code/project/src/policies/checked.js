module.exports = {
  name: 'checked',
  validator(config) {
    if (typeof config.header !== 'string') throw new Error('a header');
  },
  handler: (policyContext, { header }) => policyContext.request.headers[header] === 'yes',
};
