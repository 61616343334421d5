import type { Store } from '../store/client.js';
import { highestId } from '../store/entries/entries.js';
import { createSequences } from '../store/entries/sequence.js';
import { insertLocale, keepLocales, listLocales } from '../store/locales.js';
import { createDocumentId } from './document-id.js';

/** `French (fr)`, as Strapi names its locales. */
const nameOf = (code: string): string => {
  const name = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'code' }).of(code) ?? code;
  return `${name} (${code})`;
};

/**
 * Makes the stored locales, which `GET /i18n/locales` shows, agree with the configuration; existing locales
 * keep their ids.
 */
export async function syncLocales(store: Store, codes: readonly string[]): Promise<void> {
  const known = new Set((await listLocales(store)).map((locale) => locale.code));
  const missing = codes.filter((code) => !known.has(code));
  const sequences = createSequences(
    store,
    (name) => highestId(store.db, name),
    () => 1,
  );
  const ids = await sequences.take('mangrove.locales', missing.length);
  for (const [at, id] of ids.entries()) {
    const code = missing[at] ?? '';
    const now = new Date();
    const documentId = createDocumentId();
    await insertLocale(store, {
      id,
      documentId,
      name: nameOf(code),
      code,
      createdAt: now,
      updatedAt: now,
      publishedAt: now,
    });
  }
  await keepLocales(store, codes);
}
