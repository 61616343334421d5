import { searchClaims } from '../../documents/claims/search-claims.js';
import { createDocumentId } from '../../documents/document-id.js';
import { insertToken, listTokens } from '../../store/access/tokens.js';
import { raiseAccessVersion } from '../../store/access/version.js';
import { writeAccountSettings } from '../../store/account-settings.js';
import {
  insertLocale,
  listLocales,
  readLinksAcrossLocales,
  writeLinksAcrossLocales,
  writeLocaleSettings,
} from '../../store/locales.js';
import type { Import } from '../run/context.js';
import type { StagedRows } from '../run/rows.js';
import { instantOf } from '../source/convert.js';
import { lost, moved } from '../source/types.js';

/**
 * Writes the locales, the default locale, API tokens and the settings of accounts, and notifies running servers that accounts and roles
 * have changed.
 */
export async function finish(run: Import): Promise<void> {
  if (run.dryRun) return;
  await writeLocales(run);
  await writeTokens(run);
  if (run.state.accountSettings) await writeAccountSettings(run.store, run.state.accountSettings);
  await writeAcrossLocales(run);
  await run.saved(run.state.at);
  await raiseAccessVersion(run.store);
  // The import does not use the Document Service, which maintains claims.
  await searchClaims(run.store, run.schema, true);
}

async function writeLocales({ staging, store, state, givenLocales, report }: Import): Promise<void> {
  const known = await listLocales(store);
  const codes = new Set(known.map(({ code }) => code));
  const taken = new Set(known.map(({ id }) => id));
  let last = Math.max(0, ...taken);
  for await (const batch of staging.batches<StagedRows['locales']>('locales', 'id'))
    for (const { id: wanted, code, name, documentId, ...dates } of batch) {
      if (codes.has(code)) continue;
      const id = wanted !== null && !taken.has(wanted) ? wanted : last + 1;
      last = Math.max(last, id);
      taken.add(id);
      codes.add(code);
      const updatedAt = instantOf(dates.updatedAt) ?? new Date();
      await insertLocale(store, {
        id,
        documentId: documentId ?? createDocumentId(),
        name: name ?? code,
        code,
        createdAt: instantOf(dates.createdAt) ?? updatedAt,
        updatedAt,
        publishedAt: updatedAt,
      });
    }
  const others = givenLocales ? [...codes].filter((code) => !givenLocales.includes(code)) : [];
  if (others.length > 0) {
    const why = `config/plugins i18n.config.locales does not include ${others.join(', ')}: entries in these locales are kept, but the list of locales omits them`;
    report(moved('setting', 'locales', why));
  }
  if (codes.size > 0 || state.defaultLocale !== null)
    await writeLocaleSettings(store, { codes: [...codes], defaultLocale: state.defaultLocale });
}

async function writeAcrossLocales({ store, state: { acrossLocales } }: Import): Promise<void> {
  if (acrossLocales.length === 0) return;
  const known = await readLinksAcrossLocales(store);
  await writeLinksAcrossLocales(store, [...new Set([...known, ...acrossLocales])]);
}

async function writeTokens({ staging, store, report }: Import): Promise<void> {
  const known = await listTokens(store);
  let last = Math.max(0, ...known.map(({ id }) => id));
  for await (const batch of staging.batches<StagedRows['tokens']>('tokens'))
    for (const { _id, ...token } of batch) {
      const same = known.find(({ name, accessKey }) => name === token.name || accessKey === token.accessKey);
      if (same) {
        if (same.accessKey !== token.accessKey)
          report(lost('setting', `token ${token.name}`, 'a token with this name exists'));
        continue;
      }
      last += 1;
      const createdAt = instantOf(token.createdAt) ?? new Date();
      const expiresAt = instantOf(token.expiresAt);
      await insertToken(store, {
        ...token,
        id: last,
        expiresAt,
        lastUsedAt: null,
        createdAt,
        updatedAt: createdAt,
      });
    }
}
