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
import { settingsOf } from './setting.js';

const MEGABYTE = 1_000_000;
const DAY = 86_400;

export const plugins = settingsOf('plugins');
export const up = 'users-permissions.config';

/** For `config dump`. */
export const hidden = (): string => '***';

/** config/plugins: the plugins whose work Mangrove does. */
export const PLUGINS = {
  i18n: {
    defaultLocale: plugins(
      'i18n.config.defaultLocale',
      text,
      'en',
      'read and written where the caller names no locale',
    ),
    locales: plugins('i18n.config.locales', texts, ['en'], 'the locales of the project'),
    given: settingsOf(null)('', flag, false, 'false: nobody set them, so those of an import are used'),
  },
  upload: {
    provider: plugins(
      'upload.config.provider',
      oneOf('local', 'gridfs'),
      'local',
      '`local`: `public/uploads`; `gridfs`: in the database',
    ),
    sizeLimit: plugins('upload.config.sizeLimit', bytes, 1000 * MEGABYTE, 'bytes of one file'),
    maxPixels: plugins(
      'upload.config.maxPixels',
      integer(1),
      50_000_000,
      'pixels of one image, of all its frames',
    ),
    breakpoints: plugins(
      'upload.config.breakpoints',
      numbers,
      { large: 1000, medium: 750, small: 500 },
      'longest side in pixels of `large`, `medium`, `small`',
    ),
    security: {
      allowedTypes: plugins(
        'upload.config.security.allowedTypes',
        texts,
        [],
        'MIME types or `image/*`; empty: all',
      ),
      deniedTypes: plugins('upload.config.security.deniedTypes', texts, [], 'the same, refused'),
    },
  },
  usersPermissions: {
    jwt: {
      expiresIn: plugins(
        `${up}.jwt.expiresIn`,
        textOrNumber,
        '30d',
        'how long sign-in tokens are valid: `30d`, or seconds',
      ),
    },
    jwtManagement: plugins(
      `${up}.jwtManagement`,
      oneOf('legacy-support', 'refresh'),
      'legacy-support',
      '`refresh`: short tokens and sessions',
    ),
    sessions: {
      accessTokenLifespan: plugins(`${up}.sessions.accessTokenLifespan`, integer(1), 600, 'seconds'),
      idleRefreshTokenLifespan: plugins(
        `${up}.sessions.idleRefreshTokenLifespan`,
        integer(1),
        14 * DAY,
        'seconds',
      ),
      maxRefreshTokenLifespan: plugins(
        `${up}.sessions.maxRefreshTokenLifespan`,
        integer(1),
        30 * DAY,
        'seconds',
      ),
      httpOnly: plugins(`${up}.sessions.httpOnly`, flag, false, 'refresh tokens in a cookie'),
    },
    register: {
      allowedFields: plugins(
        `${up}.register.allowedFields`,
        texts,
        [],
        'attributes that a registration may set',
      ),
    },
    ratelimit: {
      enabled: plugins(`${up}.ratelimit.enabled`, flag, true, 'limits sign-in attempts'),
      interval: plugins(
        `${up}.ratelimit.interval`,
        interval,
        60_000,
        'milliseconds, or `{ min: 5 }` with `ms`, `sec`, `min`, `hour`, `day`',
      ),
      max: plugins(
        `${up}.ratelimit.max`,
        integer(1),
        10,
        'attempts of one address on one account in that time',
      ),
      maxPerAddress: plugins(
        `${up}.ratelimit.maxPerAddress`,
        integer(1),
        60,
        'attempts of one address in that time, on whatever accounts',
      ),
    },
    // Strapi's advanced settings by their own names (rules H.4).
    advanced: {
      unique_email: plugins(
        `${up}.advanced.unique_email`,
        flag,
        true,
        'an email address belongs to one account',
      ),
      allow_register: plugins(`${up}.advanced.allow_register`, flag, true, 'anyone may register'),
      email_confirmation: plugins(
        `${up}.advanced.email_confirmation`,
        flag,
        false,
        'an account must confirm its email address before it signs in',
      ),
      email_reset_password: plugins(
        `${up}.advanced.email_reset_password`,
        orNull(text),
        null,
        'page that the email links to',
      ),
      email_confirmation_redirection: plugins(
        `${up}.advanced.email_confirmation_redirection`,
        orNull(text),
        null,
        'page after confirming',
      ),
      default_role: plugins(`${up}.advanced.default_role`, text, 'authenticated', 'role of a new account'),
    },
  },
  email: {
    providerOptions: plugins(
      'email.config.providerOptions',
      recordOrText,
      null,
      "nodemailer's transport; null: emails are shown in the log",
    ).masked((options) => options && hidden()),
    settings: {
      defaultFrom: plugins('email.config.settings.defaultFrom', optional(text), undefined, 'sender'),
      defaultReplyTo: plugins(
        'email.config.settings.defaultReplyTo',
        optional(text),
        undefined,
        'answers go here',
      ),
    },
  },
};
