import type { Document } from 'bson';
import { valuesAt } from '../values/paths.js';
import { bsonTypeOf, hasOperator } from '../values/types.js';
import { compileFilter } from './compile-filter.js';
import type { FilterOptions } from './options.js';
import { schemaFailures } from './schema-failures.js';

/** Why a value does not satisfy an operator, in MongoDB's words. */
const REASONS: Readonly<Record<string, string>> = {
  $type: 'type did not match',
  $in: 'no matching value found in array',
  $exists: 'path does not exist',
  $regex: 'regular expression did not match',
  $size: 'array length was not equal to given size',
  $mod: 'remainder did not match',
  $elemMatch: 'array did not satisfy the child predicate',
  $all: 'array did not contain all specified values',
};

function considered(document: Document, path: string, operator: string): Document {
  const values = valuesAt(document, path).filter((value) => value !== undefined);
  const [only = null] = values;
  if (values.length > 1) return { consideredValues: values };
  return operator === '$type'
    ? { consideredValue: only, consideredType: bsonTypeOf(only) }
    : { consideredValue: only };
}

/** A document that is checked against a filter. */
interface Held {
  readonly document: Document;
  readonly meets: (filter: Document) => boolean;
}

function explainOperator(path: string, operator: string, condition: unknown, held: Held): Document {
  const specifiedAs = { [path]: condition };
  const isThere = held.meets({ [path]: { $exists: true } });
  if (!isThere && operator !== '$exists')
    return { operatorName: operator, specifiedAs, reason: 'field was missing' };
  const reason = REASONS[operator] ?? 'comparison failed';
  return { operatorName: operator, specifiedAs, reason, ...considered(held.document, path, operator) };
}

/** The clauses of one path that a document fails. */
function explainPath(path: string, condition: unknown, held: Held): Document[] {
  if (!hasOperator(condition)) return [explainOperator(path, '$eq', condition, held)];
  return Object.entries(condition)
    .filter(([name]) => name !== '$options')
    .map(([name, operand]) => ({ name, clause: { [name]: operand, ...optionsOf(name, condition) } }))
    .filter(({ clause }) => !held.meets({ [path]: clause }))
    .map(({ name, clause }) => explainOperator(path, name, clause, held));
}

const optionsOf = (name: string, condition: Document): Document =>
  name === '$regex' && condition['$options'] !== undefined ? { $options: condition['$options'] } : {};

const indexed = (clauses: readonly Document[], held: Held, holds: boolean): Document[] =>
  clauses.flatMap((clause, index) =>
    held.meets(clause) === holds ? [{ index, details: explainHeld(clause, held) }] : [],
  );

const LOGICAL: Readonly<Record<string, (clauses: Document[], held: Held) => Document>> = {
  $and: (clauses, held) => ({ clausesNotSatisfied: indexed(clauses, held, false) }),
  $or: (clauses, held) => ({ clausesNotSatisfied: indexed(clauses, held, false) }),
  $nor: (clauses, held) => ({
    clausesSatisfied: clauses.flatMap((clause, index) => (held.meets(clause) ? [{ index }] : [])),
  }),
};

function explainClause(name: string, operand: unknown, held: Held): Document[] {
  if (name === '$jsonSchema') {
    const { title, description } = operand as Document;
    return [
      {
        operatorName: name,
        ...(title === undefined ? {} : { title }),
        ...(description === undefined ? {} : { description }),
        schemaRulesNotSatisfied: schemaFailures(operand as Document, held.document),
      },
    ];
  }
  const logical = LOGICAL[name];
  if (logical !== undefined) return [{ operatorName: name, ...logical(operand as Document[], held) }];
  if (name === '$expr') {
    return [
      {
        operatorName: name,
        specifiedAs: { $expr: operand },
        reason: 'expression did not match',
        expressionResult: false,
      },
    ];
  }
  return name.startsWith('$') ? [{ operatorName: name }] : explainPath(name, operand, held);
}

/** Why a document does not match a filter, for `errInfo.details` of a failed validation. */
export const explainFailure = (filter: Document, document: Document, options: FilterOptions = {}): Document =>
  explainHeld(filter, { document, meets: (clause) => compileFilter(clause, options)(document) });

function explainHeld(filter: Document, held: Held): Document {
  const failing = Object.entries(filter).filter(([name, operand]) => !held.meets({ [name]: operand }));
  const clauses = failing.flatMap(([name, operand]) => explainClause(name, operand, held));
  const [first = {}] = clauses;
  if (Object.keys(filter).length === 1 && clauses.length === 1) return first;
  return {
    operatorName: '$and',
    clausesNotSatisfied: clauses.map((details, index) => ({ index, details })),
  };
}
