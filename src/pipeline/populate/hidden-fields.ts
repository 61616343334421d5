/**
 * Populate's `filters` and `sort` on component items through a relation: the related rows are looked up
 * beside the entry, and the renderer filters and sorts the items by them.
 */
import { errors } from '../../errors.js';
import type {
  ComponentHop,
  Condition,
  RelationHop,
  RelationSelection,
  RelationTarget,
  SelectedFields,
  SortKey,
} from '../../query/read-plan.js';
import { statusesSeen } from '../../query/versions.js';
import type { Model, ScalarAttribute } from '../../schema/types.js';
import { holdsForNulls } from '../rows/null-row.js';
import { stepInto } from '../step.js';
import type { Step } from '../types.js';

/** A condition or sort key that goes through a relation, and the rows that it needs. */
interface HiddenField {
  readonly key: Condition | SortKey;
  readonly relation: RelationSelection;
  /** From the entry to the component with the relation. */
  readonly steps: readonly Step[];
}

/** The hidden fields of the items at `steps`. */
export function hiddenFields(
  filter: Condition | undefined,
  sort: readonly SortKey[] | null | undefined,
  steps: readonly Step[],
): readonly HiddenField[] {
  return [
    ...(filter ? testFields(filter, steps) : []),
    ...(sort ?? []).flatMap((key) => sortFields(key, steps)),
  ];
}

function testFields(condition: Condition, steps: readonly Step[]): readonly HiddenField[] {
  if ('of' in condition) return condition.of.flatMap((part) => testFields(part, steps));
  if (condition.kind !== 'some') return [];
  const { via, where } = condition;
  if (via.kind === 'component') return testFields(where, [...steps, stepOf(via)]);
  const filters: readonly Condition[] = holdsForNulls(where) ? [where, { kind: 'always' }] : [where];
  const targets = filters.flatMap((filter) => targetsOf(via, filter, []));
  return [{ key: condition, relation: { attribute: via.attribute, targets, count: false }, steps }];
}

function sortFields(key: SortKey, steps: readonly Step[]): readonly HiddenField[] {
  const at = key.via.findIndex(({ kind }) => kind === 'relation');
  const hop = key.via[at];
  if (hop?.kind !== 'relation') return [];
  const beyond = key.via[at + 1];
  if (beyond) throw tooFar(beyond.attribute.name, hop.attribute.name);
  const before = key.via.slice(0, at).filter((each) => each.kind === 'component');
  const targets = targetsOf(hop, { kind: 'always' }, [key.attribute]);
  const relation = { attribute: hop.attribute, targets, count: false };
  return [{ key, relation, steps: [...steps, ...before.map(stepOf)] }];
}

const stepOf = ({ attribute }: ComponentHop): Step => stepInto(attribute);

/** One target for each status that the filter sees. */
const targetsOf = (
  hop: RelationHop,
  filter: Condition,
  scalars: readonly ScalarAttribute[],
): readonly RelationTarget[] =>
  statusesSeen(hop, hop.status).map((status) => ({
    target: hop.target,
    status,
    moment: hop.moment,
    locale: hop.locale,
    filter,
    publication: null,
    sort: null,
    selection: withScalars(hop.target, scalars),
  }));

const withScalars = (model: Model, scalars: readonly ScalarAttribute[]): SelectedFields => ({
  model,
  scalars,
  components: [],
  zones: [],
  relations: [],
});

const tooFar = (key: string, path: string) =>
  errors.validation(
    'component-sort-too-deep',
    `Populated components cannot be sorted beyond one relation at ${path}.${key}`,
    {
      key,
      path: `${path}.${key}`,
      source: 'query',
      param: 'populate',
    },
  );
