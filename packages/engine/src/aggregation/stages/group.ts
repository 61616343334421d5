import type { Document } from 'bson';
import { fail } from '../../errors.js';
import type { Accumulator } from '../../expressions/accumulators/accumulators.js';
import {
  type CompiledAccumulator,
  compileAccumulator,
} from '../../expressions/accumulators/compile-accumulator.js';
import type { Evaluate, Scope } from '../../expressions/scope.js';
import { groupHold } from '../../values/hold.js';
import { forEach, gather, PAUSE, sortPaced } from '../../values/pace.js';
import { hasOperator, isDocument } from '../../values/types.js';
import { isTurnOver } from '../../values/work.js';
import type { CompileStage, Stage } from '../stage.js';

interface Output extends CompiledAccumulator {
  readonly name: string;
}

interface Group {
  readonly id: unknown;
  readonly states: readonly Accumulator[];
}

/** Compiles the named accumulators of a stage. */
export function compileOutputs(spec: Document, scope: Scope): Output[] {
  return Object.entries(spec).map(([name, value]) => {
    if (name.includes('.')) fail(40235, `The field name '${name}' cannot contain '.'`);
    if (name.startsWith('$')) fail(40236, `The field name '${name}' cannot be an operator name`);
    return { name, ...compileAccumulator(value, name, scope) };
  });
}

/** One document of a group. */
function finishGroup({ id, states }: Group, outputs: readonly Output[]): Document {
  const out: Document = { _id: id };
  outputs.forEach(({ name }, i) => {
    const value = (states[i] as Accumulator).result();
    out[name] = value === undefined ? null : value;
  });
  return out;
}

/** Creates the state of a group from its first document. */
const startGroup = (id: unknown, outputs: readonly Output[], first: Document): Group => ({
  id,
  states: outputs.map((output) => output.make(first)),
});

/** Adds a document to a group. */
function addToGroup(group: Group, outputs: readonly Output[], document: Document): void {
  for (let i = 0; i < outputs.length; i++) {
    (group.states[i] as Accumulator).add((outputs[i] as Output).input(document));
  }
}

/** A stage that groups documents by the value of an expression. */
export function groupStage(id: Evaluate, outputs: readonly Output[], scope: Scope): Stage {
  return {
    run: function* run(source) {
      const groups = new Map<unknown, Group>();
      const hold = groupHold();
      yield* forEach(source, (document) => {
        const value = id(document) ?? null;
        const key = scope.hash(value);
        let group = groups.get(key);
        if (group === undefined) {
          group = startGroup(value, outputs, document);
          groups.set(key, group);
          // The initial state of a group is about all that it keeps; accumulators that collect values count them themselves.
          hold.add([value, ...outputs.map((output) => output.input(document))]);
        }
        addToGroup(group, outputs, document);
      });
      for (const group of groups.values()) {
        yield finishGroup(group, outputs);
        if (isTurnOver()) yield PAUSE;
      }
    },
  };
}

/** A stage that groups documents, and sorts the groups. */
export const sortedGroups = (grouped: Stage, compare: (a: Document, b: Document) => number): Stage => ({
  run: function* run(source) {
    yield* yield* sortPaced(yield* gather(grouped.run(source)), compare);
  },
});

/** The value to group by. In a document with one field, missing counts as null. */
function compileId(id: unknown, scope: Scope): Evaluate {
  const [name, ...others] = isDocument(id) ? Object.keys(id) : [];
  if (name === undefined || others.length > 0 || name.startsWith('$')) return scope.compile(id);
  // Compiled as a whole for the checks of its name.
  scope.compile(id);
  const evaluate = scope.compile((id as Document)[name]);
  return (root) => ({ [name]: evaluate(root) ?? null });
}

const group: CompileStage = (operand, { scope }) => {
  if (!isDocument(operand)) return fail(15947, "a group's fields must be specified in an object");
  if (!('_id' in operand)) return fail(15955, 'a group specification must include an _id');
  const { _id, ...fields } = operand;
  return groupStage(compileId(_id, scope), compileOutputs(fields, scope), scope);
};

const sortByCount: CompileStage = (operand, within) => {
  const { scope } = within;
  const isExpression = hasOperator(operand) || (typeof operand === 'string' && operand.startsWith('$'));
  if (typeof operand === 'string' && !isExpression)
    fail(40148, 'the sortByCount field must be defined as a $-prefixed path or an expression');
  if (typeof operand !== 'string' && !isDocument(operand))
    fail(40149, 'the sortByCount field must be specified as a string or as an object');
  if (!isExpression) fail(40147, 'the sortByCount field must be defined as a $-prefixed path or expression');
  const grouped = groupStage(scope.compile(operand), compileOutputs({ count: { $sum: 1 } }, scope), scope);
  return sortedGroups(grouped, (a, b) => b['count'] - a['count']);
};

const count: CompileStage = (operand) => {
  if (typeof operand !== 'string') return fail(40156, 'the count field must be a non-empty string');
  if (operand === '') fail(40157, 'the count field must be a non-empty string');
  if (operand.includes('\0')) fail(40159, 'the count field cannot contain a null byte');
  if (operand.startsWith('$')) fail(40158, 'the count field cannot be a $-prefixed path');
  if (operand.includes('.')) fail(40160, "the count field cannot contain '.'");
  return {
    run: function* run(source) {
      let found = 0;
      yield* forEach(source, () => {
        found += 1;
      });
      if (found > 0) yield { [operand]: found };
    },
  };
};

/** Stages that group documents. */
export const GROUP: Readonly<Record<string, CompileStage>> = {
  $group: group,
  $sortByCount: sortByCount,
  $count: count,
};
