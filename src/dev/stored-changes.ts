import { differencesOf } from '../migrate/differences.js';
import { stepText } from '../migrate/files.js';
import { modelsOf, type Shape, type ShapeAttribute } from '../migrate/shape.js';
import { type Beside, inBoth, sideBySide } from '../values/side-by-side.js';
import type { Contract } from './contract.js';

/** The attributes of models that both have, but one of them alone. */
const alone = (
  before: Shape,
  after: Shape,
): readonly (Beside<ShapeAttribute> & { readonly place: string })[] =>
  inBoth(modelsOf(before), modelsOf(after)).flatMap(([uid, was, now]) =>
    sideBySide(was.attributes, now.attributes)
      .filter((each) => each.before === undefined || each.after === undefined)
      .map((each) => ({ ...each, place: `${uid}.${each.name}` })),
  );

/** What a change of the schema means for the content that is stored: a line each, with the step that a migration would need. */
export function storedChanges(before: Contract, after: Contract): readonly string[] {
  const differences = differencesOf(before.shape, after.shape, after.defaultLocale);
  const told = new Set(
    differences.flatMap(({ steps }) =>
      steps.flatMap((step) =>
        'renameAttribute' in step ? [`${step.of}.${step.renameAttribute}`, `${step.of}.${step.to}`] : [],
      ),
    ),
  );
  const untold = alone(before.shape, after.shape).filter(({ place }) => !told.has(place));
  return [
    ...differences.flatMap(({ says, steps, decide }) => [
      says,
      ...steps.map((step) => `  ${stepText(step)}`),
      ...(decide === null ? [] : [`  to decide: ${decide}`]),
    ]),
    ...untold
      .filter((each) => each.before === undefined)
      .map(({ place }) => `${place} is null in what is stored so far; no migration is needed`),
    ...untold
      .filter((each) => each.after === undefined)
      .map(({ place }) => `${place}: its values stay and are not shown; the step removeAttribute drops them`),
  ];
}
