import type { Document } from 'bson';
import { fail } from '../../errors.js';
import { anObject } from '../../expressions/argument.js';
import { stepDate } from '../../expressions/date-steps.js';
import { compileRootPath } from '../../expressions/field-path.js';
import type { Members } from '../../expressions/operator.js';
import { add } from '../../values/arithmetic.js';
import { toDouble } from '../../values/numbers.js';
import { PAUSE, sortPaced } from '../../values/pace.js';
import { isNumeric } from '../../values/types.js';
import { isTurnOver, tick } from '../../values/work.js';
import { ofMembers } from '../stage.js';

interface Group {
  readonly fields: Document;
  readonly rows: Document[];
}

const LARGEST = 500_000;

function stepper(step: unknown, unit: string | undefined): (value: unknown) => unknown {
  return (value) => {
    if (value instanceof Date) {
      if (unit === undefined) fail(5733501, "$densify 'unit' is required for dates");
      return new Date(stepDate(value.getTime(), unit, toDouble(step), 'UTC'));
    }
    return add(value, step);
  };
}

/** A document with a value at a dotted path. */
function placed(path: string, value: unknown, base: Document): Document {
  const [name, ...rest] = path.split('.') as [string, ...string[]];
  return { ...base, [name]: rest.length === 0 ? value : placed(rest.join('.'), value, {}) };
}

const MEMBERS: Members = {
  required: ['field', 'range'],
  optional: ['partitionByFields'],
  literals: { range: anObject(5733402, "the 'range' argument to $op must be an object") },
};

/** `$densify`: adds missing documents to a sequence. */
export const densify = ofMembers(MEMBERS, ({ field, partitionByFields = [], range }, { scope }) => {
  const { step, unit, bounds } = range;
  if (!isNumeric(step) || toDouble(step) <= 0)
    fail(5733401, 'the step parameter in a range statement must be a strictly positive numeric value');
  const read = compileRootPath(String(field));
  const keys = (partitionByFields as string[]).map((path) => ({ path, read: compileRootPath(path) }));
  const next = stepper(step, unit);
  const { compare } = scope;
  return {
    run: function* run(source) {
      const groups = new Map<unknown, Group>();
      let all: unknown[] = [];
      for (const document of source) {
        if (document === PAUSE) {
          yield PAUSE;
          continue;
        }
        const value = read(document);
        if (value === null || value === undefined) {
          yield document;
          continue;
        }
        all.push(value);
        const id = keys.map((key) => [key.read(document)]);
        const fields = keys.reduce((out, key, i) => placed(key.path, id[i]?.[0], out), {} as Document);
        const group = groups.get(scope.hash(id)) ?? { fields, rows: [] };
        group.rows.push(document);
        groups.set(scope.hash(id), group);
      }
      all = yield* sortPaced(all, compare);
      let made = 0;
      for (const { fields, rows: unsorted } of groups.values()) {
        const rows = yield* sortPaced(unsorted, (a, b) => compare(read(a), read(b)));
        const own = [read(rows[0] as Document), read(rows.at(-1) as Document)];
        const [low, high] =
          bounds === 'full' ? [all[0], all.at(-1)] : bounds === 'partition' ? own : (bounds as unknown[]);
        const inclusive = !Array.isArray(bounds);
        let at = low;
        let row = 0;
        const isWithin = (): boolean => (inclusive ? compare(at, high) <= 0 : compare(at, high) < 0);
        while (row < rows.length || isWithin()) {
          tick();
          if (isTurnOver()) yield PAUSE;
          const current = rows[row];
          const order = current === undefined ? 1 : isWithin() ? compare(read(current), at) : -1;
          if (current !== undefined && order <= 0) {
            yield current;
            row += 1;
            if (order === 0) at = next(at);
          } else {
            if (++made > LARGEST) fail(5897900, 'Generated too many documents in $densify');
            yield placed(String(field), at, fields);
            at = next(at);
          }
        }
      }
    },
  };
});
