/** Reads by plans that callers share, with the values of one of them. */
import { errors } from '../errors.js';
import { CallerSlot, type CallerValues } from '../query/caller-values.js';
import { scalarOf } from '../schema/scalars/index.js';
import { oncePer } from '../values/once-per.js';
import { mapLeaves } from '../values/plain-object.js';
import type { CompiledRead, Stage } from './types.js';

/** Whether a stage of a shared read has slots for values of the caller. */
const hasSlots = oncePer((stage: Stage): boolean => {
  let found = false;
  mapLeaves(stage, (leaf) => {
    found ||= leaf instanceof CallerSlot;
  });
  return found;
});

/** Everything in a read that depends on values. */
const stagesOf = ({ stages, counted, semiJoins, ordering }: CompiledRead): readonly (readonly Stage[])[] => [
  stages,
  counted,
  ...semiJoins.map((join) => join.stages),
  ordering?.stages ?? [],
];

/** Whether a read has slots for values of the caller, without which it cannot be run. */
export const isShared = (read: CompiledRead): boolean => stagesOf(read).flat().some(hasSlots);

/**
 * A shared read for one caller.
 * @throws ApiError 400 if a value does not fit the attribute that it is compared with
 */
export function boundTo(shared: CompiledRead, values: CallerValues): CompiledRead {
  const fillOne = (stage: Stage): Stage =>
    mapLeaves(stage, (leaf) => (leaf instanceof CallerSlot ? valueIn(leaf, values) : leaf)) as Stage;
  const fill = (stages: readonly Stage[]): readonly Stage[] =>
    stages.map((stage) => (hasSlots(stage) ? fillOne(stage) : stage));
  const bind = (read: CompiledRead): CompiledRead => ({
    ...read,
    bound: { shared, bind },
    inForm: (form) => bind(read.inForm(form)),
    stages: fill(read.stages),
    counted: fill(read.counted),
    semiJoins: read.semiJoins.map((join) => ({ ...join, stages: fill(join.stages) })),
    ordering: read.ordering && { ...read.ordering, stages: fill(read.ordering.stages) },
  });
  return bind(shared);
}

function valueIn({ caller, type }: CallerSlot, values: CallerValues): unknown {
  const value = values.get(caller);
  if (value === undefined || value === null) throw new TypeError(`a rule was kept without $caller.${caller}`);
  const cast = scalarOf(type).fromQuery(value);
  if ('value' in cast) return cast.value;
  throw errors.validation('filter-value-invalid', cast.message);
}
