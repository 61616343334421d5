/** How each scalar type stands in answers and bodies (rules C.3, E.4). */
import { scalarOf } from '../../schema/scalars/index.js';
import { maxLengthOf } from '../../schema/scalars/rules.js';
import { UID_PATTERN } from '../../schema/scalars/uid.js';
import type { Model, ScalarAttribute } from '../../schema/types.js';
import { pascal } from '../names.js';
import { blockSchema } from './blocks.js';
import type { Describing } from './describing.js';
import { described, listOf, orNull, text } from './json-schema.js';
import type { JsonSchema } from './types.js';

/** A scalar attribute where it stands. */
export interface ScalarOfModel {
  readonly model: Model;
  readonly attribute: ScalarAttribute;
}

/** The values of an enumeration have a name, so that makers of clients call them the same everywhere. */
const optionsOf = ({ model, attribute }: ScalarOfModel, describing: Describing): JsonSchema =>
  describing.named(
    describing.nameOf(model) + pascal(attribute.name),
    `options ${model.uid} ${attribute.name}`,
    () => ({ ...text, enum: attribute.enum ?? [] }),
  );

const answerOf = (place: ScalarOfModel, describing: Describing): JsonSchema => {
  const { type } = place.attribute;
  if (type === 'enumeration') return optionsOf(place, describing);
  return type === 'blocks' ? listOf(blockSchema(describing)) : scalarOf(type).described.answer;
};

/** What an answer shows. */
export function scalarAnswer(place: ScalarOfModel, nullable: boolean, describing: Describing): JsonSchema {
  const { attribute } = place;
  // Whose values are shown as other programs have stored them.
  if (attribute.adopted && attribute.key === undefined)
    return { description: `${attribute.type}, as far as the schema file knows` };
  const one = answerOf(place, describing);
  const shown = attribute.list ? listOf(orNull(one)) : one;
  return nullable ? orNull(shown) : shown;
}

export interface Sent {
  /** The rules of what is published hold too (rules E.3). */
  readonly strict: boolean;
  /** What is not sent gets its default. */
  readonly fresh: boolean;
}

/** What a body says. */
export function scalarInput(
  place: ScalarOfModel,
  { strict, fresh }: Sent,
  describing: Describing,
): JsonSchema {
  const { attribute } = place;
  const { input = answerOf(place, describing) } = scalarOf(attribute.type).described;
  // Where a condition hides the attribute, no rule holds.
  const held = attribute.visibleWhen === null;
  const one = held ? { ...inputForm(input, strict), ...limitsOf(attribute, strict) } : input;
  const sent = attribute.list ? listOf(one) : one;
  const whole = strict && held && attribute.required ? sent : orNull(sent);
  return held && fresh ? described(whole, defaultOf(attribute)) : whole;
}

/** The form of an address is a rule of publication; that of numbers and dates always holds. */
const inputForm = (schema: JsonSchema, strict: boolean): JsonSchema => {
  if (strict || schema['format'] !== 'email') return schema;
  const { format: _, ...rest } = schema;
  return rest;
};

function limitsOf(attribute: ScalarAttribute, strict: boolean): JsonSchema {
  const { type, minLength, min, max } = attribute;
  const maxLength = maxLengthOf(attribute);
  const numeric = type === 'integer' || type === 'float' || type === 'decimal';
  return {
    ...(type === 'uid' && strict && !attribute.regex ? { pattern: UID_PATTERN.source } : {}),
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

/**
 * In words: of a member with a `default` some makers of clients think that it must be there, and others send it though nobody has
 * named it.
 */
const defaultOf = ({ default: value }: ScalarAttribute): string =>
  value === undefined || typeof value === 'function' ? '' : `Absent: \`${JSON.stringify(value)}\``;
