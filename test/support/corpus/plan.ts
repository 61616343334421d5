/** A query of the corpus, compiled to its plan. */
import type { RawObject } from '../../../src/query/ast.js';
import { checkQuery } from '../../../src/query/check.js';
import { parseQuery, parseQueryText } from '../../../src/query/parse.js';
import { planRead, type ReadTarget } from '../../../src/query/plan.js';
import type { Caller, Condition, ReadPlan, SelectedFields } from '../../../src/query/read-plan.js';
import { type QuerySettings, querySettings } from '../../../src/query/settings.js';
import { corpusConfig } from './query.js';
import { corpusSchema, typeNamed } from './schema.js';

export interface PlanOptions {
  readonly type?: string;
  readonly caller?: Caller;
  readonly settings?: Partial<QuerySettings>;
  readonly target?: ReadTarget;
}

/** A string is a REST query, with full access; an object is a Document Service call. */
export function planOf(query: string | RawObject, options: PlanOptions = {}): ReadPlan {
  const mode = typeof query === 'string' ? 'rest' : 'service';
  const settings = { ...querySettings(corpusConfig, mode), ...options.settings };
  const caller = options.caller ?? { grants: null };
  const type = typeNamed(options.type ?? 'restaurant');
  const raw = typeof query === 'string' ? parseQueryText(query, settings.limits) : query;
  const scope = { schema: corpusSchema, caller, settings };
  const node = checkQuery(parseQuery(raw, mode, settings.limits), type, scope);
  return planRead(node, type, scope, { target: options.target ?? 'list' });
}

/** A condition as a line: `(name eq ["x"] & owner{id not null})`. */
export function line(condition: Condition): string {
  switch (condition.kind) {
    case 'and':
      return `(${condition.of.map(line).join(' & ')})`;
    case 'or':
      return `(${condition.of.map(line).join(' | ')})`;
    case 'some':
      return `${condition.via.attribute.name}{${line(condition.where)}}`;
    case 'test': {
      const { operator, values, negated } = condition.test;
      const operands = values.length > 0 ? ` ${JSON.stringify(values)}` : '';
      return `${condition.attribute.name} ${negated ? 'not ' : ''}${operator}${operands}`;
    }
    default:
      return condition.kind;
  }
}

/** A selection as a line: `name, owner(firstName), blocks[blocks.hero(title)]`. `id` and `documentId` are omitted. */
export function outline({ scalars, components, zones, relations }: SelectedFields): string {
  return [
    ...scalars.map(({ name }) => name).filter((name) => name !== 'id' && name !== 'documentId'),
    ...components.map(({ attribute, selection }) => `${attribute.name}(${outline(selection)})`),
    ...zones.map(
      ({ attribute, on }) =>
        `${attribute.name}[${[...on].map(([uid, selection]) => `${uid}(${outline(selection)})`).join(', ')}]`,
    ),
    ...relations.map(
      ({ attribute, targets, count }) =>
        `${attribute.name}${count ? '#' : ''}(${targets.map(({ selection }) => outline(selection)).join(' or ')})`,
    ),
  ].join(', ');
}
