import { settingsOf } from './connection/settings.js';
import type { Store } from './connection/store.js';

/** Advanced settings of accounts by name, such as `allow_register`. */
export type AccountSettings = Readonly<Record<string, unknown>>;

interface Stored {
  readonly _id: string;
  readonly advanced: AccountSettings;
}

/** The settings of accounts of the last import; each is used unless the configuration sets it. */
export const readAccountSettings = async ({ db }: Store): Promise<AccountSettings> =>
  (await settingsOf<Stored>(db).findOne({ _id: 'accounts' }))?.advanced ?? {};

export const writeAccountSettings = async ({ db }: Store, advanced: AccountSettings): Promise<void> => {
  await settingsOf<Stored>(db).replaceOne({ _id: 'accounts' }, { advanced }, { upsert: true });
};
