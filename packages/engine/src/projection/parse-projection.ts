import type { Document } from 'bson';
import { fail } from '../errors.js';
import { isExpression } from '../expressions/compile-expression.js';
import type { Scope } from '../expressions/scope.js';
import { checkPath, isReferenceMember } from '../values/paths.js';
import { isTruthy } from '../values/type-names.js';
import { isDocument, isNumeric } from '../values/types.js';
import { type Action, type Mode, makeNode, type Node, setAction } from './projection-tree.js';

/** Creates an action for an operator that only find's projections support; undefined for others. */
type FindOperator = (
  path: string,
  operand: Document,
) => (Action & { readonly implies?: Mode; readonly unsaid?: Mode }) | undefined;

interface Parsing {
  readonly node: Node;
  readonly scope: Scope;
  readonly findOperator: FindOperator | undefined;
  mode: Mode | undefined;
  /** The default for paths that are not mentioned. */
  unsaid?: Mode | undefined;
}

/** Whether a value means that a field is included or excluded. */
export const isFlag = (value: unknown): boolean => typeof value === 'boolean' || isNumeric(value);

/** Whether a document within a projection names members: one of a reference, such as `$ref`, is not an operator. */
export function namesMembers(value: Document): boolean {
  const [name = '', ...others] = Object.keys(value);
  return others.length > 0 || !name.startsWith('$') || (isReferenceMember(name) && isFlag(value[name]));
}

function agree(parsing: Parsing, mode: Mode, path: string): void {
  if (parsing.mode !== undefined && parsing.mode !== mode) {
    const [code, is] = mode === 'include' ? [31253, 'inclusion'] : [31254, 'exclusion'];
    fail(
      code,
      `Cannot do ${is} on field ${path} in ${mode === 'include' ? 'exclusion' : 'inclusion'} projection`,
    );
  }
  parsing.mode = mode;
}

function parseFlag(parsing: Parsing, path: string, value: unknown): void {
  const mode = isTruthy(value) ? 'include' : 'exclude';
  // The _id may differ from the others.
  if (path !== '_id') agree(parsing, mode, path);
  setAction(parsing.node, path, { kind: mode });
}

function parseOperators(parsing: Parsing, path: string, value: Document): void {
  const special = parsing.findOperator?.(path, value);
  if (special !== undefined) {
    if (special.implies !== undefined) agree(parsing, special.implies, path);
    // If `$slice` is combined with `$elemMatch`, everything else is included.
    if (parsing.unsaid !== 'exclude') parsing.unsaid = special.unsaid ?? parsing.unsaid;
    setAction(parsing.node, path, special);
    return;
  }
  const name = Object.keys(value)[0] as string;
  if (name === '$elemMatch') fail('InvalidPipelineOperator', 'Cannot use $elemMatch in this context');
  if (!isExpression(name)) fail(31325, `Unknown expression ${name}`);
  parseComputed(parsing, path, value, name === '$meta');
}

/** Metadata can be combined with included and excluded fields. */
function parseComputed(parsing: Parsing, path: string, value: unknown, isMeta = false): void {
  if (parsing.mode === 'exclude' && !isMeta) {
    const code = isDocument(value) ? 31252 : 31310;
    fail(code, `Cannot use an expression other than $meta in exclusion projection: ${path}`);
  }
  if (!isMeta) agree(parsing, 'include', path);
  else if (parsing.findOperator === undefined) parsing.unsaid = 'include';
  setAction(parsing.node, path, { kind: 'compute', evaluate: parsing.scope.compile(value) });
}

function parseMember(parsing: Parsing, path: string, value: unknown): void {
  if (isFlag(value)) {
    parseFlag(parsing, path, value);
    return;
  }
  if (!isDocument(value)) {
    parseComputed(parsing, path, value);
    return;
  }
  const names = Object.keys(value);
  if (names.length === 0)
    fail(51270, `An empty sub-projection is not a valid value. Found empty object at path ${path}`);
  if (!namesMembers(value)) {
    parseOperators(parsing, path, value);
    return;
  }
  for (const name of names) {
    checkPath(`${path}.${name}`);
    parseMember(parsing, `${path}.${name}`, value[name]);
  }
}

/** A checked projection. */
export interface Projection {
  readonly node: Node;
  readonly mode: Mode;
}

/** Reads a projection document: flags, nested documents, expressions. Throws MongoDB's codes for a mixed one. */
export function parseProjection(spec: Document, scope: Scope, findOperator?: FindOperator): Projection {
  const parsing: Parsing = { node: makeNode(), scope, findOperator, mode: undefined };
  for (const [path, value] of Object.entries(spec)) {
    if (path.endsWith('.$') && findOperator === undefined)
      fail(31324, 'Cannot use positional projection in aggregation projection');
    checkPath(path);
    parseMember(parsing, path, value);
  }
  const id = parsing.node.members.get('_id');
  const byId = id === undefined || id.kind === 'exclude' ? undefined : 'include';
  const mode = parsing.mode ?? byId ?? parsing.unsaid ?? 'exclude';
  if (mode === 'include' && id === undefined) parsing.node.members.set('_id', { kind: 'include' });
  return { node: parsing.node, mode };
}
