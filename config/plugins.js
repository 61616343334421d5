export default ({ env }) => ({
  i18n: { config: { defaultLocale: 'en', locales: ['en', 'fr'] } },
  upload: { config: { sizeLimit: 10_000_000, breakpoints: { large: 1000, medium: 750, small: 500 } } },
  'users-permissions': {
    config: { jwt: { expiresIn: env('JWT_EXPIRES_IN', '30d') }, register: { allowedFields: [] } },
  },
});
