module.exports = (policyContext) => policyContext.request.query.deny !== '1';
