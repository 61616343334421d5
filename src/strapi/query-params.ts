import type { ContentType } from '../schema/types.js';
import { objectAt } from '../values/plain-object.js';
import type { Values } from './types.js';

/** The parameters of services that every caller of the REST API may pass, too. */
const ALLOWED = [
  '_q',
  'filters',
  'sort',
  'fields',
  'populate',
  'page',
  'pageSize',
  'start',
  'limit',
  'status',
];

/** Only the parameters of reads: users-permissions ignores others. */
export const allowedParams = (params: unknown): Values =>
  Object.fromEntries(Object.entries(objectAt(params)).filter(([name]) => ALLOWED.includes(name)));

/** As in Strapi, services read both ids as well. */
const selectOf = (fields: unknown): unknown =>
  fields === '*' ? fields : ['id', 'documentId', ...[fields].flat().flatMap((one) => String(one).split(','))];

/** Parameters of Strapi's services as those of its query engine: `filters` is `where`, `fields` is `select`. */
export function queryParams(given: unknown, type: ContentType): Values {
  const { filters, sort, fields, start, limit, status, ...rest }: Values = { ...objectAt(given) };
  const version = { publishedAt: { [status === 'draft' ? '$null' : '$notNull']: true } };
  const hasVersions = type.draftAndPublish && status !== undefined;
  // Rows are told apart by `publishedAt` at the top of `where`.
  const where = hasVersions ? { ...version, ...(filters !== undefined && { $and: [filters] }) } : filters;
  return {
    ...rest,
    ...(where !== undefined && { where }),
    ...(sort !== undefined && { orderBy: sort }),
    ...(fields !== undefined && { select: selectOf(fields) }),
    ...(start !== undefined && { offset: start }),
    ...(limit !== undefined && { limit }),
  };
}
