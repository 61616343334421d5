// Mangrove's settings set to Strapi's behaviour, as test/conformance/README.md requires ("Server settings that the answers assume").
export const conformanceSettings = {
  rest: { componentIds: true, publicDrafts: true },
  documents: { stableIds: false },
  plugins: { i18n: { defaultLocale: 'en', locales: ['en', 'fr', 'de'] } },
};
