/** A query as a value: parsed at most once, when its parameters are first needed. */
import { isPlainObject } from '../values/plain-object.js';
import type { RawObject } from './ast.js';
import { isReadParam } from './params.js';
import { parseQueryText } from './parse.js';
import type { QueryLimits, QueryMode } from './settings.js';

export interface Query {
  /** The rules it follows: those of a request or of a Document Service call. */
  readonly mode: QueryMode;
  /** Equal for equal queries, as a key for caches; null if the query cannot be expressed as text. */
  readonly key: string | null;
  /** Its parameters. Throws a 400 for a query string that exceeds the limits. */
  readonly params: RawObject;
  /** The query string of a request; absent if the query was given as parameters. */
  readonly text?: string;
}

/** The query string of a request, without `?`. */
export const textQuery = (text: string, limits?: QueryLimits): Query => new TextQuery(text, limits);

class TextQuery implements Query {
  readonly mode = 'rest';
  readonly key: string;
  readonly text: string;
  private readonly limits: QueryLimits | undefined;
  private parsed: RawObject | undefined;

  constructor(text: string, limits: QueryLimits | undefined) {
    this.key = `text ${text}`;
    this.text = text;
    this.limits = limits;
  }

  get params(): RawObject {
    this.parsed ??= parseQueryText(this.text, this.limits);
    return this.parsed;
  }
}

/** The parameters of a call, or those that replace the parameters of a request. */
export const paramsQuery = (params: RawObject, mode: QueryMode = 'service'): Query => ({
  mode,
  key: isText(params) ? `json ${JSON.stringify(params)}` : null,
  params,
});

/** The query with only some of its parameters. */
export const pickParams = ({ params, mode }: Query, names: readonly string[]): Query =>
  paramsQuery(Object.fromEntries(Object.entries(params).filter(([name]) => names.includes(name))), mode);

/** Whether JSON represents parameters exactly. An object that is none of a read's parameters is not looked into. */
const isText = (params: RawObject): boolean =>
  isPlainObject(params) &&
  Object.entries(params).every(
    ([name, value]) => (isReadParam(name) || typeof value !== 'object' || value === null) && isJson(value),
  );

/**
 * Whether JSON represents a value exactly. It does not for a date, for example, whose JSON is that of a
 * string.
 */
function isJson(value: unknown): boolean {
  if (typeof value !== 'object' || value === null)
    return value === undefined || value === null || ['string', 'number', 'boolean'].includes(typeof value);
  if (Array.isArray(value)) return value.every(isJson);
  return isPlainObject(value) && Object.values(value).every(isJson);
}
