import type { Condition, ReadPlan, SelectedFields, SortKey } from '../../src/query/read-plan.js';
import type { Attribute } from '../../src/schema/types.js';

/** The attributes that a plan uses in any way. */
export function* touched(plan: ReadPlan): Generator<Attribute> {
  yield* inCondition(plan.filter);
  for (const key of plan.sort) yield* inSort(key);
  yield* inSelection(plan.selection);
}

function* inCondition(condition: Condition): Generator<Attribute> {
  if (condition.kind === 'and' || condition.kind === 'or')
    for (const part of condition.of) yield* inCondition(part);
  if (condition.kind === 'test') yield condition.attribute;
  if (condition.kind !== 'some') return;
  yield condition.via.attribute;
  yield* inCondition(condition.where);
}

function* inSort(key: SortKey): Generator<Attribute> {
  for (const { attribute } of key.via) yield attribute;
  yield key.attribute;
}

function* inSelection(selection: SelectedFields): Generator<Attribute> {
  yield* selection.scalars;
  for (const { attribute, selection: inner, filter, sort } of selection.components) {
    yield attribute;
    if (filter) yield* inCondition(filter);
    for (const key of sort ?? []) yield* inSort(key);
    yield* inSelection(inner);
  }
  for (const { attribute, on, filters } of selection.zones) {
    yield attribute;
    for (const filter of filters?.values() ?? []) yield* inCondition(filter);
    for (const inner of on.values()) yield* inSelection(inner);
  }
  for (const { attribute, targets } of selection.relations) {
    yield attribute;
    for (const target of targets) {
      yield* target.shownIn ?? [];
      yield* inCondition(target.filter);
      for (const key of target.sort ?? []) yield* inSort(key);
      yield* inSelection(target.selection);
    }
  }
}
