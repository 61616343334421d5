// Mangrove's switches on Strapi's side, as test/conformance/README.md asks ("Server settings that the answers assume").
export const conformanceSettings = {
  rest: { componentIds: true, publicDrafts: true },
  documents: { stableIds: false },
  plugins: { i18n: { defaultLocale: 'en', locales: ['en', 'fr', 'de'] } },
};
