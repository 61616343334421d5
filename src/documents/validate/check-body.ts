import type { Config } from '../../config/types.js';
import type { FieldError } from '../../errors.js';
import type { ContentType, Schema } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import { planWrite } from '../plan/plan-write.js';
import type { WritePlan } from '../plan/write-plan.js';
import { modeOf, validatorOf } from './check.js';

/** The errors of a body by the rules of its type, its entries, and its cast values. */
export interface CheckedBody extends Pick<WritePlan, 'entries'> {
  readonly faults: readonly FieldError[];
  readonly values: Entry;
}

/**
 * Validates bodies of a type that the Document Service does not write. `partial` is for updates, which may omit
 * attributes.
 */
export const bodyChecker =
  (parts: { readonly schema: Schema; readonly config: Config }, type: ContentType) =>
  (data: unknown, partial: boolean): CheckedBody => {
    const plan = planWrite(parts.schema, { type, data, action: partial ? 'update' : 'create' });
    const faults = validatorOf(parts, type).faults(plan, modeOf(type));
    return { faults, entries: plan.entries, values: plan.root.values };
  };
