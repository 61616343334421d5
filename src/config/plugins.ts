import type { AppEvent } from '../events/events.js';
import { isPlainObject, type PlainObject } from '../values/plain-object.js';
import { type Applied, applySettings } from './apply.js';
import { deepMerge, pick } from './merge.js';

/** The plugins that Mangrove implements. */
const OWN = new Set(['upload', 'users-permissions', 'i18n', 'email']);

/** What is missing without certain plugins of Strapi. */
const MEANING: Readonly<Record<string, string>> = {
  graphql: '/graphql is not served',
  documentation: "the plugin's documentation page is not served",
  sentry: 'errors are not reported to Sentry',
  'content-manager': "it belongs to Strapi's admin panel",
  'content-type-builder': "it belongs to Strapi's admin panel",
  'content-releases': 'no releases are published on schedule',
  'review-workflows': "it belongs to Strapi's admin panel",
  cloud: "it belongs to Strapi's hosting",
};

const LOCAL_UPLOADS = '@strapi/provider-upload-local';
const EMAIL_PROVIDERS = new Set([
  'nodemailer',
  '@strapi/provider-email-nodemailer',
  'strapi-provider-email-nodemailer',
]);

/**
 * Reads config/plugins: the settings of the plugins that Mangrove implements, and a warning for each other
 * one.
 */
export function applyPlugins(label: string, value: unknown): Applied {
  if (!isPlainObject(value)) return applySettings(label, value, 'plugins');
  const local = localIn(value);
  const others = Object.keys(value).filter((name) => !OWN.has(name) && !Object.hasOwn(local, name));
  const own = Object.fromEntries(Object.entries(value).filter(([name]) => OWN.has(name)));
  const replaced = [replaceUpload(label, own), replaceEmail(label, own)];
  const applied = applySettings(
    label,
    replaced.map(({ config }) => config).reduce(deepMerge, own),
    'plugins',
  );
  return {
    ...applied,
    values: deepMerge(applied.values, { code: { plugins: local } }),
    warnings: [
      ...applied.warnings,
      ...replaced.flatMap(({ warnings }) => warnings),
      ...others.filter((name) => !isOff(value[name])).map((name) => absentPlugin(label, name)),
      ...Object.keys(own)
        .filter((name) => isOff(own[name]))
        .map((plugin): AppEvent => ({ name: 'plugin-always-on', file: label, plugin })),
    ],
  };
}

/** The folders of plugins that are not packages, by name. */
const localIn = (value: PlainObject): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, plugin]) => {
      const folder = isPlainObject(plugin) && plugin['enabled'] ? plugin['resolve'] : undefined;
      const isPath = typeof folder === 'string' && /^(?:\.|\/|\w:|src\/)/.test(folder);
      return isPath && !folder.includes('node_modules') ? [[name, folder]] : [];
    }),
  );

const isOff = (plugin: unknown): boolean =>
  plugin === false || (isPlainObject(plugin) && plugin['enabled'] === false);

const absentPlugin = (file: string, plugin: string): AppEvent => {
  const known = Object.hasOwn(MEANING, plugin) ? MEANING[plugin] : undefined;
  return {
    name: 'plugin-missing',
    file,
    plugin,
    meaning: known ?? 'its routes, content types and code are not served',
  };
};

interface Replaced {
  readonly config: PlainObject;
  readonly warnings: readonly AppEvent[];
}
const UNCHANGED: Replaced = { config: {}, warnings: [] };

function replaceUpload(label: string, own: PlainObject): Replaced {
  const provider = pick(own, 'upload.config.provider');
  if (typeof provider !== 'string' || provider === 'local' || provider === 'gridfs') return UNCHANGED;
  return {
    config: { upload: { config: { provider: 'local' } } },
    warnings: provider === LOCAL_UPLOADS ? [] : [{ name: 'upload-provider-missing', file: label, provider }],
  };
}

/** With an unknown provider, emails go to the log. */
function replaceEmail(label: string, own: PlainObject): Replaced {
  const provider = pick(own, 'email.config.provider');
  if (typeof provider !== 'string' || EMAIL_PROVIDERS.has(provider)) return UNCHANGED;
  return {
    config: { email: { config: { providerOptions: null } } },
    warnings: [{ name: 'email-provider-missing', file: label, provider }],
  };
}
