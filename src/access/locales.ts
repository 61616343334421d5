import { createDocumentId } from '../documents/document-id.js';
import type { Store } from '../store/client.js';
import type { Sequences } from '../store/entries/sequence.js';
import { insertLocale, keepLocales, listLocales } from '../store/locales.js';
import { nextId } from './deps.js';

/** `French (fr)`, as Strapi names its locales. */
const nameOf = (code: string): string => {
  const name = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'code' }).of(code) ?? code;
  return `${name} (${code})`;
};

/** Makes what `GET /i18n/locales` shows agree with the configuration; known locales keep their numbers. */
export const syncLocales = async (
  store: Store,
  sequences: Sequences,
  codes: readonly string[],
): Promise<void> => {
  const known = new Set((await listLocales(store)).map((locale) => locale.code));
  for (const code of codes.filter((code) => !known.has(code))) {
    const now = new Date();
    await insertLocale(store, {
      id: await nextId(sequences, 'mangrove.locales'),
      documentId: createDocumentId(),
      name: nameOf(code),
      code,
      createdAt: now,
      updatedAt: now,
      publishedAt: now,
    });
  }
  await keepLocales(store, codes);
};
