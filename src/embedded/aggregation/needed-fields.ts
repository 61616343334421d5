import type { Document } from 'bson';
import { isFlag } from '../projection/parse-projection.js';
import { checkPath, rootOf } from '../values/paths.js';
import { isTruthy } from '../values/type-names.js';
import { hasOperator, isDocument } from '../values/types.js';

/** Thrown away as soon as a stage needs whole documents. */
class Needs {
  readonly fields = new Set<string>(['_id']);
  /** Paths that filters read. */
  readonly filtered: string[] = [];
  whole = false;

  path(path: string): void {
    this.fields.add(rootOf(path));
  }

  /** Whatever an expression reads of the document. */
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

/** Notes what a `$project` reads; true where it is an inclusion, behind which nothing else of the document is left. */
function project(needs: Needs, operand: unknown): boolean {
  if (!isDocument(operand)) return false;
  let includes = false;
  const visit = (path: string, value: unknown): void => {
    if (isFlag(value)) {
      if (!isTruthy(value)) return;
      if (path !== '_id') includes = true;
      needs.path(path);
    } else if (isDocument(value) && !hasOperator(value)) {
      // A computed nested member stands inside of what is there.
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

/** What each stage reads; true where the stage's output holds nothing of the document but that. */
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
 * The top-level members that a pipeline reads before its shape is new; undefined where it may need all of them. Throws
 * MongoDB's code for a path of a filter among them that is none in a pipeline.
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
      // A filter may name what a projection may not, and here it becomes one.
      needs.filtered.forEach(checkPath);
      return needs.fields;
    }
  }
  return undefined;
}
