import {
  bytes,
  flag,
  integer,
  interval,
  numbers,
  oneOf,
  optional,
  orNull,
  recordOrText,
  text,
  textOrNumber,
  texts,
} from './readers.js';
import { inFile, setting } from './setting.js';

const MEGABYTE = 1_000_000;
const DAY = 86_400;

/** For `config dump`. */
export const hidden = (): string => '***';

/** config/plugins: the plugins whose work Mangrove does. */
export const PLUGINS = {
  i18n: {
    ...inFile('plugins', 'i18n.config', {
      defaultLocale: setting(text, 'en').about('read and written where the caller names no locale'),
      locales: setting(texts, ['en']).about('the locales of the project'),
    }),
    given: setting(flag, false).about('false: nobody set them, so those of an import are used'),
  },
  upload: inFile('plugins', 'upload.config', {
    provider: setting(oneOf('local', 'gridfs'), 'local').about(
      '`local`: `public/uploads`; `gridfs`: in the database',
    ),
    sizeLimit: setting(bytes, 1000 * MEGABYTE).about('bytes of one file'),
    maxPixels: setting(integer(1), 50_000_000).about('pixels of one image, of all its frames'),
    breakpoints: setting(numbers, { large: 1000, medium: 750, small: 500 }).about(
      'longest side in pixels of `large`, `medium`, `small`',
    ),
    security: {
      allowedTypes: setting(texts, []).about('MIME types or `image/*`; empty: all'),
      deniedTypes: setting(texts, []).about('the same, refused'),
    },
  }),
  usersPermissions: inFile('plugins', 'users-permissions.config', {
    jwt: {
      expiresIn: setting(textOrNumber, '30d').about('how long sign-in tokens are valid: `30d`, or seconds'),
    },
    jwtManagement: setting(oneOf('legacy-support', 'refresh'), 'legacy-support').about(
      '`refresh`: short tokens and sessions',
    ),
    sessions: {
      accessTokenLifespan: setting(integer(1), 600).about('seconds'),
      idleRefreshTokenLifespan: setting(integer(1), 14 * DAY).about('seconds'),
      maxRefreshTokenLifespan: setting(integer(1), 30 * DAY).about('seconds'),
      httpOnly: setting(flag, false).about('refresh tokens in a cookie'),
    },
    register: {
      allowedFields: setting(texts, []).about('attributes that a registration may set'),
    },
    ratelimit: {
      enabled: setting(flag, true).about('limits sign-in attempts'),
      interval: setting(interval, 60_000).about(
        'milliseconds, or `{ min: 5 }` with `ms`, `sec`, `min`, `hour`, `day`',
      ),
      max: setting(integer(1), 10).about('attempts of one address on one account in that time'),
      maxPerAddress: setting(integer(1), 60).about(
        'attempts of one address in that time, on whatever accounts',
      ),
    },
    // Strapi's advanced settings by their own names (rules H.4).
    advanced: {
      unique_email: setting(flag, true).about('an email address belongs to one account'),
      allow_register: setting(flag, true).about('anyone may register'),
      email_confirmation: setting(flag, false).about(
        'an account must confirm its email address before it signs in',
      ),
      email_reset_password: setting(orNull(text), null).about('page that the email links to'),
      email_confirmation_redirection: setting(orNull(text), null).about('page after confirming'),
      default_role: setting(text, 'authenticated').about('role of a new account'),
    },
  }),
  email: inFile('plugins', 'email.config', {
    providerOptions: setting(recordOrText, null)
      .about("nodemailer's transport; null: emails are shown in the log")
      .masked((options) => options && hidden()),
    settings: {
      defaultFrom: setting(optional(text), undefined).about('sender'),
      defaultReplyTo: setting(optional(text), undefined).about('answers go here'),
    },
  }),
};
