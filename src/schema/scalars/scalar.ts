import type { ErrorCode } from '../../error-codes.js';
import type { PlainObject } from '../../values/plain-object.js';

/** A value in stored form, wrapped: JSON's own null is a value too. Else what to say of a value that does not fit. */
export type Cast = { readonly value: unknown } | Misfit;

interface Misfit {
  readonly code: ErrorCode;
  readonly message: string;
}

export const fits = (value: unknown): Cast => ({ value });
export const misfit = (code: ErrorCode, message: string): Misfit => ({ code, message });

/** Not a default for this type. */
export const UNFIT: unique symbol = Symbol('unfit');

/** The BSON type of a stored value; `json` may be any. */
export type StoredForm = 'string' | 'number' | 'long' | 'decimal' | 'boolean' | 'date' | 'json';

/** A number; digits or milliseconds as text; any JSON, its numbers wide ones too. */
export type WrittenForm = 'number' | 'digits' | 'milliseconds' | 'json';

/** What an attribute asks of its values. */
export interface ScalarLimits {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly regex?: RegExp;
  readonly min?: number | string;
  readonly max?: number | string;
  readonly enum?: readonly string[];
}

/** An attribute as the rule of its type looks at it. */
export interface JudgedAttribute extends ScalarLimits {
  readonly type: string;
  readonly required: boolean;
  /** Other programs wrote its values. */
  readonly adopted: boolean;
}

/** How dates stand in an answer. */
export interface ShowOptions {
  /** As ISO text. Otherwise they stay `Date`s, which JSON writes the same way. */
  readonly textDates: boolean;
}

/** Everything that Mangrove knows of one scalar type. */
export interface Scalar {
  readonly stored: StoredForm;
  /** Text that text operators and search look into (rules A.14, B.5). */
  readonly isText?: boolean;
  /** Options of a schema file beside those that all attributes have, as JSON Schema (rules D.4). */
  readonly options?: Readonly<Record<string, object>>;
  /** Those of them that must be there. */
  readonly requiredOptions?: readonly string[];
  /**
   * The default of a schema file as it will be used, or UNFIT.
   * @param options the values of an enumeration
   */
  readDefault(value: unknown, options: readonly string[]): unknown;
  /** What `readDefault` takes, for messages. */
  readonly defaultWords: string;
  /** A value of a query, null excepted (rules B.4). */
  fromQuery(value: unknown): Cast;
  /** The message of `fromQuery` is Strapi's own and stands alone (rules B.4). */
  readonly refusesAsStrapi?: boolean;
  /** Coerces a value of a body, so that `rule` can judge it (rules E.4). Absent: taken as it is. */
  readonly fromBody?: (value: unknown) => unknown;
  /** JSON Schema of a coerced value, with the keywords of documents/validate. `strict`: not a draft (rules E.3). */
  rule(attribute: JudgedAttribute, strict: boolean): PlainObject;
  /** A valid value, not null, in stored form. Absent: as it is. Throws a 400. */
  readonly store?: (value: unknown) => unknown;
  /** A stored value as the answer shows it (rules C.3). Undefined: as it is stored. */
  readonly show?: (options: ShowOptions) => ((value: unknown) => unknown) | undefined;
  /** What `show` does, where JSON can be written from stored bytes (render/bytes). Absent: values are shown one by one. */
  readonly written?: WrittenForm;
  /** TypeScript of an answer, and of a body where that takes more. */
  readonly answerType: string;
  readonly inputType?: string;
  /** The same for clients in any language. */
  readonly described: Described;
}

/** JSON Schema of a type's values where clients meet them. */
interface Described {
  /** What conditions on such values are called; types of one name are asked alike. */
  readonly operand: string;
  readonly answer: PlainObject;
  /** In a body, where it takes more than an answer has. */
  readonly input?: PlainObject;
  /** In a query. */
  readonly query: PlainObject;
}
