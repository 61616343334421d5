/**
 * Tests on adopted collections: a value of the query may be stored in several forms, and stored values may be
 * of any type, which then simply do not match.
 */
import type { Test } from '../../query/read-plan.js';
import { rowOfTest } from '../../query/tests.js';
import { isJsonType, isTextType } from '../../schema/scalars/index.js';
import { keyForms, textForms } from '../../schema/stored/key-forms.js';
import type { ScalarAttribute } from '../../schema/types.js';
import { allMatch, anyMatch, NEVER } from '../rows/combine.js';
import type { Match } from '../types.js';
import { testMatch } from './operators.js';

/** The stored values that equal a value of the query. */
function formsOf({ key, type }: ScalarAttribute, value: unknown): readonly unknown[] {
  if (typeof value !== 'string') return [value];
  if (key) return keyForms(key, value);
  return isTextType(type) || isJsonType(type) ? textForms(value) : [value];
}

export function adoptedMatch(path: string, attribute: ScalarAttribute, test: Test, json: boolean): Match {
  const { operator, values, negated } = test;
  const of = (value: unknown): readonly unknown[] => formsOf(attribute, value);
  const same = (forms: readonly unknown[]): Match =>
    testMatch(path, { operator: 'in', values: forms, negated }, json);
  if (attribute.list && !attribute.key && rowOfTest(operator).kind === 'order') return listMatch(path, test);
  switch (operator) {
    case 'eq':
    case 'in': {
      const forms = values.flatMap(of);
      // No document has a key that this text could be, and `notIn` with an empty list would restrict nothing.
      if (forms.length === 0 && values.length > 0) return negated ? testMatch(path, PRESENT, json) : NEVER;
      return forms.length === 1 && operator === 'eq'
        ? testMatch(path, { ...test, values: forms }, json)
        : same(forms);
    }
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return attribute.key ? anyForm(path, test, of(values[0])) : testMatch(path, test, json);
    case 'between': {
      if (!attribute.key) return testMatch(path, test, json);
      const [low, high] = negated ? (['lt', 'gt'] as const) : (['gte', 'lte'] as const);
      const sides = [
        anyForm(path, { operator: low, values: [], negated: false }, of(values[0])),
        anyForm(path, { operator: high, values: [], negated: false }, of(values[1])),
      ];
      return (negated ? anyMatch : allMatch)(sides);
    }
    default:
      return testMatch(path, test, json);
  }
}

/**
 * A range of a list is a range that one member lies in; negated, that none does. `{ $gte, $lte }` alone would also
 * match a list of which one member is above and another below.
 */
function listMatch(path: string, { operator, values, negated }: Test): Match {
  const plain = testMatch(path, { operator, values, negated: false }, false);
  const found =
    operator === 'between' && plain !== NEVER
      ? anyMatch([
          { [path]: { $elemMatch: plain[path] } },
          allMatch([plain, { [`${path}.0`]: { $exists: false } }]),
        ])
      : plain;
  return negated ? { $nor: [found], [path]: { $ne: null } } : found;
}

const PRESENT: Test = { operator: 'null', values: [], negated: true };

const anyForm = (path: string, test: Test, forms: readonly unknown[]): Match =>
  anyMatch(forms.map((value) => testMatch(path, { ...test, values: [value] }, false)));
