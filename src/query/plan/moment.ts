import { errors } from '../../errors.js';
import type { ContentType } from '../../schema/types.js';
import { isAbsent } from '../../values/absent.js';
import { parseInstant } from '../../values/instant.js';
import type { RawValue } from '../ast.js';
import { invalidKey } from '../check/check-context.js';
import type { Moment } from '../read-plan.js';
import type { QueryScope } from '../settings.js';
import { quote } from '../values.js';

/** The action that opens the past of a type. */
const versionsAction = ({ uid }: Pick<ContentType, 'uid'>): string => `${uid}.findVersions`;

/** What a filter takes for a time may be a number: seconds, for example, would be a day in 1970. */
const DATE = /^\d{4}-\d{2}-\d{2}/;

/**
 * `at`: the time at which entries are read; null: now. Throws a 400 for anything but a time that has passed and for
 * writes, and a 403 for a caller who may not read versions.
 */
export function planMoment(
  raw: RawValue,
  type: ContentType,
  { schema, caller, settings }: QueryScope,
  isRead: boolean,
): Moment | null {
  if (raw === undefined || type.history === null) return null;
  if (!isRead) throw invalidKey({ settings, param: 'at' }, 'at', null);
  const at = raw instanceof Date ? raw : typeof raw === 'string' && DATE.test(raw) ? parseInstant(raw) : null;
  if (isAbsent(at) || Number.isNaN(at.getTime()) || at.getTime() > Date.now())
    throw errors.validation(
      'moment-invalid',
      `Invalid value for 'at'. Expected a time that has passed, such as 2026-01-31T09:00:00Z, received: ${quote(raw)}`,
      { source: 'query', param: 'at' },
    );
  const mayRead = (one: ContentType): boolean => caller.grants?.allows(versionsAction(one)) ?? true;
  if (!mayRead(type)) throw errors.forbidden();
  const kept = [...schema.contentTypes.values()].filter((one) => one.history !== null && mayRead(one));
  return { at, uids: new Set(kept.map(({ uid }) => uid)) };
}
