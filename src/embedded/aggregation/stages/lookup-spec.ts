import type { Document } from 'bson';
import { fail } from '../../errors.js';
import { checkPath } from '../../values/paths.js';
import { shellText } from '../../values/shell-text.js';
import { bsonTypeOf, isDocument } from '../../values/types.js';

/** A checked `$lookup`. */
export interface LookupSpec {
  readonly from: string | undefined;
  readonly database: string | undefined;
  readonly as: string;
  readonly join: { readonly local: string; readonly foreign: string } | undefined;
  readonly variables: Document;
  readonly pipeline: readonly Document[] | undefined;
}

const KNOWN = ['from', 'localField', 'foreignField', 'as', 'let', 'pipeline'];

function text(spec: Document, name: string): string | undefined {
  const value = spec[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string')
    return fail(
      'FailedToParse',
      `$lookup argument '${name}: ${shellText(value)}' must be a string, is type ${bsonTypeOf(value)}`,
    );
  return value;
}

function sourceOf(from: unknown): { from: string | undefined; database: string | undefined } {
  if (isDocument(from)) return { from: from['coll'], database: from['db'] };
  if (from !== undefined && typeof from !== 'string')
    fail('FailedToParse', `$lookup argument 'from' must be a string, is type ${bsonTypeOf(from)}`);
  if (from === '') fail('InvalidNamespace', "$lookup argument 'from' must be a valid namespace");
  return { from: from as string | undefined, database: undefined };
}

/** Reads the operand of `$lookup` in any of its forms. Throws FailedToParse for a malformed one. */
export function parseLookup(operand: unknown): LookupSpec {
  if (!isDocument(operand))
    return fail(
      'FailedToParse',
      `the $lookup specification must be an Object, but found ${bsonTypeOf(operand)}`,
    );
  for (const name of Object.keys(operand))
    if (!KNOWN.includes(name)) fail('FailedToParse', `unknown argument to $lookup: ${name}`);
  const { from, database } = sourceOf(operand['from']);
  const as = text(operand, 'as');
  const local = text(operand, 'localField');
  const foreign = text(operand, 'foreignField');
  const { let: variables = {}, pipeline } = operand;
  if (as === undefined) return fail('FailedToParse', "must specify 'as' field for a $lookup");
  checkPath(as);
  if ((local === undefined) !== (foreign === undefined)) {
    fail(
      'FailedToParse',
      "$lookup requires both or neither of 'localField' and 'foreignField' to be specified",
    );
  }
  if (pipeline !== undefined && !Array.isArray(pipeline))
    fail('TypeMismatch', "'pipeline' option must be specified as an array");
  if (pipeline === undefined && local === undefined) {
    fail(
      'FailedToParse',
      "$lookup requires either 'pipeline' or both 'localField' and 'foreignField' to be specified",
    );
  }
  if (from === undefined && pipeline === undefined)
    fail('FailedToParse', "missing 'from' option to $lookup stage specification");
  if (!isDocument(variables)) fail('FailedToParse', "$lookup argument 'let' must be an object");
  if ('let' in operand && pipeline === undefined)
    fail('FailedToParse', "$lookup with a 'let' argument must also specify 'pipeline'");
  if (local !== undefined) checkPath(local);
  const join = local !== undefined && foreign !== undefined ? { local, foreign } : undefined;
  return { from, database, as, join, variables, pipeline };
}
