import type { ComponentAttribute, ZoneAttribute } from '../schema/types.js';
import type { Expression, Step } from './types.js';

/** The step into a component, or into the items of one component of a dynamic zone. */
export const stepInto = (attribute: ComponentAttribute | ZoneAttribute, component?: string): Step => ({
  name: attribute.name,
  stored: attribute.stored,
  list: attribute.kind === 'zone' || attribute.many,
  adopted: attribute.adopted,
  ...(component === undefined ? {} : { component }),
});

/** Whether the steps enter a list, which `localField` and plain paths cannot do reliably. */
export const insideList = (steps: readonly Step[]): boolean => steps.some(({ list }) => list);

/** The stored path that the steps lead to: empty, or with a trailing dot. */
export const prefixOf = (steps: readonly Step[]): string => steps.map(({ stored }) => `${stored}.`).join('');

/** The list at a path. In adopted collections there may be a single value instead, or nothing. */
export const listAt = (path: string, { adopted }: Pick<Step, 'adopted'>): Expression =>
  adopted
    ? { $cond: [{ $isArray: [path] }, path, { $cond: [{ $gt: [path, null] }, [path], []] }] }
    : { $ifNull: [path, []] };

/** As `listAt`, but only the documents: component items. */
export const itemsAt = (path: string, step: Pick<Step, 'adopted'>): Expression =>
  step.adopted
    ? { $filter: { input: listAt(path, step), as: 'each', cond: isDocument('$$each') } }
    : listAt(path, step);

/** The value at a path if it is a document, otherwise null. */
export const documentAt = (path: string): Expression => ({ $cond: [isDocument(path), path, null] });

const isDocument = (path: string): Expression => ({ $eq: [{ $type: path }, 'object'] });
