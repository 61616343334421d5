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
    reason: 'the same commands are rejected, but some with other codes',
  },
  {
    feature: 'fields of commands',
    engines: ['ferretdb', 'secantusdb'],
    reason: 'unknown fields and other types are accepted',
  },
  {
    feature: 'transactions',
    engines: ['ferretdb'],
    standalone: true,
    reason: 'no commit or abort: a write in a transaction takes effect at once',
  },
  {
    feature: 'databases closed to transactions',
    engines: ['secantusdb'],
    reason: 'a transaction can read and write admin, config and local',
  },
  { feature: 'change streams', engines: ['ferretdb'], standalone: true, reason: 'not supported' },
  {
    feature: 'a transaction shown at its commit',
    engines: ['secantusdb'],
    standalone: true,
    reason: 'the events of a transaction are ordered by the time of the write, not of the commit',
  },
  {
    feature: 'explain',
    engines: ['ferretdb', 'secantusdb', 'mongod'],
    reason: 'FerretDB returns a plan of PostgreSQL, SecantusDB none, and mongod the plan of another planner',
  },
  {
    feature: 'turns',
    engines: ['ferretdb', 'secantusdb'],
    reason:
      'the tests are about the one thread that all operations share; other engines have their own maxTimeMS, killOp and currentOp',
  },
  { feature: 'validate', engines: ['ferretdb', 'secantusdb'], reason: 'indexes are not checked' },
  {
    feature: 'conflicts of indexes',
    engines: ['ferretdb', 'secantusdb'],
    reason: 'other codes, and the same keys are accepted under another name',
  },
  {
    feature: 'no two arrays in a key',
    engines: ['ferretdb', 'secantusdb'],
    reason: 'a compound index accepts two arrays',
  },
  {
    feature: 'values freed by an update',
    engines: ['secantusdb'],
    reason: 'a unique value stays in use after an update has replaced it',
  },
  {
    feature: 'a rename in one step',
    engines: ['ferretdb', 'secantusdb'],
    reason:
      'one cannot rename a collection with a dot in its name, the other copies it; in both, $out empties the old one first',
  },
  {
    feature: 'a foreign field within a list',
    engines: ['secantusdb'],
    reason: '$lookup with a pipeline finds nothing if its foreignField goes through an array of documents',
  },
  {
    feature: 'key of duplicates',
    engines: ['ferretdb'],
    reason: 'error 11000 has no keyPattern or keyValue, and is code 1 from findAndModify',
  },
  {
    feature: 'retry record',
    engines: ['ferretdb', 'secantusdb'],
    standalone: true,
    reason: 'a retried write with the same txnNumber is done again',
  },
  {
    feature: 'one state for a cursor',
    engines: ['ferretdb', 'secantusdb', 'mongod'],
    reason: 'a cursor sees later writes, as MongoDB allows; elsewhere, a maxTimeMS of 1 may be enough',
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
    reason: 'a set comes in another order; MongoDB guarantees none',
  },
  {
    rows: /"additionalProperties":false|"dependencies"/,
    engines: ['ferretdb'],
    reason: '$jsonSchema does not support additionalProperties or dependencies',
  },
  {
    rows: /^\{"n":\{"\$size":"\$b"\},"s":"\$c\.g"\}$/,
    engines: ['ferretdb'],
    reason: 'a computed field keeps the position of the field that it replaces',
  },
  {
    rows: /^\{"a":\{("\$regex":\{\},"\$options":"s"|"\$options":"s","\$regex":\{\})\}\}$/,
    engines: ['secantusdb'],
    reason: 'options both in the pattern and beside it are accepted',
  },
  {
    rows: /^\[\{"\$facet":\{"a":\[\{"\$(currentOp|listSessions)":/,
    engines: ['secantusdb'],
    reason: '$facet accepts stages that must come first in a pipeline',
  },
  {
    rows: /^\{"a":\{\}\}$|^\[\{"\$project":\{\}\}\]$/,
    engines: ['ferretdb'],
    reason: 'an empty projection is accepted',
  },
  {
    rows: /^\[\{"\$group":\{"_id":\{"x":"\$none","y"/,
    engines: ['ferretdb'],
    reason: 'a missing field of a group key is null, even beside other fields',
  },
  {
    rows: /^\[\{"\$group":\{"_id":\{"x":"\$none"\}/,
    engines: ['secantusdb'],
    reason: 'a missing field of a group key stays missing, even if it is the only one',
  },
  {
    rows: /"\$add":\[\{"\$numberDecimal":"0\.1"\},0\.2\]/,
    engines: ['ferretdb', 'secantusdb'],
    reason: 'a double is rounded to 15 digits before it is added to a decimal',
  },
  {
    rows: /"Jul 4 2017 11:56:02 EDT"|"2017-W27-2"/,
    engines: ['ferretdb'],
    reason: '$dateFromString accepts neither week dates nor time zone names after dates in words',
  },
  {
    rows: /"to":"minKey"/,
    engines: ['secantusdb'],
    reason: 'onError does not cover types that $convert cannot produce',
  },
  {
    rows: /"(\$elemMatch|\$in)":\[?\{"\$ref":"x"/,
    engines: ['secantusdb'],
    reason: 'the fields of a DBRef are treated as operators',
  },
  { rows: /"enum":\[\{"y":1,"x"/, engines: ['ferretdb'], reason: 'enum depends on the order of fields' },
  {
    rows: /"uniqueItems":true\}\}\}\},\{"a":\[\{"x"/,
    engines: ['secantusdb'],
    reason: 'uniqueItems depends on the order of fields',
  },
  {
    rows: /"default":"\$a"|"\$bucketAuto":\{"groupBy":1/,
    engines: ['secantusdb'],
    reason: 'the arguments of $bucket and $bucketAuto are not checked',
  },
  { rows: /"\$count":"n"\}\]$/, engines: ['ferretdb'], reason: '$count over no documents returns {n: 0}' },
  {
    rows: /^\[\{\},\{"\$set":\{"z":1\},"\$inc":\{"b":1\}\}\]$/,
    engines: ['ferretdb'],
    reason: 'new fields come in the order of the update instead of by name',
  },
  {
    rows: /"a\.\$b"/,
    engines: ['ferretdb', 'secantusdb'],
    reason: 'a field name with a dollar sign is accepted',
  },
  {
    rows: /^"\$d\.[xy]"$|^"\$a\.0"$/,
    engines: ['secantusdb'],
    reason: 'an expression path does not traverse arrays',
  },
  {
    rows: /"\$meta":"(sortKey|indexKey|recordId)"\}+(,|\]).*"(sort|hint|\$sort)"|"(sort|hint|\$sort)".*"\$meta"|"\$meta":"recordId"/,
    engines: ['ferretdb', 'secantusdb'],
    reason: '$meta does not support sortKey, indexKey or recordId',
  },
  {
    rows: /"projection":\{"k":\{"\$meta":"sortKey"\}\}\}$/,
    engines: ['secantusdb'],
    reason: 'an unknown $meta is ignored',
  },
  {
    rows: /"a\.\$\.v"/,
    engines: ['ferretdb', 'secantusdb'],
    reason: 'a positional operator in the middle of a path is rejected or not resolved',
  },
  {
    rows: /"find":"one","filter":\{"b":1,"a":3\}.*"b\.\$":1|"find":"one".*"a\.\$\.":1/,
    engines: ['secantusdb'],
    reason: 'a positional projection is accepted where the filter matches no array',
  },
  {
    rows: /"a\.b\.\$"/,
    engines: ['ferretdb', 'secantusdb'],
    reason: 'the positional operator applies to another array of the path',
  },
  {
    rows: /"findAndModify".*("arrayFilters"|"new":true,"fields")/,
    engines: ['ferretdb'],
    reason: 'arrayFilters with remove and a positional projection of the new document are accepted',
  },
  {
    rows: /^\{"aggregate":"one","pipeline":\[\{"\$group":\{"_id":\{"a":"\$a"\}/,
    engines: ['secantusdb'],
    reason: 'a missing field of a group key stays missing, even if it is the only one',
  },
  {
    rows: /"documents":\["unbounded",\{"\$add"/,
    engines: ['ferretdb', 'secantusdb'],
    reason: 'window bounds cannot be expressions',
  },
  {
    rows: /"partitionBy":\{"\$const":\[\]\}|"\$sum":"\$v","\$avg":"\$v"/,
    engines: ['ferretdb'],
    reason: 'a constant array as partitionBy and two functions in one output field are accepted',
  },
  {
    rows: /"window":\{"documents":\[(0,1\],"unit"|1,-1)|"range":\["current",-1\]|"documents":\["unbounded","current"\]\}\}\}\}\}\]$|"\$rank":\{\}\}\},"sortBy":\{"v":1,"g"|"default":"\$v"|"a\.b":\{"\$sum":1\}/,
    engines: ['secantusdb'],
    reason: 'windows are not checked against their sort and their functions',
  },
  {
    rows: /"\$getField":\{"field":("\$s"|\{"\$concat")/,
    engines: ['ferretdb', 'secantusdb'],
    reason: 'the field name may be computed, as in versions after 7.0',
  },
  {
    rows: /"\$facet":\{"(a\.b|\$a)"/,
    engines: ['ferretdb', 'secantusdb'],
    reason: 'a facet name may contain a dot or start with a dollar sign',
  },
  {
    rows: /"CURRENT"/,
    engines: ['secantusdb'],
    reason: 'a variable named CURRENT does not replace the document',
  },
  {
    rows: /"restrictSearchWithMatch":(\{"\$expr"|"x")|"\$graphLookup".*("from":""|"as":"\$x"|"depthField":0|"maxDepth":-?[12])/,
    engines: ['secantusdb'],
    reason: 'the arguments of $graphLookup are not checked, and its filter cannot use variables',
  },
  {
    rows: /"a\.0\.b\.\$"/,
    engines: ['secantusdb'],
    reason: '$ is not resolved below an array index that the filter names',
  },
  {
    rows: /"\$add":\[\{"high":2095475792/,
    engines: ['secantusdb'],
    reason: 'dates are limited to the range of JavaScript',
  },
  {
    rows: /^\{"\$(add|subtract)":\["\$t",/,
    engines: ['secantusdb'],
    reason: '$add and $subtract do not accept dates',
  },
  {
    rows: /^\{"\$sortArray":\{"input":"\$d"/,
    engines: ['secantusdb'],
    reason: 'elements without the field sort first in either direction',
  },
  { rows: /"\$unsetField"(?!:\{"field":5)/, engines: ['secantusdb'], reason: '$unsetField is not supported' },
  { rows: /"\$dateToString".*"onNull"/, engines: ['secantusdb'], reason: 'onNull is ignored' },
  { rows: /"as":"X"/, engines: ['secantusdb'], reason: 'a variable name may start with a capital letter' },
  {
    rows: /^\{"c":\{"d":\{"e":1\}\}\}$|^\{"a\.n":\{"\$literal":0\}\}$/,
    engines: ['secantusdb'],
    reason: 'a projection accepts no nested document and computes no fields within an array',
  },
  {
    rows: /^\{"s":1,"c\.h":/,
    engines: ['secantusdb'],
    reason: 'a computed field of a nested document comes last instead of in its position',
  },
  {
    rows: /"\$unionWith":\{"pipeline":\[\{"\$documents"/,
    engines: ['secantusdb'],
    reason: '$unionWith requires a collection',
  },
  {
    rows: /"\$pop":\{"a\.b":1\}/,
    engines: ['secantusdb'],
    reason: '$pop on a path through a scalar does nothing',
  },
  {
    rows: /"\$set":\{"a\.\$\[i\].*":1,"a\.\$\[j\]/,
    engines: ['ferretdb', 'secantusdb'],
    reason: 'two array filters may match the same element',
  },
  {
    rows: /"a\.\$\[i\]":"near"/,
    engines: ['secantusdb'],
    reason: 'an array filter accepts $near and matches every element',
  },
  {
    rows: /"\$setField":\{"field":("\$s"|\{"\$concat")/,
    engines: ['secantusdb'],
    reason: 'the field name may be computed, as in versions after 7.0',
  },
  {
    rows: /LIMIT_MATCH=1\)/,
    engines: ['ferretdb'],
    reason: 'a pattern cannot set its own match limit',
  },
  {
    rows: /"regex":"(\^\\\\w\$|\(\*(UCP|CR|LIMIT_MATCH=3))/,
    engines: ['secantusdb'],
    reason: 'regular expressions have the syntax of Python',
  },
  {
    rows: /"\$dateToParts":.*"(timezone|iso8601)":(5|null|"No)|"isoWeekYear":2020,"month":1/,
    engines: ['secantusdb'],
    reason: 'the arguments of $dateToParts and $dateFromParts are not checked against each other',
  },
];

const applies = ({ engines, standalone, before = 0 }: Lack): boolean =>
  engines.some((name) => name === server.name) ||
  (server.name === 'mongod' && ((standalone === true && !server.isReplicaSet) || server.version < before));

/** Whether the engine under test has a feature. */
export const has = (feature: Feature): boolean =>
  !FEATURE_LACKS.some((lack) => lack.feature === feature && applies(lack));

/** Why the engine under test answers a row differently, if known. */
export const rowLack = (input: string): Lack | undefined =>
  ROW_LACKS.find((lack) => applies(lack) && lack.rows.test(input));
