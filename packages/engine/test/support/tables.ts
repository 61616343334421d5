import { STAGE_RULES, type StageRule } from '../../src/aggregation/stage-rules.js';
import { COLLECTION_OPTIONS } from '../../src/commands/collection-fields.js';
import type { Declaration } from '../../src/commands/declaration.js';
import { DECLARATIONS } from '../../src/commands/table.js';
import { INDEX_OPTIONS, type IndexOption } from '../../src/indexes/index-fields.js';
import type { Fields } from '../../src/options/read-fields.js';
import { LIMIT_PARAMETERS } from '../../src/values/limits.js';

/** The page that contains the tables. */
export const DOCUMENT = 'docs/embedded.md';

const typeOf = (field: Fields[string]): string => (typeof field === 'string' ? field : field.type);

const fieldsOf = (fields: Fields | undefined): string =>
  fields === undefined
    ? 'any'
    : Object.entries(fields)
        .map(([name, field]) => `\`${name}\` ${typeOf(field)}`)
        .join(', ') || 'none';

function placesOf({ transaction, views, admin, stable, retryable }: Declaration): string {
  const places = [
    transaction === 'yes'
      ? 'in transactions'
      : transaction === 'not first'
        ? 'in transactions, but not first'
        : '',
    transaction === 'ends it' ? 'ends a transaction' : '',
    views === 'refused' ? 'not on views' : '',
    admin === true ? 'on `admin`' : '',
    retryable === true ? 'retryable' : '',
    stable === true ? 'Stable API' : '',
  ];
  return places.filter((place) => place !== '').join('; ');
}

const commands = (): string[] => [
  '| command | fields and their types | rules |',
  '|---|---|---|',
  ...Object.entries(DECLARATIONS)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, of]) => `| \`${name}\` | ${fieldsOf(of.fields)} | ${placesOf(of)} |`),
];

const limits = (): string[] => [
  '| `limits` | `setParameter` | default |',
  '|---|---|---:|',
  ...Object.entries(LIMIT_PARAMETERS).map(
    ([name, { limit, by }]) => `| \`${limit}\` | \`${name}\` | ${by} |`,
  ),
];

const stored = (option: IndexOption): string =>
  option.stored === 'never' ? 'no' : option.stored === 'if true' ? 'if true' : 'yes';

const indexes = (): string[] => [
  '| index option | type | stored | on `_id` | `collMod` |',
  '|---|---|---|---|---|',
  ...Object.entries(INDEX_OPTIONS).map(([name, option]) => {
    const { type, ofId, changes } = option;
    return `| \`${name}\` | ${type} | ${stored(option)} | ${ofId ? 'yes' : ''} | ${changes ? `since ${changes.toFixed(1)}` : ''} |`;
  }),
];

const collections = (): string[] => [
  '| collection option | type | stored | `collMod` | since |',
  '|---|---|---|---|---:|',
  ...Object.entries(COLLECTION_OPTIONS).map(
    ([name, { type, of, changes, since }]) =>
      `| \`${name}\` | ${type} | ${of === undefined ? 'no' : of === 'both' ? 'for collections and views' : `for ${of}s`} | ${changes ? 'yes' : ''} | ${since ?? ''} |`,
  ),
];

function standsOf({
  place,
  on,
  notInFacet,
  updates,
  changes,
  outside,
  since,
  missing,
  unstable,
}: StageRule): string {
  if (missing) return 'rejected (238)';
  const facts = [
    place === 'first' ? 'must be first' : place === 'last' ? 'must be last' : '',
    on === undefined ? '' : `on \`{aggregate: 1}\`${on === 'admin' ? ' of `admin`' : ''}`,
    notInFacet === true ? 'not in `$facet`' : '',
    outside === true || place === 'last' ? 'not in transactions' : '',
    updates === true ? 'in updates' : '',
    changes === true ? 'in change streams' : '',
    unstable === true ? 'not in the Stable API' : '',
    since === undefined ? '' : `since ${since}`,
  ];
  return facts.filter((fact) => fact !== '').join('; ');
}

const stages = (): string[] => [
  '| stage | rules |',
  '|---|---|',
  ...Object.entries(STAGE_RULES).map(([name, rule]) => `| \`${name}\` | ${standsOf(rule)} |`),
];

const TABLES: Readonly<Record<string, () => string[]>> = { commands, limits, collections, indexes, stages };

/** A page with up-to-date tables, each between the comments that name it. */
export const withTables = (page: string): string =>
  Object.entries(TABLES).reduce(
    (text, [name, lines]) =>
      text.replace(
        new RegExp(`(<!-- ${name} -->\\n)[^]*?(<!-- /${name} -->)`),
        (_, begin: string, end: string) => `${begin}${lines().join('\n')}\n${end}`,
      ),
    page,
  );
