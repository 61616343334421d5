/** The scalar types, each in its own file. */
import { biginteger } from './biginteger.js';
import { blocks } from './blocks.js';
import { boolean } from './boolean.js';
import { date } from './date.js';
import { datetime } from './datetime.js';
import { decimal } from './decimal.js';
import { email } from './email.js';
import { enumeration } from './enumeration.js';
import { float } from './float.js';
import { integer } from './integer.js';
import { json } from './json.js';
import { password } from './password.js';
import { richtext } from './richtext.js';
import { type Scalar, type StoredForm, UNFIT } from './scalar.js';
import { string } from './string.js';
import { time } from './time.js';
import { timestamp } from './timestamp.js';
import { uid } from './uid.js';

export const SCALARS = {
  string,
  text: string,
  richtext,
  blocks,
  json,
  enumeration,
  password,
  email,
  uid,
  integer,
  biginteger,
  float,
  decimal,
  date,
  time,
  datetime,
  timestamp,
  boolean,
} satisfies Readonly<Record<string, Scalar>>;

/** To add a type, add a row above. */
export type ScalarType = keyof typeof SCALARS;

export const isScalarType = (type: string): type is ScalarType => Object.hasOwn(SCALARS, type);

/** The definition of a type. */
export const scalarOf = (type: ScalarType): Scalar => SCALARS[type];

const isStoredAs =
  (...forms: readonly StoredForm[]) =>
  (type: ScalarType): boolean =>
    forms.includes(scalarOf(type).stored);

export const isNumberType = isStoredAs('number', 'long', 'decimal');
/** Types whose values are numbers in JSON; 64-bit integers are written as digits. */
export const isJsonNumberType = (type: ScalarType): boolean => scalarOf(type).answerType === 'number';
export const isDateType = isStoredAs('date');
/** Values of any JSON type, which are compared by their text. */
export const isJsonType = isStoredAs('json');
/** Types whose values this process sorts as the server does. */
export const isOrderedAlike = isStoredAs('string', 'number', 'long', 'boolean', 'date');
/** Types stored as text that text operators and search apply to. */
export const isTextType = (type: ScalarType): boolean => scalarOf(type).isText === true;

/** Whether an attribute of the type may be `unique`. */
export const canBeUnique = (type: string): boolean =>
  isScalarType(type) && scalarOf(type).neverUnique !== true;

/**
 * The default of a schema file in the form that is used. A function (in a JavaScript schema) is kept; null
 * means no default.
 * @returns UNFIT if the type cannot have this default
 */
export function readDefault(type: ScalarType, value: unknown, options: readonly string[]): unknown {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'function' ? value : scalarOf(type).readDefault(value, options);
}

export { UNFIT };
