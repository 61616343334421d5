import { builtInSources } from './builtin.js';
import { checkAttributes } from './check-attributes.js';
import { checkCycles } from './check-cycles.js';
import { checkNames } from './check-names.js';
import { checkReferences, type Models } from './check-references.js';
import { checkStorage } from './check-storage.js';
import { type Problem, SchemaError } from './error.js';
import type { SchemaFile } from './files.js';
import type { ModelSource } from './raw.js';
import { soften } from './soften.js';
import { extendSource, sourceOf } from './source.js';
import { checkRightPart, type ValidSubset, validSubset } from './valid-subset.js';
import { validateFile } from './validate.js';

/**
 * The models of these files and the built-in ones, known to be right: each file by its shape, then its attributes, then all
 * together (rules D).
 * @throws SchemaError with every problem of every file
 */
export function checkSchema(
  found: readonly SchemaFile[],
  customFields: Readonly<Record<string, string>> = {},
): readonly ModelSource[] {
  const { files } = soften(found, customFields);
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
    const read = sourceOf(file, customFields);
    problems.push(...read.problems);
    const extended = file.kind === 'extension' ? sources.get(file.uid) : undefined;
    if (extended) sources.set(file.uid, extendSource(extended, read.attributes, file.file));
    else if (read.source) sources.set(file.uid, read.source);
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
  if (problems.length > 0) throw new SchemaError(fileByFile(problems));
  return all;
}

const fileByFile = (problems: readonly Problem[]): readonly Problem[] =>
  [...new Set(problems.map(({ file }) => file))].flatMap((name) =>
    problems.filter(({ file }) => file === name),
  );
