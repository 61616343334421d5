import type { Document } from 'bson';
import type { Query } from '../planner/plan.js';
import { type Collation, isDocument } from '../values/index.js';

/** A pipeline as the query that its first stages are, and what is left. */
export interface Prefix {
  readonly query: Query;
  readonly rest: readonly Document[];
  /** The rest only counts; this makes its one document. */
  readonly counts: ((count: number) => Document) | undefined;
}

const holdsText = (filter: Document): boolean => '$text' in filter;

/** What `$count`, or `$group` of everything into a sum of ones, makes of a count. */
function readCount(rest: readonly Document[]): ((count: number) => Document) | undefined {
  if (rest.length !== 1) return undefined;
  const stage = rest[0] as Document;
  if (typeof stage['$count'] === 'string') return (count) => ({ [stage['$count']]: count });
  const group = stage['$group'];
  if (!isDocument(group)) return undefined;
  const entries = Object.entries(group).filter(([name]) => name !== '_id');
  const [name, sum] = entries[0] ?? [];
  const isConstant = group['_id'] === null || typeof group['_id'] === 'number';
  if (entries.length !== 1 || name === undefined || !isConstant) return undefined;
  if (!isDocument(sum) || Object.keys(sum).length !== 1 || sum['$sum'] !== 1) return undefined;
  return (count) => ({ _id: group['_id'], [name]: count });
}

/** Takes `$match`, `$sort`, `$skip` and `$limit` off the front of a pipeline, as far as they make one query. */
export function takePrefix(stages: readonly Document[], collation?: Collation, variables?: Document): Prefix {
  const filters: Document[] = [];
  let sort: Document | undefined;
  let skip: number | undefined;
  let limit: number | undefined;
  let at = 0;
  for (; at < stages.length; at++) {
    const stage = stages[at] as Document;
    const { $match, $sort, $skip, $limit } = stage;
    if (isDocument($match) && skip === undefined && limit === undefined && !holdsText($match))
      filters.push($match);
    else if (isDocument($sort) && sort === undefined && skip === undefined && limit === undefined)
      sort = $sort;
    else if (isWhole($skip) && limit === undefined) skip = (skip ?? 0) + Number($skip);
    else if (isWhole($limit) && Number($limit) > 0)
      limit = Math.min(limit ?? Number.POSITIVE_INFINITY, Number($limit));
    else break;
  }
  const [first = {}, ...more] = filters.filter((filter) => Object.keys(filter).length > 0);
  const filter = more.length === 0 ? first : { $and: [first, ...more] };
  const rest = stages.slice(at);
  return { query: { filter, sort, skip, limit, collation, variables }, rest, counts: readCount(rest) };
}

const isWhole = (value: unknown): boolean =>
  value !== undefined && typeof value !== 'string' && Number.isInteger(Number(value)) && Number(value) >= 0;
