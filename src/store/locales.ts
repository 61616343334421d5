import type { Collection } from 'mongodb';
import { insertedFirst } from './connection/insert.js';
import { settingsOf } from './connection/settings.js';
import type { Store } from './connection/store.js';

/**
 * A locale as `GET /i18n/locales` returns it. The configuration decides which locales exist; their ids are
 * kept here.
 */
interface StoredLocale {
  readonly id: number;
  readonly documentId: string;
  readonly name: string;
  readonly code: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly publishedAt: Date;
}

const locales = (store: Store): Collection<StoredLocale & { readonly _id: string }> =>
  store.db.collection('mangrove.locales');

export const listLocales = (store: Store): Promise<StoredLocale[]> =>
  locales(store)
    .find({}, { projection: { _id: 0 } })
    .sort({ id: 1 })
    .toArray();

/** Inserts a locale unless another process, which started at the same moment, has. */
export const insertLocale = async (store: Store, locale: StoredLocale): Promise<void> => {
  await insertedFirst(locales(store), { ...locale, _id: locale.code });
};

interface StoredSettings {
  readonly _id: string;
  readonly codes: readonly string[];
  readonly defaultLocale: string | null;
}

const settings = ({ db }: Store) => settingsOf<StoredSettings>(db);

/** The locales and the default locale from imports; used if the configuration names none. */
export const readLocaleSettings = async (
  store: Store,
): Promise<Pick<StoredSettings, 'codes' | 'defaultLocale'> | null> =>
  settings(store).findOne({ _id: 'locales' }, { projection: { _id: 0 } });

export const writeLocaleSettings = async (
  store: Store,
  { codes, defaultLocale }: Pick<StoredSettings, 'codes' | 'defaultLocale'>,
): Promise<void> => {
  await settings(store).replaceOne({ _id: 'locales' }, { codes, defaultLocale }, { upsert: true });
};

/** Deletes the locales that the configuration no longer names. Their entries stay. */
export const keepLocales = async (store: Store, codes: readonly string[]): Promise<void> => {
  await locales(store).deleteMany({ code: { $nin: [...codes] } });
};

const linksAcrossLocales = ({ db }: Store) =>
  settingsOf<{ readonly _id: string; readonly attributes: readonly string[] }>(db);

/** The relations (`relationKey`) for which imports stored references to entries in other locales. */
export const readLinksAcrossLocales = async (store: Store): Promise<readonly string[]> =>
  (await linksAcrossLocales(store).findOne({ _id: 'linksAcrossLocales' }))?.attributes ?? [];

export const writeLinksAcrossLocales = async (store: Store, attributes: readonly string[]): Promise<void> => {
  await linksAcrossLocales(store).replaceOne({ _id: 'linksAcrossLocales' }, { attributes }, { upsert: true });
};
