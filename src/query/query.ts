/** A query as a value: read from its text at most once, and only when somebody asks what it says. */
import { isPlainObject } from '../values/plain-object.js';
import type { RawObject } from './ast.js';
import { isLookedAt } from './check/root.js';
import { parseQueryText } from './parse.js';
import type { QueryLimits, QueryMode, QuerySettings } from './settings.js';

export interface Query {
  /** By which rules it is read: those of a request, or those of a call of the Document Service. */
  readonly mode: QueryMode;
  /** Equal for queries that ask the same, so that what was made of one serves the next; null where no text can say that. */
  readonly key: string | null;
  /** Its parameters. Throws the 400 of a query string that is out of bounds. */
  readonly params: RawObject;
  /** The query string of a request; absent: it came as parameters. */
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

/** The parameters of a call, or those that a request was given in place of its own. */
export const paramsQuery = (params: RawObject, mode: QueryMode = 'service'): Query => ({
  mode,
  key: isJson(params) ? `json ${JSON.stringify(params)}` : null,
  params,
});

/**
 * What a query asks, as a string that is the same however it is written: its parameters in one order, without those that nothing looks
 * at. For parameters of queries with a key.
 */
export function contentOf(params: RawObject, { strictParams }: Pick<QuerySettings, 'strictParams'>): string {
  const names = Object.keys(params).sort();
  const asked = strictParams ? names : names.filter(isLookedAt);
  return JSON.stringify(Object.fromEntries(asked.map((name) => [name, params[name]])));
}

/** The same without the parameters that concern something else. */
export const pickParams = ({ params, mode }: Query, names: readonly string[]): Query =>
  paramsQuery(Object.fromEntries(Object.entries(params).filter(([name]) => names.includes(name))), mode);

/** Whether the JSON of a value says all of it: of a date, say, two different values have one. */
function isJson(value: unknown): boolean {
  if (typeof value !== 'object' || value === null)
    return value === undefined || value === null || ['string', 'number', 'boolean'].includes(typeof value);
  if (Array.isArray(value)) return value.every(isJson);
  return isPlainObject(value) && Object.values(value).every(isJson);
}
