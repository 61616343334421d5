import { differencesOf } from '../migrate/differences.js';
import { stepText } from '../migrate/files.js';
import { modelOf, type Shape } from '../migrate/shape.js';
import type { Contract } from './contract.js';

const pairs = (from: Shape, to: Shape): readonly string[] =>
  [...Object.entries(from.types), ...Object.entries(from.components)].flatMap(([uid, { attributes }]) =>
    Object.keys(attributes)
      .filter((name) => modelOf(to, uid) && !modelOf(to, uid)?.attributes[name])
      .map((name) => `${uid}.${name}`),
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
  const untold = (places: readonly string[]) => places.filter((place) => !told.has(place));
  return [
    ...differences.flatMap(({ says, steps, decide }) => [
      says,
      ...steps.map((step) => `  ${stepText(step)}`),
      ...(decide === null ? [] : [`  to decide: ${decide}`]),
    ]),
    ...untold(pairs(after.shape, before.shape)).map(
      (place) => `${place} is null in what is stored so far; no migration is needed`,
    ),
    ...untold(pairs(before.shape, after.shape)).map(
      (place) => `${place}: its values stay and are not shown; the step removeAttribute drops them`,
    ),
  ];
}
