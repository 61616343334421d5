import { searchClaims } from '../../documents/claims/search-claims.js';
import { createDocumentId } from '../../documents/document-id.js';
import { insertToken, listTokens } from '../../store/access/tokens.js';
import { raiseAccessVersion } from '../../store/access/version.js';
import {
  insertLocale,
  listLocales,
  readLinksAcrossLocales,
  writeLinksAcrossLocales,
  writeLocaleSettings,
} from '../../store/locales.js';
import type { Import } from '../run/context.js';
import { Problems } from '../run/state.js';
import { dateOf } from '../source/convert.js';
import { lost, moved, type SourceLocale, type SourceToken } from '../source/types.js';

/** Locales, the default one, and API tokens; and tells running servers that accounts and roles have changed. */
export async function finish(run: Import): Promise<void> {
  if (run.dryRun) return;
  await writeLocales(run);
  await writeTokens(run);
  await writeAcrossLocales(run);
  await raiseAccessVersion(run.store);
  // What was imported is written past the Document Service.
  await searchClaims(run.store, run.schema, true);
}

async function writeLocales({ staging, store, state, givenLocales }: Import): Promise<void> {
  const known = await listLocales(store);
  const codes = new Set(known.map(({ code }) => code));
  const taken = new Set(known.map(({ id }) => id));
  let last = Math.max(0, ...taken);
  for await (const batch of staging.batches<SourceLocale & { _id: string }>('locales', 'id'))
    for (const locale of batch) {
      if (codes.has(locale.code)) continue;
      const id = locale.id !== null && !taken.has(locale.id) ? locale.id : last + 1;
      last = Math.max(last, id);
      taken.add(id);
      codes.add(locale.code);
      const now = new Date();
      const updatedAt = dateOf(locale.updatedAt) ?? now;
      await insertLocale(store, {
        id,
        documentId: locale.documentId ?? createDocumentId(),
        name: locale.name ?? locale.code,
        code: locale.code,
        createdAt: dateOf(locale.createdAt) ?? updatedAt,
        updatedAt,
        publishedAt: updatedAt,
      });
    }
  const others = givenLocales ? [...codes].filter((code) => !givenLocales.includes(code)) : [];
  if (others.length > 0) {
    const problems = new Problems(staging, state);
    const why = `config/plugins i18n.config.locales does not name ${others.join(', ')}: entries in them are kept, the list of locales leaves them out`;
    problems.add(moved('setting', 'locales', why));
    await problems.flush();
  }
  if (codes.size > 0)
    await writeLocaleSettings(store, { codes: [...codes], defaultLocale: state.defaultLocale });
}

async function writeAcrossLocales({ store, state: { acrossLocales } }: Import): Promise<void> {
  if (acrossLocales.length === 0) return;
  const known = await readLinksAcrossLocales(store);
  await writeLinksAcrossLocales(store, [...new Set([...known, ...acrossLocales])]);
}

async function writeTokens({ staging, store, state }: Import): Promise<void> {
  const known = await listTokens(store);
  const problems = new Problems(staging, state);
  let last = Math.max(0, ...known.map(({ id }) => id));
  for await (const batch of staging.batches<SourceToken & { _id: string }>('tokens'))
    for (const token of batch) {
      const same = known.find(({ name, accessKey }) => name === token.name || accessKey === token.accessKey);
      if (same) {
        if (same.accessKey !== token.accessKey)
          problems.add(lost('setting', `token ${token.name}`, 'a token of this name is there'));
        continue;
      }
      last += 1;
      const createdAt = dateOf(token.createdAt) ?? new Date();
      const { name, description, type, accessKey, permissions, lifespan } = token;
      await insertToken(store, {
        id: last,
        name,
        description,
        type,
        accessKey,
        permissions,
        lifespan,
        expiresAt: dateOf(token.expiresAt),
        lastUsedAt: null,
        createdAt,
        updatedAt: createdAt,
      });
    }
  await problems.flush();
}
