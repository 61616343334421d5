module.exports = ({ strapi }) => ({
  double: (number) => number * 2,
  types: () =>
    Object.keys(strapi.contentTypes)
      .filter((uid) => uid.startsWith('api::'))
      .sort(),
});
