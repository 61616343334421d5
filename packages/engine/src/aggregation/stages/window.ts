import type { Document } from 'bson';
import { fail } from '../../errors.js';
import { anObject } from '../../expressions/argument.js';
import { compileRootPath } from '../../expressions/field-path.js';
import type { Members } from '../../expressions/operator.js';
import type { Scope } from '../../expressions/scope.js';
import { addComputed, makeNode, setAction } from '../../projection/projection-tree.js';
import { windowHold } from '../../values/hold.js';
import { type Flow, forEach, PAUSE, type Paced, sortPaced } from '../../values/pace.js';
import { compileSort, sortDocuments } from '../../values/sort-by.js';
import { isTurnOver } from '../../values/work.js';
import { type CompileStage, ofMembers, type Stage, type StageScope } from '../stage.js';
import type { Partition, WindowFunction } from './window-function.js';
import { compileWindowFunction } from './window-functions.js';

const refuseArray = (): never =>
  fail('TypeMismatch', 'An expression used to partition cannot evaluate to value of type array');

/** Splits documents by an expression and sorts each part. */
function compilePartitions(
  partitionBy: unknown,
  sortBy: Document | undefined,
  scope: Scope,
): (source: Flow<Document>) => Paced<Partition[]> {
  const by = scope.compile(partitionBy ?? null);
  if (Array.isArray(by.constant?.value)) refuseArray();
  const order = sortBy === undefined ? undefined : compileSort(sortBy, scope.compare);
  const fields = Object.keys(sortBy ?? {});
  const keyOf = fields.length === 1 ? compileRootPath(fields[0] as string) : () => undefined;
  return function* (source) {
    const parts = new Map<unknown, { value: unknown; rows: Document[] }>();
    const hold = windowHold();
    yield* forEach(source, (document) => {
      hold.add(document);
      const value = by(document) ?? null;
      if (Array.isArray(value)) refuseArray();
      const key = scope.hash(value);
      const part = parts.get(key) ?? { value, rows: [] };
      part.rows.push(document);
      parts.set(key, part);
    });
    const sorted = yield* sortPaced([...parts.values()], (a, b) => scope.compare(a.value, b.value));
    const out: Partition[] = [];
    for (const part of sorted) {
      const rows = order === undefined ? part.rows : yield* sortDocuments(part.rows, order);
      const ties = (row: number): boolean =>
        row > 0 &&
        order !== undefined &&
        order.compare(rows[row - 1] as Document, rows[row] as Document) === 0;
      out.push({ rows, keys: rows.map(keyOf), ties });
    }
    return out;
  };
}

/** A stage that adds the values of window functions to each document. */
function windowStage(
  partitions: (source: Flow<Document>) => Paced<Partition[]>,
  outputs: readonly { readonly path: string; readonly compute: WindowFunction }[],
): Stage {
  return {
    run: function* run(source) {
      for (const partition of yield* partitions(source)) {
        const columns = outputs.map(({ compute }) => compute(partition));
        const node = makeNode();
        let row = 0;
        outputs.forEach(({ path }, i) => {
          setAction(node, path, { kind: 'compute', evaluate: () => columns[i]?.[row] });
        });
        for (; row < partition.rows.length; row++) {
          const document = partition.rows[row] as Document;
          const out = { ...document };
          addComputed(out, node, document);
          yield out;
          if (isTurnOver()) yield PAUSE;
        }
      }
    },
  };
}

const anObjectAt = (name: string) =>
  anObject('TypeMismatch', `BSON field '$op.${name}' is the wrong type '$type', expected type 'object'`);

const SET_WINDOW_FIELDS: Members = {
  required: ['output'],
  optional: ['partitionBy'],
  unknown: 40415,
  missing: 40414,
  literals: { sortBy: anObjectAt('sortBy'), output: anObjectAt('output') },
};

/** Throws 6307900 if two outputs have the same path. */
function checkConflicts(paths: readonly string[]): void {
  for (const path of paths) {
    if (paths.some((other) => other.startsWith(`${path}.`)))
      fail(6307900, '$setWindowFields specification contains two conflicting paths');
  }
}

function setWindowFields({ partitionBy, sortBy, output }: Document, { scope }: StageScope): Stage {
  checkConflicts(Object.keys(output));
  const outputs = Object.entries(output).map(([path, spec]) => ({
    path,
    compute: compileWindowFunction(spec, path, sortBy, scope),
  }));
  return windowStage(compilePartitions(partitionBy, sortBy, scope), outputs);
}

const FILL: Members = { required: ['output'], optional: ['partitionBy', 'partitionByFields', 'sortBy'] };

function fill({ partitionBy, partitionByFields, sortBy, output }: Document, { scope }: StageScope): Stage {
  const by = Array.isArray(partitionByFields)
    ? partitionByFields.map((field: string) => [`$${field}`])
    : partitionBy;
  const outputs = Object.entries(output as Document).map(([path, rule]) => {
    const { method, value } = rule as Document;
    if (method === undefined) {
      const read = scope.compile({ $ifNull: [`$${path}`, value] });
      return { path, compute: ({ rows }: Partition) => rows.map(read) };
    }
    const operator =
      method === 'linear'
        ? '$linearFill'
        : method === 'locf'
          ? '$locf'
          : fail(6050202, "Method must be either 'linear' or 'locf'");
    return { path, compute: compileWindowFunction({ [operator]: `$${path}` }, path, sortBy, scope) };
  });
  const expression = Array.isArray(by) ? { $concatArrays: by } : by;
  const wrapped = expression === undefined ? undefined : { partition: expression };
  return windowStage(compilePartitions(wrapped, sortBy, scope), outputs);
}

/** Stages that use a document's neighbours. */
export const WINDOW: Readonly<Record<string, CompileStage>> = {
  $setWindowFields: ofMembers(SET_WINDOW_FIELDS, setWindowFields),
  $fill: ofMembers(FILL, fill),
};
