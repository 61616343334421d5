module.exports = () => ({
  auth: { secret: 'an-admin-secret' },
  apiToken: { salt: 'a-salt-for-tests-that-is-long-enough' },
  transfer: { token: { salt: 'another-salt' } },
});
