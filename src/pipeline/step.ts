import type { ComponentAttribute, ZoneAttribute } from '../schema/types.js';
import type { Expression, Step } from './types.js';

/** The way into a component, or into the items of one component in a zone. */
export const stepInto = (attribute: ComponentAttribute | ZoneAttribute, component?: string): Step => ({
  name: attribute.name,
  stored: attribute.stored,
  list: attribute.kind === 'zone' || attribute.many,
  adopted: attribute.adopted,
  ...(component === undefined ? {} : { component }),
});

/** Whether they lead into items of a list, where `localField` and plain paths do not reach. */
export const insideList = (steps: readonly Step[]): boolean => steps.some(({ list }) => list);

/** The stored path of what the steps lead to: empty, or ending with a dot. */
export const prefixOf = (steps: readonly Step[]): string => steps.map(({ stored }) => `${stored}.`).join('');

/** The list at a path. Where others write there may be one value alone, or none that an item could be. */
export const listAt = (path: string, { adopted }: Pick<Step, 'adopted'>): Expression =>
  adopted
    ? { $cond: [{ $isArray: [path] }, path, { $cond: [{ $gt: [path, null] }, [path], []] }] }
    : { $ifNull: [path, []] };

/** As `listAt`, of documents only: component items. */
export const itemsAt = (path: string, step: Pick<Step, 'adopted'>): Expression =>
  step.adopted
    ? { $filter: { input: listAt(path, step), as: 'each', cond: isDocument('$$each') } }
    : listAt(path, step);

/** What lies at a path if it is a document. */
export const documentAt = (path: string): Expression => ({ $cond: [isDocument(path), path, null] });

const isDocument = (path: string): Expression => ({ $eq: [{ $type: path }, 'object'] });
