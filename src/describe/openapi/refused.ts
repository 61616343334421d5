/** Responses of refusals, shared by all operations that may give the same. */
import { createHash } from 'node:crypto';
import { ERROR_RESPONSE } from '../contract/errors.js';
import type { Operation } from '../contract/types.js';

const NAMES: Readonly<Record<string, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  413: 'TooLarge',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'Unavailable',
  '4XX': 'Refused',
};

const header = (name: string) => ({ $ref: `#/components/headers/${name}` });

/** Of the same codes always the same name, so that documents can be compared. */
const nameOf = (status: string, codes: readonly string[]): string =>
  `${NAMES[status] ?? `Status${status}`}-${createHash('sha1').update(codes.join(' ')).digest('hex').slice(0, 8)}`;

const response = (codes: readonly string[]): object => ({
  description: `Refused: ${codes.map((code) => `\`${code}\``).join(', ')}`,
  headers: { 'X-Error-Code': header('X-Error-Code'), 'X-Request-Id': header('X-Request-Id') },
  content: { 'application/json': { schema: ERROR_RESPONSE } },
  'x-codes': codes,
});

/** The responses of an operation's refusals, by status, as references. */
export const refusedResponses = ({ refusals }: Operation): Readonly<Record<string, object>> =>
  Object.fromEntries(
    Object.entries(refusals).map(([status, codes]) => [
      status,
      { $ref: `#/components/responses/${nameOf(status, codes)}` },
    ]),
  );

/** All that they refer to, by name. */
export const sharedResponses = (operations: readonly Operation[]): Readonly<Record<string, object>> =>
  Object.fromEntries(
    operations.flatMap(({ refusals }) =>
      Object.entries(refusals).map(([status, codes]) => [nameOf(status, codes), response(codes)] as const),
    ),
  );
