import { errors } from '../errors.js';
import type { RawObject } from '../query/ast.js';
import { paramsQuery, type Query } from '../query/query.js';
import type { QueryMode } from '../query/settings.js';
import type { PlainObject } from '../values/plain-object.js';

/** A parameter that only middlewares of `useInside` give: see `Call`. */
export const COPIED = Symbol('mangrove.copied');

/** Values of scalars by the locale of the entry; null where there are none. */
export type CopiedValues = ReadonlyMap<string | null, PlainObject>;

/**
 * A call of the Document Service. The parameters of a script are taken apart once, by `callOf`; a request is a
 * call from the start; middlewares see either as parameters again, by `paramsOf`.
 */
export interface Call {
  /** As given: see `ofDocument`. Undefined if there is none. */
  readonly documentId: unknown;
  /** Undefined if there is none. */
  readonly data: unknown;
  /** As given; a write by a request has those that its query selects. */
  readonly status: unknown;
  readonly locale: unknown;
  /** What an entry that is copied from the other version has in place of its values. */
  readonly copied?: CopiedValues;
  /** All other parameters; of reads, also `status` and `locale`. */
  readonly query: Query;
}

/** A call for one document. */
export interface DocumentCall extends Call {
  readonly documentId: string;
}

/** @param mode the rules that the query follows */
export function callOf(params: object, mode: QueryMode = 'service'): Call {
  const { [COPIED]: copied, ...named }: { readonly [COPIED]?: CopiedValues } = params;
  const { documentId, data, ...query } = named as RawObject;
  const { status, locale } = query;
  return {
    ...{ documentId, data, status, locale, query: paramsQuery(query, mode) },
    ...(copied && { copied }),
  };
}

/** The call as one object of parameters, which may be changed. */
export const paramsOf = ({ query, copied, ...named }: Call): object => ({
  ...query.params,
  ...(copied && { [COPIED]: copied }),
  ...Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined)),
});

/**
 * The call with its documentId as a string. Without one, as when code passes on what it did not find, there is no
 * such document, as in Strapi. Throws a 400 for anything else but a string or number: an object would act as a
 * query.
 */
export function ofDocument(call: Call): DocumentCall {
  const { documentId } = call;
  if (documentId === undefined || documentId === null) return { ...call, documentId: '' };
  if (typeof documentId === 'string' || typeof documentId === 'number')
    return { ...call, documentId: String(documentId) };
  throw errors.validation('document-id-not-a-string', 'documentId must be a string');
}
