import type { Config } from '../../config/types.js';
import type { FieldError } from '../../errors.js';
import type { ContentType, Schema } from '../../schema/types.js';
import type { Entry } from '../../store/entries/changes.js';
import { planWrite } from '../plan/plan-write.js';
import { modeOf, validatorOf } from './check.js';

/** A body by the rules of its type: what is wrong with it, and its scalars as they were cast. */
export interface Judgement {
  readonly faults: readonly FieldError[];
  readonly values: Entry;
}

/** Judges bodies of a type that are not written by the Document Service; `partial`: what is left out stays as it is. */
export const judgeOf =
  (parts: { readonly schema: Schema; readonly config: Config }, type: ContentType) =>
  (data: unknown, partial: boolean): Judgement => {
    const plan = planWrite(parts.schema, { type, data, action: partial ? 'update' : 'create' });
    return { faults: validatorOf(parts, type).faults(plan, modeOf(type)), values: plan.root.values };
  };
