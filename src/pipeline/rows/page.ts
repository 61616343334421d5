import type { Page } from '../../query/read-plan.js';
import type { Stage } from '../types.js';

export const pageStages = ({ skip, limit }: Pick<Page, 'skip' | 'limit'>): readonly Stage[] => [
  ...(skip > 0 ? [{ $skip: skip }] : []),
  ...(limit === null ? [] : [{ $limit: limit }]),
];
