import { server } from './which-engine.js';

export type Feature =
  | 'its own process'
  | 'codes of errors'
  | 'fields of commands'
  | 'transactions'
  | 'databases closed to transactions'
  | 'a transaction shown at its commit'
  | 'change streams'
  | 'explain'
  | 'validate'
  | 'conflicts of indexes'
  | 'no two arrays in a key'
  | 'values freed by an update'
  | 'a rename in one step'
  | 'a foreign field within a list'
  | 'key of duplicates'
  | 'retry record'
  | 'one state for a cursor'
  | 'views'
  | 'turns'
  | 'atomic bulk writes';

interface Lack {
  readonly engines: readonly ('ferretdb' | 'secantusdb' | 'mongod')[];
  /** Also a mongod that is not a replica set. */
  readonly standalone?: true;
  /** Also a mongod older than this version, `major.minor`. */
  readonly before?: number;
  readonly reason: string;
}

/** Features that another engine lacks: their tests are not run on it. */
export const FEATURE_LACKS: readonly (Lack & { readonly feature: Feature })[] = [
  {
    feature: 'its own process',
    engines: ['ferretdb', 'secantusdb', 'mongod'],
    reason: 'the test starts, kills and starves the embedded engine itself',
  },
  {
    feature: 'atomic bulk writes',
    engines: ['ferretdb', 'secantusdb', 'mongod'],
    reason: "a field of the embedded engine's own",
  },
  {
    feature: 'codes of errors',
    engines: ['ferretdb', 'secantusdb'],
    reason: 'refuses the same, by codes of its own in part',
  },
  {
    feature: 'fields of commands',
    engines: ['ferretdb', 'secantusdb'],
    reason: 'takes what it does not know, and other types',
  },
  {
    feature: 'transactions',
    engines: ['ferretdb'],
    standalone: true,
    reason: 'there is no commit nor abort: a write in a transaction is done at once',
  },
  {
    feature: 'databases closed to transactions',
    engines: ['secantusdb'],
    reason: 'a transaction may read and write admin, config and local',
  },
  { feature: 'change streams', engines: ['ferretdb'], standalone: true, reason: 'there are none' },
  {
    feature: 'a transaction shown at its commit',
    engines: ['secantusdb'],
    standalone: true,
    reason: 'events of a transaction have their place from the time of the write, not of the commit',
  },
  {
    feature: 'explain',
    engines: ['ferretdb', 'secantusdb', 'mongod'],
    reason: 'a plan of PostgreSQL; no plan at all; plans of another planner, which are its own matter',
  },
  {
    feature: 'turns',
    engines: ['ferretdb', 'secantusdb'],
    reason:
      'limits of time, killOp and currentOp are theirs to keep; the tests are of a thread that all share',
  },
  { feature: 'validate', engines: ['ferretdb', 'secantusdb'], reason: 'does not look at the indexes' },
  {
    feature: 'conflicts of indexes',
    engines: ['ferretdb', 'secantusdb'],
    reason: 'other codes, and equal keys of another name are taken',
  },
  {
    feature: 'no two arrays in a key',
    engines: ['ferretdb', 'secantusdb'],
    reason: 'a compound index takes two arrays',
  },
  {
    feature: 'values freed by an update',
    engines: ['secantusdb'],
    reason: 'a unique value stays taken after the update that replaced it',
  },
  {
    feature: 'a rename in one step',
    engines: ['ferretdb', 'secantusdb'],
    reason:
      'one renames no collection with a dot in its name, the other copies; in both, $out empties the old one first',
  },
  {
    feature: 'a foreign field within a list',
    engines: ['secantusdb'],
    reason:
      '$lookup with a pipeline finds nothing by a foreignField that leads through an array of documents',
  },
  {
    feature: 'key of duplicates',
    engines: ['ferretdb'],
    reason: '11000 comes without keyPattern and keyValue, and from findAndModify as code 1',
  },
  {
    feature: 'retry record',
    engines: ['ferretdb', 'secantusdb'],
    standalone: true,
    reason: 'a repeated numbered write is done again',
  },
  {
    feature: 'one state for a cursor',
    engines: ['ferretdb', 'secantusdb', 'mongod'],
    reason: 'a cursor sees later writes, as MongoDB allows; maxTimeMS of 1 ms may suffice elsewhere',
  },
  { feature: 'views', engines: ['ferretdb'], reason: 'create ignores viewOn' },
];

/**
 * Rows of the tables (by the text of the query) that another engine answers differently from MongoDB's documentation.
 */
export const ROW_LACKS: readonly (Lack & { readonly rows: RegExp })[] = [
  {
    rows: /"\$(sortArray|top|topN|bottom|bottomN|maxN|minN|firstN|lastN|fill|densify|documents)"|"\$filter":.*"limit"/,
    engines: [],
    before: 5.3,
    reason: 'newer than the server',
  },
  {
    rows: /^\{"\$setUnion":\["\$a",\[4,3\]\]\}$/,
    engines: ['ferretdb'],
    reason: 'a set comes in another order; MongoDB promises none',
  },
  {
    rows: /"additionalProperties":false|"dependencies"/,
    engines: ['ferretdb'],
    reason: '$jsonSchema knows neither additionalProperties nor dependencies',
  },
  {
    rows: /^\{"n":\{"\$size":"\$b"\},"s":"\$c\.g"\}$/,
    engines: ['ferretdb'],
    reason: 'a computed member keeps the place of the member that it replaces',
  },
  {
    rows: /^\{"a":\{("\$regex":\{\},"\$options":"s"|"\$options":"s","\$regex":\{\})\}\}$/,
    engines: ['secantusdb'],
    reason: 'options in the pattern and beside it are taken',
  },
  {
    rows: /^\[\{"\$facet":\{"a":\[\{"\$(currentOp|listSessions)":/,
    engines: ['secantusdb'],
    reason: 'a $facet takes stages that must be first',
  },
  {
    rows: /^\{"a":\{\}\}$|^\[\{"\$project":\{\}\}\]$/,
    engines: ['ferretdb'],
    reason: 'an empty projection is taken',
  },
  {
    rows: /^\[\{"\$group":\{"_id":\{"x":"\$none","y"/,
    engines: ['ferretdb'],
    reason: 'a missing member of a group is null, also beside others',
  },
  {
    rows: /^\[\{"\$group":\{"_id":\{"x":"\$none"\}/,
    engines: ['secantusdb'],
    reason: 'a missing member of a group stays missing, also where it is the only one',
  },
  {
    rows: /"\$add":\[\{"\$numberDecimal":"0\.1"\},0\.2\]/,
    engines: ['ferretdb', 'secantusdb'],
    reason: 'a double added to a decimal has 15 digits',
  },
  {
    rows: /"Jul 4 2017 11:56:02 EDT"|"2017-W27-2"/,
    engines: ['ferretdb'],
    reason: '$dateFromString knows neither zones beside dates in words nor weeks',
  },
  {
    rows: /"to":"minKey"/,
    engines: ['secantusdb'],
    reason: 'onError does not cover a type that nothing is converted to',
  },
  {
    rows: /"(\$elemMatch|\$in)":\[?\{"\$ref":"x"/,
    engines: ['secantusdb'],
    reason: 'members of a DBRef are taken for operators',
  },
  { rows: /"enum":\[\{"y":1,"x"/, engines: ['ferretdb'], reason: 'enum minds the order of members' },
  {
    rows: /"uniqueItems":true\}\}\}\},\{"a":\[\{"x"/,
    engines: ['secantusdb'],
    reason: 'uniqueItems minds the order of members',
  },
  {
    rows: /"default":"\$a"|"\$bucketAuto":\{"groupBy":1/,
    engines: ['secantusdb'],
    reason: 'what $bucket and $bucketAuto take is not checked',
  },
  { rows: /"\$count":"n"\}\]$/, engines: ['ferretdb'], reason: '$count of nothing is {n: 0}' },
  {
    rows: /^\[\{\},\{"\$set":\{"z":1\},"\$inc":\{"b":1\}\}\]$/,
    engines: ['ferretdb'],
    reason: 'new members come in the order of the update, not of their names',
  },
  { rows: /"a\.\$b"/, engines: ['ferretdb', 'secantusdb'], reason: 'a name with a dollar is taken' },
  {
    rows: /^"\$d\.[xy]"$|^"\$a\.0"$/,
    engines: ['secantusdb'],
    reason: 'the path of an expression does not walk through arrays',
  },
  {
    rows: /"\$meta":"(sortKey|indexKey|recordId)"\}+(,|\]).*"(sort|hint|\$sort)"|"(sort|hint|\$sort)".*"\$meta"|"\$meta":"recordId"/,
    engines: ['ferretdb', 'secantusdb'],
    reason: '$meta knows neither what was sorted by, nor keys, nor numbers of records',
  },
  {
    rows: /"projection":\{"k":\{"\$meta":"sortKey"\}\}\}$/,
    engines: ['secantusdb'],
    reason: 'a $meta that is not known is left out',
  },
  {
    rows: /"a\.\$\.v"/,
    engines: ['ferretdb', 'secantusdb'],
    reason: 'a place within a path is refused, or not looked for',
  },
  {
    rows: /"find":"one","filter":\{"b":1,"a":3\}.*"b\.\$":1|"find":"one".*"a\.\$\.":1/,
    engines: ['secantusdb'],
    reason: 'a place that no list gives is taken',
  },
  {
    rows: /"a\.b\.\$"/,
    engines: ['ferretdb', 'secantusdb'],
    reason: 'the place is looked for in another array of the path',
  },
  {
    rows: /"findAndModify".*("arrayFilters"|"new":true,"fields")/,
    engines: ['ferretdb'],
    reason: 'arrayFilters beside remove, and a positional projection of the new document, are taken',
  },
  {
    rows: /^\{"aggregate":"one","pipeline":\[\{"\$group":\{"_id":\{"a":"\$a"\}/,
    engines: ['secantusdb'],
    reason: 'a missing member of a group stays missing, also where it is the only one',
  },
  {
    rows: /"documents":\["unbounded",\{"\$add"/,
    engines: ['ferretdb', 'secantusdb'],
    reason: 'the bounds of a window are no expressions',
  },
  {
    rows: /"partitionBy":\{"\$const":\[\]\}|"\$sum":"\$v","\$avg":"\$v"/,
    engines: ['ferretdb'],
    reason: 'a constant array to partition by, and two functions in one output, are taken',
  },
  {
    rows: /"window":\{"documents":\[(0,1\],"unit"|1,-1)|"range":\["current",-1\]|"documents":\["unbounded","current"\]\}\}\}\}\}\]$|"\$rank":\{\}\}\},"sortBy":\{"v":1,"g"|"default":"\$v"|"a\.b":\{"\$sum":1\}/,
    engines: ['secantusdb'],
    reason: 'windows are not checked against each other and the sort',
  },
  {
    rows: /"\$getField":\{"field":("\$s"|\{"\$concat")/,
    engines: ['ferretdb', 'secantusdb'],
    reason: 'the name of a field may be computed, as in versions after 7.0',
  },
  {
    rows: /"\$facet":\{"(a\.b|\$a)"/,
    engines: ['ferretdb', 'secantusdb'],
    reason: 'the name of a facet may have a dot or begin with a dollar',
  },
  {
    rows: /"CURRENT"/,
    engines: ['secantusdb'],
    reason: 'a variable named CURRENT does not take the place of the document',
  },
  {
    rows: /"restrictSearchWithMatch":(\{"\$expr"|"x")|"\$graphLookup".*("from":""|"as":"\$x"|"depthField":0|"maxDepth":-?[12])/,
    engines: ['secantusdb'],
    reason: 'arguments of $graphLookup are not checked, and its filter sees no variables',
  },
  {
    rows: /"a\.0\.b\.\$"/,
    engines: ['secantusdb'],
    reason: '$ finds no element below a place that the query names',
  },
  {
    rows: /"\$add":\[\{"high":2095475792/,
    engines: ['secantusdb'],
    reason: 'dates end with those of JavaScript',
  },
  {
    rows: /^\{"\$(add|subtract)":\["\$t",/,
    engines: ['secantusdb'],
    reason: '$add and $subtract take no dates',
  },
  {
    rows: /^\{"\$sortArray":\{"input":"\$d"/,
    engines: ['secantusdb'],
    reason: 'what has no such member sorts first, whatever the direction',
  },
  { rows: /"\$unsetField"(?!:\{"field":5)/, engines: ['secantusdb'], reason: 'there is no $unsetField' },
  { rows: /"\$dateToString".*"onNull"/, engines: ['secantusdb'], reason: 'onNull is not heeded' },
  { rows: /"as":"X"/, engines: ['secantusdb'], reason: 'a variable may begin with a capital' },
  {
    rows: /^\{"c":\{"d":\{"e":1\}\}\}$|^\{"a\.n":\{"\$literal":0\}\}$/,
    engines: ['secantusdb'],
    reason: 'a projection takes no document of members, and computes none within an array',
  },
  {
    rows: /^\{"s":1,"c\.h":/,
    engines: ['secantusdb'],
    reason: 'a computed member of a document comes last, not in the place of the document',
  },
  {
    rows: /"\$unionWith":\{"pipeline":\[\{"\$documents"/,
    engines: ['secantusdb'],
    reason: '$unionWith needs a collection',
  },
  {
    rows: /"\$pop":\{"a\.b":1\}/,
    engines: ['secantusdb'],
    reason: '$pop below a scalar does nothing',
  },
  {
    rows: /"\$set":\{"a\.\$\[i\].*":1,"a\.\$\[j\]/,
    engines: ['ferretdb', 'secantusdb'],
    reason: 'two array filters may choose the same element',
  },
  {
    rows: /"a\.\$\[i\]":"near"/,
    engines: ['secantusdb'],
    reason: 'an array filter takes $near and matches all',
  },
  {
    rows: /"\$setField":\{"field":("\$s"|\{"\$concat")/,
    engines: ['secantusdb'],
    reason: 'the name of a field may be computed, as in versions after 7.0',
  },
  {
    rows: /LIMIT_MATCH=1\)/,
    engines: ['ferretdb'],
    reason: 'a pattern does not set its own limit of steps',
  },
  {
    rows: /"regex":"(\^\\\\w\$|\(\*(UCP|CR|LIMIT_MATCH=3))/,
    engines: ['secantusdb'],
    reason: 'patterns are those of Python',
  },
  {
    rows: /"\$dateToParts":.*"(timezone|iso8601)":(5|null|"No)|"isoWeekYear":2020,"month":1/,
    engines: ['secantusdb'],
    reason: 'arguments of $dateToParts and $dateFromParts are not checked against each other',
  },
];

const applies = ({ engines, standalone, before = 0 }: Lack): boolean =>
  engines.some((name) => name === server.name) ||
  (server.name === 'mongod' && ((standalone === true && !server.isReplicaSet) || server.version < before));

/** Whether the engine under test has a feature. */
export const has = (feature: Feature): boolean =>
  !FEATURE_LACKS.some((lack) => lack.feature === feature && applies(lack));

/** Why the engine under test answers a row differently, if known. */
export const rowLack = (asked: string): Lack | undefined =>
  ROW_LACKS.find((lack) => applies(lack) && lack.rows.test(asked));
