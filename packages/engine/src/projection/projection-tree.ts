import type { Document } from 'bson';
import { fail } from '../errors.js';
import type { Evaluate } from '../expressions/scope.js';
import { carryMetadata } from '../values/metadata.js';
import { checkPath, setMember } from '../values/paths.js';
import { isDocument } from '../values/types.js';

/** Changes an included value, such as `$slice`; `undefined` removes it. */
export type Transform = (value: unknown, root: Document) => unknown;

/** What a projection does with one member. */
export type Action =
  | { readonly kind: 'include' }
  | { readonly kind: 'exclude' }
  | { readonly kind: 'compute'; readonly evaluate: Evaluate }
  | { readonly kind: 'transform'; readonly transform: Transform }
  | Node;

/** The members of one level. */
export interface Node {
  readonly kind: 'node';
  readonly members: Map<string, Action>;
}

export const makeNode = (): Node => ({ kind: 'node', members: new Map() });

/** Sets the action for a path. Throws 31249 or 31250 if it conflicts with another path. */
export function setAction(node: Node, path: string, action: Action): void {
  checkPath(path);
  const parts = path.split('.');
  const last = parts.pop() as string;
  let at = node;
  for (const part of parts) {
    const next = at.members.get(part) ?? makeNode();
    if (next.kind !== 'node') fail(31249, `Path collision at ${path} remaining portion ${last}`);
    at.members.set(part, next);
    at = next;
  }
  if (at.members.has(last)) fail(31250, `Path collision at ${path}`);
  at.members.set(last, action);
}

/** What happens to members that are not in the tree. */
export type Mode = 'include' | 'exclude';

function projectValue(value: unknown, node: Node, mode: Mode, root: Document): unknown {
  if (isDocument(value)) return projectDocument(value, node, mode, root);
  if (!Array.isArray(value)) return mode === 'exclude' ? value : undefined;
  const out: unknown[] = [];
  // Keeps the positions of elements that are not documents, since computed members are added by position.
  const keepsPlaces = computes(node);
  for (const item of value) {
    const projected = projectValue(item, node, mode, root);
    if (projected !== undefined) out.push(projected);
    else if (keepsPlaces) out.push(null);
  }
  return out;
}

/** Includes and excludes members, in the document's order, followed by computed ones. */
function projectDocument(document: Document, node: Node, mode: Mode, root: Document): Document {
  const out: Document = {};
  const { members } = node;
  for (const name in document) {
    const action = members.get(name);
    let value = document[name];
    if (action === undefined) {
      if (mode === 'include') continue;
    } else if (action.kind === 'node') value = projectValue(value, action, mode, root);
    else if (action.kind === 'transform') value = action.transform(value, root);
    else if (action.kind === 'exclude' || (action.kind === 'compute' && mode === 'include')) continue;
    if (value !== undefined) setMember(out, name, value);
  }
  return out;
}

/** Whether any member in a node is computed. */
function computes(node: Node): boolean {
  for (const action of node.members.values()) {
    if (action.kind === 'compute' || (action.kind === 'node' && computes(action))) return true;
  }
  return false;
}

function addToValue(value: unknown, node: Node, root: Document): unknown {
  if (Array.isArray(value)) return value.map((item) => addToValue(item, node, root));
  const out: Document = isDocument(value) ? { ...value } : {};
  addComputed(out, node, root);
  return out;
}

/** Adds the computed members to a new document. */
function addComputed(out: Document, node: Node, root: Document): void {
  for (const [name, action] of node.members) {
    if (action.kind === 'compute') {
      const value = action.evaluate(root);
      if (value !== undefined) setMember(out, name, value);
      else if (name in out) delete out[name];
    } else if (action.kind === 'node' && computes(action)) {
      setMember(out, name, addToValue(out[name], action, root));
    }
  }
}

/** Compiles a tree whose members are all computed, which are added to the whole document. */
export function compileAdditions(node: Node): (document: Document) => Document {
  const flat = [...node.members].every(([, action]) => action.kind === 'compute');
  const [only] = [...node.members];
  if (
    flat &&
    node.members.size === 1 &&
    only !== undefined &&
    only[1].kind === 'compute' &&
    only[0] !== '__proto__'
  ) {
    const [name, { evaluate }] = only;
    return (document) => {
      const value = evaluate(document);
      if (value !== undefined) return { ...document, [name]: value };
      const { [name]: _removed, ...rest } = document;
      return rest;
    };
  }
  return (document) => {
    const out = { ...document };
    addComputed(out, node, document);
    return out;
  };
}

/** Compiles a tree of inclusions or exclusions. */
export function compileTree(node: Node, mode: Mode): (document: Document) => Document {
  const project = (document: Document): Document => {
    const out = projectDocument(document, node, mode, document);
    carryMetadata(document, out);
    return out;
  };
  if (!computes(node)) return project;
  return (document) => {
    const out = project(document);
    addComputed(out, node, document);
    return out;
  };
}
