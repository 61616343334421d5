import { ATTRIBUTE_STEPS } from './attribute-steps.js';
import { MigrationError } from './error.js';
import type { StepRule } from './step-rule.js';
import { TYPE_STEPS } from './type-steps.js';
import type { MigrationStep } from './types.js';

const RULES: Readonly<Record<string, StepRule<never>>> = { ...ATTRIBUTE_STEPS, ...TYPE_STEPS };

/** The kind of a step, which is one of its keys. @throws MigrationError if it has none */
function kindOf(step: MigrationStep): string {
  const kind = Object.keys(step).find((key) => Object.hasOwn(RULES, key));
  if (kind !== undefined) return kind;
  throw new MigrationError(
    `a step is one of ${Object.keys(RULES).join(', ')}, not { ${Object.keys(step).join(', ')} }`,
  );
}

/** The rule for a step. The kind determines the type of step, which the type of the table cannot express. */
export const stepRule = (step: MigrationStep): StepRule<MigrationStep> =>
  RULES[kindOf(step)] as unknown as StepRule<MigrationStep>;

const subjectOf = (step: MigrationStep): string =>
  String((step as unknown as Record<string, unknown>)[kindOf(step)]);

/** The model whose items are changed, or the type whose collections are: `of`, or the subject of the step. */
export const modelIn = (step: MigrationStep): string => ('of' in step ? step.of : subjectOf(step));

/** For example `renameAttribute title of api::article.article`. */
export const describeStep = (step: MigrationStep): string => {
  const [subject, of] = [subjectOf(step), modelIn(step)];
  return `${kindOf(step)} ${subject}${of === subject ? '' : ` of ${of}`}`;
};
