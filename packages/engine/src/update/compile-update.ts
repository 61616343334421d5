import type { Document } from 'bson';
import { compilePipeline } from '../aggregation/compile-pipeline.js';
import { runStages } from '../aggregation/stage.js';
import { notInUpdates } from '../aggregation/stage-rules.js';
import { fail } from '../errors.js';
import { expressionScope } from '../expressions/compile-expression.js';
import { compareValues, equalValues } from '../values/compare.js';
import { unpaced } from '../values/pace.js';
import { shellText } from '../values/shell-text.js';
import { ALL_SHORTCUTS } from '../values/shortcuts.js';
import { Draft } from './draft.js';
import { compileArrayFilters, compilePathOf, filterNames } from './expand-path.js';
import type { Change, UpdateOptions } from './options.js';
import { parseChanges } from './parse-changes.js';

/** An update document: operators, a replacement, or a pipeline. */
export type Update = Document | readonly Document[];

/** Returns the new version of a document, or the same object if nothing changed. The old one is never modified. */
export type ApplyUpdate = (document: Document, inserting?: boolean) => Document;

/** The kind of an update document. Pipelines are arrays, operators begin with `$`. */
export function updateKind(update: Update): 'pipeline' | 'operators' | 'replacement' {
  if (Array.isArray(update)) return 'pipeline';
  return Object.keys(update)[0]?.startsWith('$') ? 'operators' : 'replacement';
}

function checkId(old: Document, changed: Document): void {
  if (old['_id'] === undefined || equalValues(old['_id'], changed['_id'])) return;
  if (changed['_id'] === undefined)
    fail('ImmutableField', "Performing an update on the path '_id' would modify the immutable field '_id'");
  fail(
    'ImmutableField',
    `After applying the update, the (immutable) field '_id' was found to have been altered to _id: ${shellText(changed['_id'])}`,
  );
}

/** Identical including the types of numbers, which `equalValues` ignores. */
const isSame = (a: unknown, b: unknown): boolean =>
  a === b ||
  (a !== undefined &&
    b !== undefined &&
    typeof a === typeof b &&
    a?.constructor === b?.constructor &&
    equalStrictly(a, b));

function equalStrictly(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, i) => isSame(item, b[i]));
  if (compareValues(a, b) !== 0) return false;
  if (typeof a !== 'object' || a === null || Object.getPrototypeOf(a) !== Object.prototype) return true;
  return Object.keys(a).every((key) => isSame((a as Document)[key], (b as Document)[key]));
}

function applyChange(
  draft: Draft,
  { change, creates, needsWay }: Change,
  parts: readonly string[],
  given: { readonly document: Document; readonly inserting: boolean },
): void {
  const old = draft.get(parts);
  if (old === undefined && needsWay && !creates) draft.checkWay(parts);
  const value = change(old, given);
  if (value === undefined) {
    if (old !== undefined) draft.unset(parts);
    return;
  }
  if (old === undefined ? creates : !isSame(old, value)) draft.set(parts, value);
}

function rename(draft: Draft, from: readonly string[], to: readonly string[]): void {
  draft.checkWay(from);
  const value = draft.get(from);
  if (value === undefined) return;
  for (const parts of [from, to]) {
    for (let i = 1; i < parts.length; i++) {
      if (Array.isArray(draft.get(parts.slice(0, i)))) {
        fail(
          'BadValue',
          `The ${parts === from ? 'source' : 'destination'} field cannot be an array element, '${parts.join('.')}'`,
        );
      }
    }
  }
  draft.unset(from);
  draft.set(to, value);
}

/** Rejects two changes that, with their array filters, apply to the same place or one inside the other. */
function checkPlaces(changes: readonly Change[], places: readonly (readonly (readonly string[])[])[]): void {
  const taken = changes.flatMap(({ path }, i) =>
    (places[i] ?? []).map((parts) => ({ written: path.split('.'), parts })),
  );
  taken.forEach(({ written, parts }, i) => {
    for (const other of taken.slice(0, i)) {
      const shared = Math.min(parts.length, other.parts.length);
      if (!parts.slice(0, shared).every((part, at) => part === other.parts[at])) continue;
      // If the rest of two paths is written the same way, the error names it as written.
      let alike = shared;
      while (alike > 0 && written[alike - 1] === other.written[alike - 1]) alike -= 1;
      const at = [...parts.slice(0, alike), ...written.slice(alike, shared)].join('.');
      fail('ConflictingUpdateOperators', `Update created a conflict at '${at}'`);
    }
  });
}

function compileOperators(update: Document, options: UpdateOptions): ApplyUpdate {
  const changes = parseChanges(update, options);
  const filters = compileArrayFilters(options);
  const used = new Set(changes.flatMap(({ path }) => filterNames(path)));
  const unused = [...filters.keys()].find((name) => !used.has(name));
  if (unused !== undefined) {
    fail(
      'FailedToParse',
      `The array filter for identifier '${unused}' was not used in the update ${shellText(update)}`,
    );
  }
  const odd = changes.map(({ path }) => path.split('.')[0] as string).filter((name) => name.startsWith('$'));
  const steps = changes.map((change) => ({ change, expand: compilePathOf(change.path, filters, options) }));
  return (document, inserting = false) => {
    const draft = new Draft(document);
    const places = steps.map(({ change, expand }) =>
      change.renameFrom === undefined ? expand(document) : [],
    );
    if (filters.size > 0) checkPlaces(changes, places);
    steps.forEach(({ change }, i) => {
      if (change.renameFrom !== undefined)
        rename(draft, change.renameFrom.split('.'), change.path.split('.'));
      for (const parts of places[i] ?? []) applyChange(draft, change, parts, { document, inserting });
    });
    if (draft.changed) checkId(document, draft.root);
    if (draft.changed && !inserting) refuseOdd(odd.find((name) => Object.hasOwn(draft.root, name)));
    return draft.root;
  };
}

/** Rejects a field name that is allowed in an insert but not in an update. */
function refuseOdd(name: string | undefined): void {
  if (name === undefined) return;
  fail(
    'DollarPrefixedFieldName',
    `The dollar ($) prefixed field '${name}' in '${name}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
  );
}

/** The old document if the changed one is identical including the order of keys; otherwise the changed one. */
const sameOr = (document: Document, changed: Document): Document =>
  isSame(document, changed) && Object.keys(document).join() === Object.keys(changed).join()
    ? document
    : changed;

function compileReplacement(replacement: Document): ApplyUpdate {
  refuseOdd(Object.keys(replacement).find((name) => name.startsWith('$')));
  const { _id, ...rest } = replacement;
  return (document) => {
    const old = document['_id'];
    const id = old === undefined ? _id : old;
    const changed = id === undefined ? rest : { _id: id, ...rest };
    if (_id !== undefined) checkId(document, replacement);
    return sameOr(document, changed);
  };
}

function compilePipelineUpdate(stages: readonly Document[], options: UpdateOptions): ApplyUpdate {
  if (options.arrayFilters !== undefined && options.arrayFilters.length > 0) {
    fail('FailedToParse', 'arrayFilters may not be specified for pipeline-syle updates');
  }
  const odd = notInUpdates(stages);
  if (odd !== undefined) fail('InvalidOptions', `${odd} is not allowed to be used within an update`);
  const { collation, variables, now } = options;
  const scope = expressionScope({ collation, variables, now });
  const compiled = compilePipeline(stages, scope, {
    collection: () => ({ find: () => [] }),
    shortcuts: ALL_SHORTCUTS,
  });
  return (document) => {
    let [changed] = [...unpaced(runStages([document], compiled))] as [Document];
    if (changed['_id'] === undefined && document['_id'] !== undefined)
      changed = { _id: document['_id'], ...changed };
    checkId(document, changed);
    return sameOr(document, changed);
  };
}

/**
 * Compiles an update of any kind.
 * @throws EngineError with MongoDB's code for a malformed update, and later for one that a document does not allow
 */
export function compileUpdate(update: Update, options: UpdateOptions = {}): ApplyUpdate {
  if (Array.isArray(update)) return compilePipelineUpdate(update, options);
  const document = update as Document;
  return updateKind(update) === 'operators'
    ? compileOperators(document, options)
    : compileReplacement(document);
}
