import {
  bytes,
  flag,
  integerFrom,
  interval,
  numbers,
  oneOf,
  optional,
  orNull,
  recordOrText,
  textOrNumber,
  textSetting,
  texts,
} from './readers.js';
import { inFile, setting } from './setting.js';

const MEGABYTE = 1_000_000;
const DAY = 86_400;

/** The mask of secrets in `config dump`. */
export const hidden = (): string => '***';

/** config/plugins: the plugins that Mangrove implements. */
export const PLUGINS = {
  i18n: {
    ...inFile('plugins', 'i18n.config', {
      defaultLocale: setting(textSetting, 'en').about('the locale that is used if the caller names none'),
      locales: setting(texts, ['en']).about('the locales of the project'),
    }),
    given: setting(flag, false).about('false: nobody set them, so those of an import are used'),
  },
  upload: inFile('plugins', 'upload.config', {
    provider: setting(oneOf('local', 'gridfs'), 'local').about(
      '`local`: `public/uploads`; `gridfs`: in the database',
    ),
    sizeLimit: setting(bytes, 1000 * MEGABYTE).about('maximum bytes per file'),
    maxPixels: setting(integerFrom(1), 50_000_000).about('maximum pixels of an image, over all frames'),
    breakpoints: setting(numbers, { large: 1000, medium: 750, small: 500 }).about(
      'longest side in pixels of `large`, `medium`, `small`',
    ),
    security: {
      allowedTypes: setting(texts, []).about('MIME types or `image/*`; empty: all'),
      deniedTypes: setting(texts, []).about('types that are rejected, in the same form'),
    },
  }),
  usersPermissions: {
    ...inFile('plugins', 'users-permissions.config', {
      jwt: {
        expiresIn: setting(textOrNumber, '30d').about('how long sign-in tokens are valid: `30d`, or seconds'),
      },
      jwtManagement: setting(oneOf('legacy-support', 'refresh'), 'legacy-support').about(
        '`refresh`: short-lived tokens and sessions',
      ),
      sessions: {
        accessTokenLifespan: setting(integerFrom(1), 600).about('seconds'),
        idleRefreshTokenLifespan: setting(integerFrom(1), 14 * DAY).about('seconds'),
        maxRefreshTokenLifespan: setting(integerFrom(1), 30 * DAY).about('seconds'),
        httpOnly: setting(flag, false).about('keep refresh tokens in a cookie'),
      },
      register: {
        allowedFields: setting(texts, []).about('attributes that a registration may set'),
      },
      ratelimit: {
        enabled: setting(flag, true).about('limit sign-in attempts'),
        interval: setting(interval, 60_000).about(
          'milliseconds, or `{ min: 5 }` with `ms`, `sec`, `min`, `hour`, `day`',
        ),
        max: setting(integerFrom(1), 10).about(
          'maximum attempts from one address on one account in that time',
        ),
        maxPerAddress: setting(integerFrom(1), 60).about(
          'maximum attempts from one address in that time, on all accounts',
        ),
      },
      // Strapi's advanced settings by their original names.
      advanced: {
        unique_email: setting(flag, true).about('an email address can belong to only one account'),
        allow_register: setting(flag, true).about('anyone may register'),
        email_confirmation: setting(flag, false).about(
          'an account must confirm its email address before signing in',
        ),
        email_reset_password: setting(orNull(textSetting), null).about('the page that the email links to'),
        email_confirmation_redirection: setting(orNull(textSetting), null).about(
          'the page shown after confirming',
        ),
        default_role: setting(textSetting, 'authenticated').about('the role of new accounts'),
      },
    }),
    advancedGiven: setting(texts, []).about(
      'the advanced settings that somebody set: the others are those of an import',
    ),
  },
  email: inFile('plugins', 'email.config', {
    providerOptions: setting(recordOrText, null)
      .about(
        "nodemailer's transport options; null: emails are printed in the log. Needs `nodemailer`, an optional dependency that npm installs by default",
      )
      .masked((options) => options && hidden()),
    settings: {
      defaultFrom: setting(optional(textSetting), undefined).about('the sender address'),
      defaultReplyTo: setting(optional(textSetting), undefined).about('the reply-to address'),
    },
  }),
};
