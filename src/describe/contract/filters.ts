/** `filters` of a type: the operators of each scalar, and the filters of related types and components. */
import { OPERATORS } from '../../query/operators.js';
import { targetOf } from '../../schema/find.js';
import { isTextType, scalarOf } from '../../schema/scalars/index.js';
import type { Attribute, Model, ScalarAttribute } from '../../schema/types.js';
import { attributesFor, type Describing } from './describing.js';
import {
  anyOf,
  arrayOf,
  booleanSchema,
  idOrText,
  objectOf,
  schemaOrNull,
  stringSchema,
} from './json-schema.js';
import type { JsonSchema, Schemas } from './types.js';

/** Conditions on attributes, all of which must hold, and groups of conditions. */
export const filters = (model: Model, describing: Describing): JsonSchema =>
  describing.ofModel(model, 'Filters', () => {
    const own = filters(model, describing);
    const members = attributesFor(model, describing).flatMap((attribute) => {
      const condition = attributeFilter(attribute, describing);
      return condition ? [[attribute.name, condition] as const] : [];
    });
    return objectOf(
      {
        ...Object.fromEntries(members),
        $and: arrayOf(own),
        $or: arrayOf(own),
        $not: anyOf(own, arrayOf(own)),
      },
      [],
    );
  });

function attributeFilter(attribute: Attribute, describing: Describing): JsonSchema | null {
  if (attribute.kind === 'scalar') return scalarFilter(attribute, describing);
  const target = targetOf(describing.schema, attribute);
  if (!target) return null;
  const within = filters(target, describing);
  // Relations are compared by numeric id.
  return anyOf(within, valueFilter('Key', idOrText, false, describing));
}

const scalarFilter = ({ type }: ScalarAttribute, describing: Describing): JsonSchema => {
  const { operand, query } = scalarOf(type).described;
  return valueFilter(operand, query, isTextType(type), describing);
};

/** A plain value means `$eq`, a list of values `$in`, null that there is no value. */
const valueFilter = (name: string, value: JsonSchema, isText: boolean, describing: Describing): JsonSchema =>
  describing.named(`${name}Filter`, () => {
    const long = operators(name, value, isText, describing);
    return schemaOrNull(anyOf(value, long, arrayOf(anyOf(value, long))));
  });

/** One member for each operator that applies to the type; a list means any of its values. */
const operators = (name: string, value: JsonSchema, isText: boolean, describing: Describing): JsonSchema =>
  describing.named(`${name}Operators`, () => {
    const own = operators(name, value, isText, describing);
    const operands = { cast: value, text: stringSchema, folded: stringSchema, flag: booleanSchema };
    const members: Schemas = Object.fromEntries(
      [...OPERATORS]
        .filter(([, row]) => row.value !== 'text' || isText)
        .map(([operator, row]) => {
          const one = schemaOrNull(operands[row.value]);
          if (row.operand === 'pair') return [operator, arrayOf(one, { minItems: 2, maxItems: 2 })];
          return [operator, anyOf(one, arrayOf(one))];
        }),
    );
    const denied = anyOf(own, schemaOrNull(value));
    return objectOf(
      { ...members, $not: anyOf(denied, arrayOf(anyOf(denied, arrayOf(schemaOrNull(value))))) },
      [],
    );
  });
