const FILES = 'plugin::upload.content-api';
export const ACCOUNTS = 'plugin::users-permissions';
const PASSWORDS = `${ACCOUNTS}.auth.`;

/** The built-in actions that use a service; one that ends with a dot stands for all that begin with it. */
type Uses = readonly string[];

/** More than some routes depend on the service, so a change of it stops the start. */
const EVERYTHING = null;
const NOTHING: Uses = [];

/**
 * The services of Strapi's plugins, with the built-in actions that use them in Strapi and do not here: they are
 * closed if an extension changes the service. Services that are not listed are the extension's own.
 */
export const USED_BY: Readonly<Record<string, Readonly<Record<string, Uses | null>>>> = {
  'users-permissions': {
    user: [PASSWORDS, `${ACCOUNTS}.user.`],
    role: [`${ACCOUNTS}.role.`],
    // Of the built-in actions, only signing in through another site uses them.
    providers: [`${ACCOUNTS}.auth.connect`],
    'providers-registry': [`${ACCOUNTS}.auth.connect`],
    jwt: EVERYTHING,
    permission: EVERYTHING,
    'users-permissions': EVERYTHING,
  },
  upload: {
    // Its methods are called by the actions (upload-controller.ts).
    upload: NOTHING,
    provider: [`${FILES}.upload`, `${FILES}.destroy`],
    'image-manipulation': [`${FILES}.upload`],
    'api-upload-folder': [`${FILES}.upload`],
    file: EVERYTHING,
    extensions: EVERYTHING,
    folder: NOTHING,
    metrics: NOTHING,
    weeklyMetrics: NOTHING,
    aiMetadata: NOTHING,
    aiMetadataJobs: NOTHING,
  },
  email: { email: ['plugin::email.email.', PASSWORDS] },
  i18n: {
    locales: EVERYTHING,
    localizations: EVERYTHING,
    'content-types': EVERYTHING,
    permissions: EVERYTHING,
    sanitize: EVERYTHING,
    'fill-from-locale': NOTHING,
    'iso-locales': NOTHING,
    metrics: NOTHING,
    settings: NOTHING,
    'ai-localizations': NOTHING,
    'ai-localization-jobs': NOTHING,
  },
};

/** Whether an action is one of those that use a service. */
export const isUsedBy = (action: string, uses: Uses): boolean =>
  uses.some((use) => (use.endsWith('.') ? action.startsWith(use) : action === use));

/** The actions that use each method of the upload service, the one that it is for first. */
export const ACTIONS_OF_METHOD = {
  upload: [`${FILES}.upload`],
  replace: [`${FILES}.upload`],
  updateFileInfo: [`${FILES}.upload`],
  findMany: [`${FILES}.find`],
  findAndCountPage: [`${FILES}.findPage`],
  findOne: [`${FILES}.findOne`, `${FILES}.destroy`],
  remove: [`${FILES}.destroy`],
} as const;

export type UploadMethod = keyof typeof ACTIONS_OF_METHOD;

/** The plugins that Mangrove has, by uid. */
export const EXTENDABLE: readonly string[] = Object.keys(USED_BY).map((name) => `plugin::${name}`);

/** Whether Mangrove has a plugin. As in Strapi, an extension of one that is not there is not run. */
export const isExtendable = (uid: string): boolean => EXTENDABLE.includes(uid);
