import type { Document } from 'bson';
import { Long } from 'bson';
import { fail } from '../../errors.js';
import { aNumber, anArray, anObject, argument, aString, aWholeNumber } from '../../expressions/argument.js';
import { type Members, readMembers, saying } from '../../expressions/operator.js';
import { compileAdditions, makeNode, setAction } from '../../projection/projection-tree.js';
import { hasher } from '../../values/hash-key.js';
import { facetHold, graphHold } from '../../values/hold.js';
import { toDouble } from '../../values/numbers.js';
import { flowOf, forEach, gather, PAUSE, type Paced } from '../../values/pace.js';
import { checkPath } from '../../values/paths.js';
import { bsonTypeOf, isDocument, isNullish } from '../../values/types.js';
import { isTurnOver } from '../../values/work.js';
import { type PushedDown, pushDown, pushNothing } from '../push-down.js';
import { type CompileStage, ofMembers, runStages, type Stage, type StageScope } from '../stage.js';
import { stageName, stageRule } from '../stage-rules.js';
import { filterUsesVariables } from './derive-filter.js';
import { joinFilter, localValues } from './join-keys.js';
import { compileMatch } from './match.js';

const facet: CompileStage = (operand, { scope, pipeline }) => {
  if (!isDocument(operand) || Object.keys(operand).length === 0)
    return fail(40169, 'the $facet specification must be a non-empty object');
  const facets = Object.entries(operand).map(([name, stages]) => {
    if (!Array.isArray(stages))
      return fail(40170, `arguments to $facet must be arrays, ${name} is type ${bsonTypeOf(stages)}`);
    if (name.includes('.')) fail(16412, `FieldPath field names may not contain '.': ${name}`);
    checkPath(name);
    for (const stage of stages) {
      if (!isDocument(stage))
        fail(40171, `elements of arrays in $facet spec must be non-empty objects: ${name}`);
      const inner = stageName(stage);
      if (stageRule(inner).notInFacet)
        fail(40600, `${inner} is not allowed to be used within a $facet stage`);
    }
    return { name, stages: pipeline(stages, scope) };
  });
  return {
    run: function* run(source) {
      const documents = yield* gather(source);
      const out: Document = {};
      const hold = facetHold();
      for (const { name, stages } of facets) {
        const found: Document[] = [];
        yield* forEach(runStages(flowOf(documents), stages), (document) => {
          hold.add(document);
          found.push(document);
        });
        out[name] = found;
      }
      yield out;
    },
  };
};

const NO_COLLECTION =
  '$unionWith stage without explicit collection must have a pipeline with $documents as first stage';

const UNION_WITH: Members = {
  object: saying('FailedToParse', '$op stage specification must be an object or string'),
  unknown: saying(40415, "BSON field '$op.$key' is an unknown field."),
  literals: {
    coll: aString('TypeMismatch', "BSON field '$op.coll' is the wrong type, expected type 'string'"),
    pipeline: anArray('TypeMismatch', "BSON field '$op.pipeline' is the wrong type, expected type 'array'"),
  },
};

const unionWith: CompileStage = (operand, { scope, context, pipeline, collection: open }, name) => {
  const spec = readMembers(name, typeof operand === 'string' ? { coll: operand } : operand, UNION_WITH);
  const { coll, pipeline: stages = [] } = spec;
  if (coll === undefined && !('$documents' in (stages[0] ?? {}))) fail('FailedToParse', NO_COLLECTION);
  const collection = coll === undefined ? undefined : open(coll);
  // Variables have values only here, so the collection is not queried by them.
  const isOwn = filterUsesVariables(stages[0]?.['$match'] ?? {});
  const pushed: PushedDown = isOwn ? pushNothing(stages) : pushDown(stages, context.shortcuts);
  const rest = pipeline(pushed.rest, scope, collection);
  return {
    run: function* run(source) {
      yield* source;
      const { filter, sort, skip, limit, fields } = pushed;
      yield* runStages(collection?.find({ filter, sort, skip, limit, fields }) ?? [], rest);
    },
  };
};

const aPath = (name: string) => aString(40103, `expected string as argument for ${name}, found: $type`);
const DEPTH = 'maxDepth could not be represented as a long long: $number';

const GRAPH_LOOKUP: Members = {
  object: saying('FailedToParse', 'the $op stage specification must be an object'),
  unknown: 40104,
  required: ['startWith', 'connectFromField', 'connectToField', 'as'],
  missing: 40105,
  literals: {
    from: argument((value): value is unknown => typeof value === 'string' || isDocument(value))(
      'FailedToParse',
      "$op argument 'from' must be a string, but found $type",
    ),
    connectFromField: aPath('connectFromField'),
    connectToField: aPath('connectToField'),
    as: aPath('as'),
    depthField: aPath('depthField'),
    maxDepth: {
      ...aWholeNumber(40102, DEPTH),
      first: aNumber(40100, 'maxDepth must be numeric, found type: $type'),
    },
    restrictSearchWithMatch: anObject(40185, 'restrictSearchWithMatch must be an object'),
  },
};

/** Throws for `$graphLookup` operands that have the right type but an invalid value. */
function checkGraph({ from, maxDepth, connectFromField, connectToField, as, depthField }: Document): void {
  if (from === undefined)
    fail('FailedToParse', "$graphLookup argument 'from' must be a string, but found missing");
  if (from === '') fail('InvalidNamespace', "Invalid $graphLookup namespace: ''");
  for (const path of [connectFromField, connectToField, as, depthField])
    if (path !== undefined) checkPath(path);
  if (toDouble(maxDepth) < 0)
    fail(40101, `maxDepth requires a nonnegative argument, found: ${toDouble(maxDepth)}`);
}

/** Documents with the same _id are the same, whatever the collation used for joining. */
const hashById = hasher(undefined);

function graphLookup(spec: Document, { scope, collection: open }: StageScope): Stage {
  checkGraph(spec);
  const { from, startWith, connectFromField, connectToField, as, maxDepth, depthField } = spec;
  const start = scope.compile(startWith);
  const restrict: Document = spec['restrictSearchWithMatch'] ?? {};
  // Variables have values only here, so the collection is queried without these conditions.
  const ofVariables = filterUsesVariables(restrict);
  const passes = compileMatch(restrict, scope);
  const next = localValues(connectFromField);
  const deepest = maxDepth === undefined ? Number.POSITIVE_INFINITY : toDouble(maxDepth);
  const numbered = (document: Document, depth: number): Document =>
    depthField === undefined ? document : { ...document, [depthField]: Long.fromNumber(depth) };
  const collection = isDocument(from) ? open(from['coll'], from['db']) : open(from);
  const walk = function* (root: Document): Paced<Document[]> {
    const found = new Map<unknown, Document>();
    const asked = new Set<unknown>();
    const hold = graphHold();
    const first = start(root);
    // A missing value leads nowhere, and null leads only to nulls.
    let frontier = Array.isArray(first) ? first : first === undefined ? [] : [first];
    for (let depth = 0; depth <= deepest && frontier.length > 0; depth++) {
      const values: unknown[] = [];
      for (const value of frontier) {
        if (!asked.has(scope.hash(value))) values.push(value);
        if (isTurnOver()) yield PAUSE;
      }
      for (const value of values) asked.add(scope.hash(value));
      if (values.length === 0) break;
      const joined = joinFilter(connectToField, values);
      const join = values.some(isNullish)
        ? { $and: [joined, { [connectToField]: { $exists: true } }] }
        : joined;
      const filter = ofVariables || Object.keys(restrict).length === 0 ? join : { $and: [join, restrict] };
      const reached: unknown[] = [];
      yield* forEach(collection.find({ filter }), (document) => {
        if (ofVariables && !passes(document)) return;
        const key = hashById(document['_id']);
        if (found.has(key)) return;
        found.set(key, numbered(document, depth));
        hold.add(document);
        for (const value of next(document)) {
          if (value === null) continue;
          hold.add(value);
          reached.push(value);
        }
      });
      frontier = reached;
    }
    return [...found.values()];
  };
  const node = makeNode();
  let walked: Document[] = [];
  setAction(node, as, { kind: 'compute', evaluate: () => walked });
  const add = compileAdditions(node);
  return {
    run: function* run(source) {
      for (const document of source) {
        if (document === PAUSE) yield PAUSE;
        else {
          walked = yield* walk(document);
          yield add(document);
        }
      }
    },
  };
}

const documents: CompileStage = (operand, { scope }) => {
  const list = scope.compile(operand).constant?.value ?? scope.compile(operand)({});
  if (!Array.isArray(list))
    return fail(5858203, 'error during aggregation :: caused by :: an array is expected');
  return {
    run: function* run() {
      for (const item of list) {
        if (!isDocument(item)) fail(40228, "'replacement document' expression must evaluate to an object");
        yield item as Document;
      }
    },
  };
};

/** Stages that combine documents. */
export const COMBINE: Readonly<Record<string, CompileStage>> = {
  $facet: facet,
  $unionWith: unionWith,
  $graphLookup: ofMembers(GRAPH_LOOKUP, graphLookup),
  $documents: documents,
};
