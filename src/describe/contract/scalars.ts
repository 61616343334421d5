/** How each scalar type stands in answers and bodies (rules C.3, E.4). */
import type { ScalarAttribute, ScalarType } from '../../schema/types.js';
import { blockSchema } from './blocks.js';
import type { Describing } from './describing.js';
import { anything, flag, instant, integer, listOf, number, orNull, text } from './json-schema.js';
import type { JsonSchema } from './types.js';

const DIGITS = '^[+-]?\\d+$';
const DAY = '^\\d{4}-\\d{2}-\\d{2}';
const SLUG = '^[A-Za-z0-9_.~-]*$';
const TIME = '^([01]?\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,3})?$';

interface ScalarForm {
  readonly answer: JsonSchema;
  /** What a body may say, where it is more than the answer. */
  readonly input?: JsonSchema;
}

const plain: ScalarForm = { answer: text };

const FORMS: Readonly<Record<Exclude<ScalarType, 'blocks'>, ScalarForm>> = {
  string: plain,
  text: plain,
  richtext: { answer: { ...text, description: 'Markdown' } },
  uid: plain,
  email: { answer: { ...text, format: 'email' } },
  password: { answer: text, input: { ...text, format: 'password', writeOnly: true } },
  enumeration: plain,
  json: { answer: { ...anything, description: 'Any JSON' } },
  integer: { answer: integer },
  biginteger: {
    answer: { ...text, pattern: DIGITS, description: 'A 64-bit integer, all digits of it' },
    input: { type: ['string', 'integer'], pattern: DIGITS },
  },
  float: { answer: number },
  decimal: { answer: number },
  date: { answer: { ...text, format: 'date' }, input: { ...text, pattern: DAY, examples: ['2024-01-31'] } },
  time: {
    answer: { ...text, pattern: '^\\d{2}:\\d{2}:\\d{2}\\.\\d{3}$', examples: ['08:30:00.000'] },
    input: { ...text, pattern: TIME, examples: ['08:30:00.000'] },
  },
  datetime: {
    answer: instant,
    input: {
      type: ['string', 'integer'],
      format: 'date-time',
      description: 'ISO 8601, or milliseconds since 1970',
    },
  },
  timestamp: {
    answer: { ...text, pattern: '^-?\\d+$', description: 'Milliseconds since 1970' },
    input: {
      type: ['string', 'integer'],
      format: 'date-time',
      description: 'ISO 8601, or milliseconds since 1970',
    },
  },
  boolean: { answer: flag },
};

const formOf = ({ type }: ScalarAttribute, describing: Describing): ScalarForm =>
  type === 'blocks' ? { answer: listOf(blockSchema(describing)) } : FORMS[type];

/** What an answer shows. */
export function scalarAnswer(
  attribute: ScalarAttribute,
  nullable: boolean,
  describing: Describing,
): JsonSchema {
  const { answer } = formOf(attribute, describing);
  // Whose values are shown as other programs have stored them.
  if (attribute.adopted && attribute.key === undefined)
    return { description: `${attribute.type}, as far as the schema file knows` };
  const one = attribute.type === 'enumeration' ? { ...text, enum: attribute.enum ?? [] } : answer;
  const shown = attribute.list ? listOf(orNull(one)) : one;
  return nullable ? orNull(shown) : shown;
}

/** What a body says. `strict`: the rules of what is published hold too (rules E.3). */
export function scalarInput(attribute: ScalarAttribute, strict: boolean, describing: Describing): JsonSchema {
  const { answer, input = answer } = formOf(attribute, describing);
  // Where a condition hides the attribute, no rule holds.
  const held = attribute.visibleWhen === null;
  const one = held
    ? { ...inputForm(input, strict), ...limitsOf(attribute, strict), ...defaultOf(attribute) }
    : input;
  const sent = attribute.list ? listOf(one) : one;
  return strict && held && attribute.required ? sent : orNull(sent);
}

/** The form of an address is a rule of publication; that of numbers and dates always holds. */
const inputForm = (schema: JsonSchema, strict: boolean): JsonSchema => {
  if (strict || schema['format'] !== 'email') return schema;
  const { format: _, ...rest } = schema;
  return rest;
};

function limitsOf(attribute: ScalarAttribute, strict: boolean): JsonSchema {
  const { type, enum: values, minLength, maxLength, min, max } = attribute;
  const numeric = type === 'integer' || type === 'float' || type === 'decimal';
  return {
    ...(type === 'enumeration' ? { ...text, enum: values ?? [] } : {}),
    ...(type === 'uid' && strict && !attribute.regex ? { pattern: SLUG } : {}),
    ...(strict && minLength !== undefined ? { minLength } : {}),
    ...(maxLength !== undefined ? { maxLength } : {}),
    ...(numeric && strict && min !== undefined ? { minimum: Number(min) } : {}),
    ...(numeric && max !== undefined ? { maximum: Number(max) } : {}),
    ...(strict ? patternOf(attribute) : {}),
  };
}

/** JSON Schema reads expressions as Unicode ones; what is none there is told in words. An empty text passes where it may. */
function patternOf({ regex, required }: ScalarAttribute): JsonSchema {
  if (regex?.flags !== '') return {};
  try {
    new RegExp(regex.source, 'u');
  } catch {
    return { description: `Must match ${regex.source}` };
  }
  return { pattern: required ? regex.source : `^$|(?:${regex.source})` };
}

const defaultOf = ({ default: value }: ScalarAttribute): JsonSchema =>
  value === undefined || typeof value === 'function' ? {} : { default: value };

/** One value in a query, which arrives as text. */
export function scalarQuery(attribute: ScalarAttribute): JsonSchema {
  const QUERIED: Partial<Record<ScalarType, JsonSchema>> = {
    integer,
    float: number,
    decimal: number,
    boolean: flag,
    biginteger: { type: ['string', 'integer'], pattern: DIGITS },
    date: { ...text, pattern: DAY },
    time: { ...text, pattern: TIME },
    datetime: { type: ['string', 'integer'] },
    timestamp: { type: ['string', 'integer'] },
  };
  return QUERIED[attribute.type] ?? text;
}
