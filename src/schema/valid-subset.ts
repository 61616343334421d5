import { isObject } from '../values/plain-object.js';
import { checkAttributes } from './check-attributes.js';
import { checkReferences, type Models } from './check-references.js';
import type { Problem } from './error.js';
import type { SchemaFile } from './files.js';
import type { ModelSource, RawAttribute } from './raw.js';
import { sourceOf } from './source.js';
import { validateFile } from './validate.js';

/** What is left of a file of the wrong shape without what is wrong in it, so that its other problems are named in the same run. */
export interface ValidSubset {
  readonly source: ModelSource;
  /** Custom fields that nobody knows. */
  readonly problems: readonly Problem[];
  /** Attributes that were left out: nothing is to be said of what points at them. */
  readonly without: ReadonlySet<string>;
}

const filter = (value: unknown, keep: (key: string) => boolean): Readonly<Record<string, unknown>> =>
  isObject(value) ? Object.fromEntries(Object.entries(value).filter(([key]) => keep(key))) : {};

/** The part of this file that has the right shape: none or one. */
export function validSubset(
  file: SchemaFile,
  shape: readonly Problem[],
  customFields: Readonly<Record<string, string>>,
): readonly ValidSubset[] {
  if (!isObject(file.content)) return [];
  const isWrong = (path: string): boolean =>
    shape.some((problem) => problem.path === path || problem.path.startsWith(`${path}.`));
  const { attributes } = file.content;
  const content = {
    ...filter(file.content, (key) => key === 'info' || key === 'attributes' || !isWrong(key)),
    attributes: filter(attributes, (name) => !isWrong(`attributes.${name}`)),
  };
  const rest = { ...file, content };
  if (validateFile(rest).length > 0) return [];
  const { source, problems } = sourceOf(rest, customFields);
  const left = new Set(Object.keys(content.attributes));
  const without = Object.keys(filter(attributes, (name) => !left.has(name)));
  return source === null ? [] : [{ source, problems, without: new Set(without) }];
}

/** What else is wrong with such a file: its right attributes, and what they refer to. */
export const checkRightPart = (
  { source, problems, without }: ValidSubset,
  models: Models,
): readonly Problem[] => {
  const pointsAside = ({ targetField }: RawAttribute): boolean =>
    targetField !== undefined && without.has(targetField);
  const attributes = Object.fromEntries(
    Object.entries(source.raw.attributes).filter(([, raw]) => !pointsAside(raw)),
  );
  const left = { ...source, raw: { ...source.raw, attributes } } as ModelSource;
  return [...problems, ...checkAttributes(left), ...checkReferences(left, models)];
};
