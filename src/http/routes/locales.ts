import { listLocales } from '../../store/locales.js';
import type { Route } from '../context.js';

/** `GET /i18n/locales`: the locales of the project, with the default marked. A bare array, as in Strapi. */
export const localeRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/i18n/locales',
    action: 'plugin::i18n.locales.listLocales',
    controller: async (ctx, _, { config, store }) => {
      const locales = await listLocales(store);
      ctx.body = locales.map((locale) => ({
        ...locale,
        isDefault: locale.code === config.plugins.i18n.defaultLocale,
      }));
    },
  },
];
