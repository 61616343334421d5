import { isObject } from '../../values/plain-object.js';
import type { Problem } from '../error.js';
import { builtInSources, extendsNothing } from '../files/builtin.js';
import type { ModelSource, RawAttribute } from '../files/raw.js';
import type { SchemaFile } from '../files/read.js';
import { type CustomFields, sourceOf } from '../files/source.js';
import { validateFile } from '../files/validate.js';
import { checkAttributes } from './attributes.js';
import { checkNames } from './names.js';
import { checkCycles, checkReferences, type Models } from './references.js';
import { checkStorage } from './storage.js';

/**
 * The valid part of a file with errors in its shape, so that its other problems are reported in the same run.
 */
interface ValidSubset {
  readonly source: ModelSource;
  /** The attributes that were left out; references to them are not checked. */
  readonly without: ReadonlySet<string>;
}

const filter = (value: unknown, keep: (key: string) => boolean): Readonly<Record<string, unknown>> =>
  isObject(value) ? Object.fromEntries(Object.entries(value).filter(([key]) => keep(key))) : {};

/** The part of a file with the right shape: none or one. */
function validSubset(
  file: SchemaFile,
  shape: readonly Problem[],
  customFields: CustomFields,
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
  const source = sourceOf(rest, customFields);
  const left = new Set(Object.keys(content.attributes));
  const without = Object.keys(filter(attributes, (name) => !left.has(name)));
  return source === null ? [] : [{ source, without: new Set(without) }];
}

/** Checks the valid part: its attributes, and what they refer to. */
const checkRightPart = ({ source, without }: ValidSubset, models: Models): readonly Problem[] => {
  const pointsAside = ({ targetField }: RawAttribute): boolean =>
    targetField !== undefined && without.has(targetField);
  const attributes = Object.fromEntries(
    Object.entries(source.raw.attributes).filter(([, raw]) => !pointsAside(raw)),
  );
  const left = { ...source, raw: { ...source.raw, attributes } } as ModelSource;
  return [...checkAttributes(left), ...checkReferences(left, models)];
};

/** The models in files, and what is wrong with them. */
export interface CheckedModels {
  readonly problems: readonly Problem[];
  /** With the built-in types; only of files with the right shape. */
  readonly sources: readonly ModelSource[];
}

/**
 * Checks the shape of each file, then its attributes, then all files together. The problems are listed file
 * by file.
 */
export function problemsIn(found: readonly SchemaFile[], customFields: CustomFields): CheckedModels {
  const files = found.filter((file) => !extendsNothing(file));
  const problems: Problem[] = [];
  const damaged: ValidSubset[] = [];
  const sources = new Map(builtInSources.map((source) => [source.uid, source]));
  for (const file of files) {
    const shape = validateFile(file);
    problems.push(...shape);
    if (shape.length > 0) {
      damaged.push(...validSubset(file, shape, customFields));
      continue;
    }
    const source = sourceOf(file, customFields, sources.get(file.uid));
    if (source) sources.set(file.uid, source);
  }
  const all = [...sources.values()];
  const uids = files.filter((file) => file.kind !== 'extension').map((file) => file.uid);
  const models: Models = { uids: new Set([...sources.keys(), ...uids]), byUid: sources };
  const types = [...all, ...damaged.map(({ source }) => source)]
    .filter((source) => source.model === 'contentType')
    .filter(({ origin }) => origin === 'api');
  const find = (uid: string): ModelSource | undefined => sources.get(uid);
  problems.push(
    ...all.flatMap((source) => [
      ...checkAttributes(source),
      ...checkReferences(source, models),
      ...checkStorage(source, find),
    ]),
    ...damaged.flatMap((part) => checkRightPart(part, models)),
    ...checkNames(types),
    ...checkCycles(all),
  );
  return { problems: fileByFile(problems), sources: all };
}

const fileByFile = (problems: readonly Problem[]): readonly Problem[] =>
  [...new Set(problems.map(({ file }) => file))].flatMap((name) =>
    problems.filter(({ file }) => file === name),
  );
