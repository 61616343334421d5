/** Mangrove's; the recorder grants the same in Strapi. */
module.exports = {
  public: [
    ...['find', 'findOne', 'create', 'update', 'popular', 'whole', 'sanitized'].map(
      (name) => `api::article.article.${name}`,
    ),
    'api::author.author.find',
    ...['upload', 'find', 'findOne', 'destroy'].map((name) => `plugin::upload.content-api.${name}`),
  ],
};
