/** The REST API. Every setting: docs/configuration.md. */
export default {
  rest: {
    prefix: '/api',
    defaultLimit: 25,
    maxLimit: 100,
    withCount: true,
    // Set these to true for Strapi's behaviour.
    componentIds: false,
    publicDrafts: false,
  },
};
