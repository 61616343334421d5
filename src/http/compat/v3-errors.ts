import { STATUS_CODES } from 'node:http';
import { objectAt } from '../../values/plain-object.js';

export interface Refused {
  readonly status: number;
  readonly message: string;
  readonly details?: unknown;
}

/**
 * An error in the format of Strapi 3: a missing entry is a bare string, errors of a body are listed by field,
 * and those of accounts as `messages`.
 */
export function errorV3({ status, message, details }: Refused): unknown {
  const error = STATUS_CODES[status] ?? 'Error';
  if (status === 404) return error;
  const { messages } = objectAt(details);
  if (Array.isArray(messages))
    return { statusCode: status, error, message: [{ messages }], data: [{ messages }] };
  const fields = fieldsOf(details);
  return fields === null
    ? { statusCode: status, error, message }
    : { statusCode: status, error, message: 'ValidationError', data: { errors: fields } };
}

function fieldsOf(details: unknown): Readonly<Record<string, readonly string[]>> | null {
  const list =
    typeof details === 'object' && details !== null && 'errors' in details ? details.errors : undefined;
  if (!Array.isArray(list)) return null;
  const fields: Record<string, string[]> = {};
  for (const { path, message } of list as readonly { path: readonly string[]; message: string }[]) {
    const name = path
      .map((step, at) => (/^\d+$/.test(step) ? `[${step}]` : at === 0 ? step : `.${step}`))
      .join('');
    fields[name] = [...(fields[name] ?? []), message];
  }
  return fields;
}
