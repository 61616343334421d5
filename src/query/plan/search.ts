import { isNumberType, isTextType } from '../../schema/scalars/index.js';
import type { ContentType, ScalarAttribute } from '../../schema/types.js';
import { visibleAttributes } from '../attributes.js';
import type { Condition } from '../read-plan.js';
import { always, or } from './condition.js';
import { badValue, type PlanContext } from './context.js';
import { longestText } from './test.js';

/** Escaping may make its pattern twice as long. */
const longestTerm = longestText / 2;

/**
 * `_q`: matches part of any text or, if the term is a number, of the digits of any number. Only searches
 * attributes that the caller may read. `_` in the term matches any character, as recorded from Strapi 4 and 5.
 */
export function planSearch(term: string | null, type: ContentType, context: PlanContext): Condition {
  if (term === null) return always;
  if (term.length > longestTerm)
    throw badValue(context, `Expected at most ${longestTerm} characters`, '_q', null);
  const isNumber = term.trim() !== '' && Number.isFinite(Number(term));
  const { searchAs } = context.settings;
  const partOf = searchAs === 'v3' ? 'containsi' : 'search';
  const viewer = { ...context, caller: { ...context.caller, seesAll: false } };
  const searched = visibleAttributes(type, viewer).filter(
    (attribute): attribute is ScalarAttribute =>
      attribute.kind === 'scalar' &&
      attribute.searchable &&
      attribute.type !== 'password' &&
      !(searchAs === 'v4' && attribute.name === 'documentId') &&
      !(searchAs === 'v3' && attribute.name === 'id' && attribute.system) &&
      (isTextType(attribute.type) || (isNumber && isNumberType(attribute.type))),
  );
  return or(
    searched.map((attribute) => ({
      kind: 'test',
      attribute,
      test: {
        operator: searchAs === 'v3' && attribute.name === 'documentId' && !attribute.adopted ? 'eq' : partOf,
        values: [term],
        negated: false,
      },
    })),
  );
}
