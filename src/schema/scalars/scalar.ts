import type { ErrorCode } from '../../error-codes.js';
import type { PlainObject } from '../../values/plain-object.js';

/** A value in stored form, wrapped because null is a valid JSON value; or why the value does not fit. */
export type Cast = { readonly value: unknown } | Misfit;

interface Misfit {
  readonly code: ErrorCode;
  readonly message: string;
}

export const fits = (value: unknown): Cast => ({ value });
export const misfit = (code: ErrorCode, message: string): Misfit => ({ code, message });

/** The result if a value cannot be a default of the type. */
export const UNFIT: unique symbol = Symbol('unfit');

/** The BSON type of a stored value; `json` may be any. */
export type StoredForm = 'string' | 'number' | 'long' | 'decimal' | 'boolean' | 'date' | 'json';

/** The limits that an attribute can set for its values. */
export interface ScalarLimits {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly regex?: RegExp;
  readonly min?: number | string;
  readonly max?: number | string;
  readonly enum?: readonly string[];
}

/** The properties of an attribute that validation rules depend on. */
export interface JudgedAttribute extends ScalarLimits {
  readonly type: string;
  readonly required: boolean;
  /** Whether other programs store its values. */
  readonly adopted: boolean;
}

/** How dates are represented in a response. */
export interface ShowOptions {
  /** As ISO text; otherwise as `Date`s, which JSON writes the same way. */
  readonly textDates: boolean;
}

/** The definition of a scalar type. */
export interface Scalar {
  readonly stored: StoredForm;
  /** Whether text operators and search apply to it. */
  readonly isText?: boolean;
  /** As in Strapi, entries may have equal values, whatever the schema says. */
  readonly neverUnique?: true;
  /** Options in a schema file besides those of all attributes, as JSON Schema. */
  readonly options?: Readonly<Record<string, object>>;
  /** The required ones among these options. */
  readonly requiredOptions?: readonly string[];
  /**
   * The default of a schema file in the form that is used, or UNFIT.
   * @param options the values of an enumeration
   */
  readDefault(value: unknown, options: readonly string[]): unknown;
  /** The defaults that `readDefault` accepts, for messages. */
  readonly defaultWords: string;
  /** Reads a value of a query other than null. */
  fromQuery(value: unknown): Cast;
  /** Whether the message of `fromQuery` is Strapi's own and used unchanged. */
  readonly refusesAsStrapi?: boolean;
  /** Coerces a value of a body, so that `rule` can validate it. If absent, it is not changed. */
  readonly fromBody?: (value: unknown) => unknown;
  /** JSON Schema for a coerced value, with the keywords of documents/validate. `strict`: not a draft. */
  rule(attribute: JudgedAttribute, strict: boolean): PlainObject;
  /**
   * Converts a valid value other than null to its stored form; throws a 400. If absent, it is not changed.
   */
  readonly store?: (value: unknown) => unknown;
  /** Converts a stored value to its form in responses; undefined if they are the same. */
  readonly show?: (options: ShowOptions) => ((value: unknown) => unknown) | undefined;
  /** TypeScript types of the value in a response, and in a body if that accepts more. */
  readonly answerType: string;
  readonly inputType?: string;
  /** The same as JSON Schema, for clients in any language. */
  readonly described: Described;
}

/** JSON Schemas of a type's values. */
interface Described {
  /** Name of the set of conditions for such values; types with the same name share it. */
  readonly operand: string;
  readonly answer: PlainObject;
  /** In a body, if it accepts more than responses contain. */
  readonly input?: PlainObject;
  /** In a query. */
  readonly query: PlainObject;
}
