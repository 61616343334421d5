import { InvalidArgumentError, Option } from 'commander';
import { PARTS, type Part, type SelectedParts } from '../transfer/source/selection.js';

/** A comma-separated list, as in Strapi's commands. */
const listOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

const partsOf = (text: string): readonly Part[] =>
  listOf(text).map((name) => {
    const part = PARTS.find((known) => known === name);
    if (!part) throw new InvalidArgumentError(`It must be a list of ${PARTS.join(', ')}.`);
    return part;
  });

/** The options that select what is exported or imported. */
export interface SelectionOptions {
  readonly only?: readonly Part[];
  readonly exclude?: readonly Part[];
  readonly onlyContentTypes?: readonly string[];
  readonly excludeContentTypes?: readonly string[];
}

export const SELECTION: readonly Option[] = [
  new Option('--only <parts>', `only these parts: ${PARTS.join(',')}`).argParser(partsOf),
  new Option('--exclude <parts>', 'all parts except these').argParser(partsOf),
  new Option('--only-content-types <uids>', 'only these types: api::a.a,api::b.b').argParser(listOf),
  new Option('--exclude-content-types <uids>', 'all types except these').argParser(listOf),
];

export const selectionOf = (options: SelectionOptions): SelectedParts => ({
  parts: (options.only ?? PARTS).filter((part) => !options.exclude?.includes(part)),
  onlyTypes: options.onlyContentTypes ?? null,
  excludedTypes: options.excludeContentTypes ?? [],
});
