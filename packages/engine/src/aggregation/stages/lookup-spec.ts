import type { Document } from 'bson';
import { fail } from '../../errors.js';
import { anArray, anObject, argument, aString } from '../../expressions/argument.js';
import { type Members, readMembers, saying } from '../../expressions/operator.js';
import { checkPath } from '../../values/paths.js';
import { isDocument } from '../../values/types.js';

/** A checked `$lookup`. */
export interface LookupSpec {
  readonly from: string | undefined;
  readonly database: string | undefined;
  readonly as: string;
  readonly join: { readonly local: string; readonly foreign: string } | undefined;
  readonly variables: Document;
  readonly pipeline: readonly Document[] | undefined;
}

const aText = (name: string) =>
  aString('FailedToParse', `$op argument '${name}: $value' must be a string, is type $type`);

const MEMBERS: Members = {
  object: saying('FailedToParse', 'the $op specification must be an Object, but found $type'),
  unknown: saying('FailedToParse', 'unknown argument to $op: $key'),
  required: ['as'],
  missing: saying('FailedToParse', "must specify 'as' field for a $op"),
  literals: {
    from: argument((value): value is unknown => typeof value === 'string' || isDocument(value))(
      'FailedToParse',
      "$op argument 'from' must be a string, is type $type",
    ),
    as: aText('as'),
    localField: aText('localField'),
    foreignField: aText('foreignField'),
    let: anObject('FailedToParse', "$op argument 'let' must be an object"),
    pipeline: anArray('TypeMismatch', "'pipeline' option must be specified as an array"),
  },
};

const refuse = (reason: string): never => fail('FailedToParse', reason);

/** Reads the operand of `$lookup` in any of its forms. Throws FailedToParse if it is malformed. */
export function parseLookup(operand: unknown): LookupSpec {
  const spec = readMembers('$lookup', operand, MEMBERS);
  const { from: given, as, localField: local, foreignField: foreign, pipeline, let: variables = {} } = spec;
  const { coll: from, db: database } = isDocument(given) ? given : { coll: given, db: undefined };
  if (given === '') fail('InvalidNamespace', "$lookup argument 'from' must be a valid namespace");
  checkPath(as);
  if ((local === undefined) !== (foreign === undefined))
    refuse("$lookup requires both or neither of 'localField' and 'foreignField' to be specified");
  if (pipeline === undefined && local === undefined)
    refuse("$lookup requires either 'pipeline' or both 'localField' and 'foreignField' to be specified");
  if (from === undefined && pipeline === undefined)
    refuse("missing 'from' option to $lookup stage specification");
  if ('let' in spec && pipeline === undefined)
    refuse("$lookup with a 'let' argument must also specify 'pipeline'");
  if (local !== undefined) checkPath(local);
  const join = local === undefined ? undefined : { local, foreign };
  return { from, database, as, join, variables, pipeline };
}
