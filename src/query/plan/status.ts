import { errors } from '../../errors.js';
import type { ContentType } from '../../schema/types.js';
import type { RawValue } from '../ast.js';
import type { Caller, Status } from '../read-plan.js';
import type { QuerySettings } from '../settings.js';
import { isAbsent, quote } from '../values.js';

/**
 * `status` (rules A.8): absent means published over REST and draft in the Document Service; any unknown word means draft, or
 * is a 400 where values are strict. Strangers get drafts only where the settings allow it: else 403 (rules 0.4, row 2).
 */
export function planStatus(
  raw: RawValue,
  type: ContentType,
  caller: Caller,
  settings: QuerySettings,
): Status {
  const status = readStatus(raw, settings);
  const refused = status === 'draft' && caller.anonymous === true && !settings.publicDrafts;
  if (refused && !isAbsent(raw) && type.draftAndPublish) throw errors.forbidden();
  return refused ? 'published' : status;
}

function readStatus(raw: RawValue, settings: QuerySettings): Status {
  if (raw === 'published' || raw === 'draft') return raw;
  if (raw === undefined) return settings.mode === 'rest' ? 'published' : 'draft';
  if (settings.strictValues && raw !== '' && raw !== null)
    throw errors.validation(
      'strict-status-invalid',
      `Invalid parameter at 'status'. Expected 'published' or 'draft', received: ${quote(raw)}`,
    );
  return 'draft';
}
