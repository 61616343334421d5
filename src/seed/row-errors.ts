import { planWrite } from '../documents/plan/plan-write.js';
import { FULL_ACCESS } from '../documents/read/script-request.js';
import { malformedValues, validatorOf } from '../documents/validate/check.js';
import { invalidKeys } from '../documents/validate/input-keys.js';
import { ApiError, errors, type FieldError } from '../errors.js';
import type { SeedError } from './error.js';
import type { Linked } from './references.js';
import type { SeedParts, SeedRow } from './types.js';

type RuleParts = Pick<SeedParts, 'schema' | 'config'>;

/**
 * Everything about a row that is wrong by its schema alone: references that lead nowhere, keys, and values.
 * @param isVersion it completes a document that exists, so it may leave out what that requires
 */
export function rowErrors(
  parts: RuleParts,
  row: SeedRow,
  { data, missing }: Linked,
  isVersion: boolean,
): readonly string[] {
  const keys = invalidKeys(data, row.type, parts.schema, FULL_ACCESS).map(({ message }) => message);
  const faults = faultsOf(parts, row, data, isVersion);
  const values = faults.length > 0 ? [seedErrorMessage(errors.fields(faults))] : [];
  return [...[...missing.values()].flat(), ...keys, ...values];
}

function faultsOf(
  parts: RuleParts,
  { type, data: given, publish }: SeedRow,
  data: Linked['data'],
  isVersion: boolean,
): readonly FieldError[] {
  const plan = planWrite(parts.schema, { type, data, action: isVersion ? 'update' : 'create' });
  const mode = publish || !type.draftAndPublish ? 'published' : 'draft';
  // An attribute that `data` lacks since its targets do not exist yet is not missing in the row.
  const isLeftOut = (name: string): boolean => Object.hasOwn(given, name) && !Object.hasOwn(data, name);
  const faults = validatorOf(parts, type).faults(plan, mode);
  return [...faults, ...malformedValues(plan, faults)].filter(({ path: [name] }) => !isLeftOut(String(name)));
}

/** The message of an error, with the attribute of each detail. */
export function seedErrorMessage(error: SeedError | ApiError): string {
  const list = error instanceof ApiError ? error.details?.['errors'] : undefined;
  if (!Array.isArray(list) || list.length === 0) return error.message;
  return list
    .map(({ path = [], message = '' }: { path?: unknown[]; message?: string }) =>
      path.length > 0 && !message.startsWith(String(path[0])) ? `${path.join('.')}: ${message}` : message,
    )
    .join('; ');
}
