/** Mangrove's; the recorder grants the same in Strapi. */
module.exports = {
  public: [
    ...['find', 'findOne', 'create', 'update', 'popular', 'whole'].map(
      (name) => `api::article.article.${name}`,
    ),
    'api::author.author.find',
  ],
};
