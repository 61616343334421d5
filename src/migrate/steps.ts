import { ATTRIBUTE_STEPS } from './attribute-steps.js';
import { MigrationError } from './error.js';
import type { StepRule } from './step-rule.js';
import { TYPE_STEPS } from './type-steps.js';
import type { MigrationStep } from './types.js';

const RULES: Readonly<Record<string, StepRule<never>>> = { ...ATTRIBUTE_STEPS, ...TYPE_STEPS };

/** What a step is called: the first of its keys that names a kind. @throws MigrationError on a step that is none */
function kindOf(step: MigrationStep): string {
  const kind = Object.keys(step).find((key) => Object.hasOwn(RULES, key));
  if (kind !== undefined) return kind;
  throw new MigrationError(
    `a step is one of ${Object.keys(RULES).join(', ')}, not { ${Object.keys(step).join(', ')} }`,
  );
}

/** The rule of a step. Its kind says its type, which the table cannot. */
export const ruleOf = (step: MigrationStep): StepRule<MigrationStep> =>
  RULES[kindOf(step)] as unknown as StepRule<MigrationStep>;

const subjectOf = (step: MigrationStep): string =>
  String((step as unknown as Record<string, unknown>)[kindOf(step)]);

/** The model whose items are changed, or the type whose collections are: what the step is of, else what its kind names. */
export const modelIn = (step: MigrationStep): string => ('of' in step ? step.of : subjectOf(step));

/** `renameAttribute title (api::article.article)`. */
export const describeStep = (step: MigrationStep): string => {
  const [subject, of] = [subjectOf(step), modelIn(step)];
  return `${kindOf(step)} ${subject}${of === subject ? '' : ` of ${of}`}`;
};
