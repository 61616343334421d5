/** The filter operators. `$and`, `$or` and `$not` are groups, not tests. */
import type { TestOperator } from './tests.js';

export interface OperatorRow {
  readonly test: TestOperator;
  readonly negated: boolean;
  /**
   * `cast`: the value becomes the attribute's type. `text`: the value stays text, the attribute must be text.
   * `folded`: case-insensitive text, compared with the text form of any attribute. `flag`: a boolean-like
   * value.
   */
  readonly value: 'cast' | 'text' | 'folded' | 'flag';
  /** `one`: a list means any of its values. `list`: the list is the operand. `pair`: a list of two. */
  readonly operand: 'one' | 'list' | 'pair';
}

const row = (
  test: TestOperator,
  value: OperatorRow['value'],
  negated = false,
  operand: OperatorRow['operand'] = 'one',
): OperatorRow => ({ test, negated, value, operand });

/** All of them, by name. */
export const OPERATORS: ReadonlyMap<string, OperatorRow> = new Map(
  Object.entries({
    $eq: row('eq', 'cast'),
    $ne: row('eq', 'cast', true),
    $eqi: row('eqi', 'folded'),
    $nei: row('eqi', 'folded', true),
    $in: row('in', 'cast', false, 'list'),
    $notIn: row('in', 'cast', true, 'list'),
    $lt: row('lt', 'cast'),
    $lte: row('lte', 'cast'),
    $gt: row('gt', 'cast'),
    $gte: row('gte', 'cast'),
    $between: row('between', 'cast', false, 'pair'),
    $contains: row('contains', 'text'),
    $notContains: row('contains', 'text', true),
    $containsi: row('containsi', 'folded'),
    $notContainsi: row('containsi', 'folded', true),
    $startsWith: row('startsWith', 'text'),
    $startsWithi: row('startsWithi', 'folded'),
    $endsWith: row('endsWith', 'text'),
    $endsWithi: row('endsWithi', 'folded'),
    $null: row('null', 'flag'),
    $notNull: row('null', 'flag', true),
  }),
);

export const isOperator = (key: string): boolean => OPERATORS.has(key);
