/** Scalar types in answers and bodies. */

import { pascal } from '../../schema/names.js';
import { isJsonNumberType, scalarOf } from '../../schema/scalars/index.js';
import { maxLengthOf } from '../../schema/scalars/rules.js';
import { UID_PATTERN } from '../../schema/scalars/uid.js';
import type { Model, ScalarAttribute } from '../../schema/types.js';
import type { Describing } from './describing.js';
import {
  arrayOf,
  booleanSchema,
  described,
  exactly,
  integerSchema,
  nameIn,
  numberSchema,
  oneOfNamed,
  openObjectOf,
  schemaOrNull,
  stringSchema,
} from './json-schema.js';
import type { JsonSchema, Schemas } from './types.js';

/** The nodes of a `blocks` attribute. */
const node = (type: string, properties: Schemas, optional: readonly string[] = []): JsonSchema =>
  openObjectOf(
    { type: exactly(type), ...properties },
    ['type', ...Object.keys(properties)].filter((name) => !optional.includes(name)),
  );

const IMAGE_TEXT = ['name', 'url', 'hash', 'ext', 'mime', 'provider', 'createdAt', 'updatedAt'];
const IMAGE_NUMBER = ['width', 'height', 'size'];
const IMAGE_NULLABLE = ['alternativeText', 'caption', 'previewUrl'];
const same = (names: readonly string[], schema: JsonSchema): Schemas =>
  Object.fromEntries(names.map((name) => [name, schema]));

const image = openObjectOf(
  {
    ...same(IMAGE_TEXT, stringSchema),
    ...same(IMAGE_NUMBER, numberSchema),
    ...same(IMAGE_NULLABLE, schemaOrNull(stringSchema)),
  },
  [...IMAGE_TEXT, ...IMAGE_NUMBER],
);

/** A reference to `Block`, a union of all kinds of blocks by `type`. */
function blockSchema({ named }: Describing): JsonSchema {
  const union = (members: Readonly<Record<string, JsonSchema>>): JsonSchema =>
    oneOfNamed('type', new Map(Object.entries(members).map(([type, member]) => [type, nameIn(member)])));
  const words = named('BlockText', () =>
    node('text', { text: stringSchema, ...same(MARKS, booleanSchema) }, MARKS),
  );
  const link = named('BlockLink', () => node('link', { url: stringSchema, children: arrayOf(words) }));
  const inline = named('BlockInline', () => union({ text: words, link }));
  const some = arrayOf(inline, { minItems: 1 });
  const item = named('BlockListItem', () => node('list-item', { children: arrayOf(inline) }));
  const list = (): JsonSchema =>
    named('BlockList', () =>
      node('list', {
        format: { ...stringSchema, enum: ['ordered', 'unordered'] },
        children: arrayOf(
          named('BlockListChild', () => union({ 'list-item': item, list: list() })),
          { minItems: 1 },
        ),
      }),
    );
  return named('Block', () =>
    union({
      paragraph: named('BlockParagraph', () => node('paragraph', { children: some })),
      heading: named('BlockHeading', () =>
        node('heading', { level: { ...integerSchema, minimum: 1, maximum: 6 }, children: some }),
      ),
      quote: named('BlockQuote', () => node('quote', { children: some })),
      code: named('BlockCode', () =>
        node('code', { language: schemaOrNull(stringSchema), children: arrayOf(words, { minItems: 1 }) }, [
          'language',
        ]),
      ),
      list: list(),
      image: named('BlockImage', () => node('image', { image, children: arrayOf(inline) })),
    }),
  );
}

const MARKS = ['bold', 'italic', 'underline', 'strikethrough', 'code'];

/** A scalar attribute and its model. */
interface ScalarOfModel {
  readonly model: Model;
  readonly attribute: ScalarAttribute;
}

/** Enumerations are named, so that client generators use one name for them everywhere. */
const optionsOf = ({ model, attribute }: ScalarOfModel, describing: Describing): JsonSchema =>
  describing.named(
    describing.nameOf(model) + pascal(attribute.name),
    () => ({ ...stringSchema, enum: attribute.enum ?? [] }),
    `options ${model.uid} ${attribute.name}`,
  );

const answerOf = (place: ScalarOfModel, describing: Describing): JsonSchema => {
  const { type } = place.attribute;
  if (type === 'enumeration') return optionsOf(place, describing);
  return type === 'blocks' ? arrayOf(blockSchema(describing)) : scalarOf(type).described.answer;
};

/** The value in an answer. */
export function scalarAnswer(place: ScalarOfModel, nullable: boolean, describing: Describing): JsonSchema {
  const { attribute } = place;
  // Values of adopted collections are shown as other programs stored them.
  if (attribute.adopted && attribute.key === undefined)
    return { description: `${attribute.type}, as far as the schema file knows` };
  const one = answerOf(place, describing);
  const shown = attribute.list ? arrayOf(schemaOrNull(one)) : one;
  return nullable ? schemaOrNull(shown) : shown;
}

interface Sent {
  /** The rules of published entries apply too. */
  readonly strict: boolean;
  /** A missing value gets its default. */
  readonly fresh: boolean;
}

/** The value in a body. */
export function scalarInput(
  place: ScalarOfModel,
  { strict, fresh }: Sent,
  describing: Describing,
): JsonSchema {
  const { attribute } = place;
  const { input = answerOf(place, describing) } = scalarOf(attribute.type).described;
  // No rule applies if a condition may hide the attribute.
  const held = attribute.visibleWhen === null;
  const one = held ? { ...inputForm(input, strict), ...limitsOf(attribute, strict) } : input;
  const sent = attribute.list ? arrayOf(one) : one;
  const whole = strict && held && attribute.required ? sent : schemaOrNull(sent);
  return held && fresh ? described(whole, defaultOf(attribute)) : whole;
}

/** The format of an email address is only checked on publication; those of numbers and dates always. */
const inputForm = (schema: JsonSchema, strict: boolean): JsonSchema => {
  if (strict || schema['format'] !== 'email') return schema;
  const { format: _, ...rest } = schema;
  return rest;
};

function limitsOf(attribute: ScalarAttribute, strict: boolean): JsonSchema {
  const { type, minLength, min, max } = attribute;
  const maxLength = maxLengthOf(attribute);
  const numeric = isJsonNumberType(type);
  return {
    ...(type === 'uid' && strict && !attribute.regex ? { pattern: UID_PATTERN.source } : {}),
    ...(strict && minLength !== undefined ? { minLength } : {}),
    ...(maxLength !== undefined ? { maxLength } : {}),
    ...(numeric && strict && min !== undefined ? { minimum: Number(min) } : {}),
    ...(numeric && max !== undefined ? { maximum: Number(max) } : {}),
    ...(strict ? patternOf(attribute) : {}),
  };
}

/**
 * JSON Schema uses Unicode regular expressions; one that is invalid there is described in words. Empty text
 * passes if the attribute is optional.
 */
function patternOf({ regex, required }: ScalarAttribute): JsonSchema {
  if (regex?.flags !== '') return {};
  try {
    new RegExp(regex.source, 'u');
  } catch {
    return { description: `Must match ${regex.source}` };
  }
  return { pattern: required ? regex.source : `^$|(?:${regex.source})` };
}

/** In words: some client generators treat a member with a `default` as required, others send it unasked. */
const defaultOf = ({ default: value }: ScalarAttribute): string =>
  value === undefined || typeof value === 'function' ? '' : `Absent: \`${JSON.stringify(value)}\``;
