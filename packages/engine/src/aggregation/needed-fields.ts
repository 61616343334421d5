import type { Document } from 'bson';
import { isFlag, namesMembers } from '../projection/parse-projection.js';
import { checkPath, rootOf } from '../values/paths.js';
import { isTruthy } from '../values/type-names.js';
import { isDocument } from '../values/types.js';

/** Discarded as soon as a stage needs whole documents. */
class Needs {
  readonly fields = new Set<string>(['_id']);
  /** Paths used by filters. */
  readonly filtered: string[] = [];
  whole = false;

  path(path: string): void {
    this.fields.add(rootOf(path));
  }

  /** Everything that an expression reads from the document. */
  expression(value: unknown): void {
    if (typeof value === 'string') this.reference(value);
    else if (Array.isArray(value)) for (const item of value) this.expression(item);
    else if (isDocument(value)) {
      for (const [name, item] of Object.entries(value)) {
        if (name === '$literal') continue;
        if (name === '$getField') this.whole = true;
        this.expression(item);
      }
    }
  }

  reference(text: string): void {
    if (text.startsWith('$$ROOT.') || text.startsWith('$$CURRENT.'))
      this.path(text.slice(text.indexOf('.') + 1));
    else if (text === '$$ROOT' || text === '$$CURRENT') this.whole = true;
    else if (text.startsWith('$') && !text.startsWith('$$')) this.path(text.slice(1));
  }

  filter(filter: unknown): void {
    if (!isDocument(filter)) return;
    for (const [name, condition] of Object.entries(filter)) {
      if (name === '$expr') this.expression(condition);
      else if (name === '$jsonSchema' || name.startsWith('$_internal')) this.whole = true;
      else if (!name.startsWith('$')) {
        this.path(name);
        this.filtered.push(name);
      } else if (Array.isArray(condition)) for (const clause of condition) this.filter(clause);
    }
  }
}

/** Notes what a `$project` reads; true if it is an inclusion, after which nothing else of the document remains. */
function project(needs: Needs, operand: unknown): boolean {
  if (!isDocument(operand)) return false;
  let includes = false;
  const visit = (path: string, value: unknown): void => {
    if (isFlag(value)) {
      if (!isTruthy(value)) return;
      if (path !== '_id') includes = true;
      needs.path(path);
    } else if (isDocument(value) && namesMembers(value)) {
      // A computed nested field is placed inside the existing value.
      needs.path(path);
      for (const [name, item] of Object.entries(value)) visit(`${path}.${name}`, item);
    } else {
      includes = true;
      if (path.includes('.')) needs.path(path);
      needs.expression(value);
    }
  };
  for (const [path, value] of Object.entries(operand)) visit(path, value);
  return includes || (Object.keys(operand).length === 1 && isTruthy(operand['_id']));
}

/** What each stage reads; true if the stage's output contains nothing else of the document. */
const READS: Readonly<Record<string, (needs: Needs, operand: unknown) => boolean>> = {
  $match: (needs, operand) => {
    needs.filter(operand);
    return false;
  },
  $sort: (needs, operand) => {
    for (const path of Object.keys((operand as Document) ?? {})) needs.path(path);
    return false;
  },
  $limit: () => false,
  $skip: () => false,
  $sample: () => false,
  $project: project,
  $set: (needs, operand) => addFields(needs, operand),
  $addFields: (needs, operand) => addFields(needs, operand),
  $unwind: (needs, operand) => {
    needs.expression(typeof operand === 'string' ? operand : (operand as Document)?.['path']);
    return false;
  },
  $lookup: (needs, operand) => {
    const { localField, let: variables, as } = (operand ?? {}) as Document;
    if (typeof localField === 'string') needs.path(localField);
    needs.expression(variables);
    if (typeof as === 'string') needs.path(as);
    return false;
  },
  $group: (needs, operand) => {
    needs.expression(operand);
    const accumulators = Object.values((operand ?? {}) as Document);
    for (const spec of accumulators) {
      const sortBy = isDocument(spec) ? (Object.values(spec)[0] as Document | null)?.['sortBy'] : undefined;
      for (const path of Object.keys(sortBy ?? {})) needs.path(path);
    }
    return true;
  },
  $count: () => true,
  $sortByCount: (needs, operand) => {
    needs.expression(operand);
    return true;
  },
};

function addFields(needs: Needs, operand: unknown): boolean {
  for (const path of Object.keys((operand ?? {}) as Document)) if (path.includes('.')) needs.path(path);
  needs.expression(operand);
  return false;
}

/**
 * The top-level fields that a pipeline reads before it changes the documents' shape; undefined if it may need all of them. Throws
 * MongoDB's code for a path in a filter that is not valid in a pipeline.
 */
export function neededFields(stages: readonly Document[]): ReadonlySet<string> | undefined {
  const needs = new Needs();
  for (const stage of stages) {
    const [name, operand] = Object.entries(stage)[0] ?? [];
    const read = name !== undefined && Object.hasOwn(READS, name) ? READS[name] : undefined;
    if (read === undefined) return undefined;
    const closed = read(needs, operand);
    if (needs.whole) return undefined;
    if (closed) {
      // A filter may use names that a projection may not, and here it becomes one.
      needs.filtered.forEach(checkPath);
      return needs.fields;
    }
  }
  return undefined;
}
