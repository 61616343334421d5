import type { Schema } from '../../schema/types.js';
import { type Body, planWrite } from './plan-write.js';
import type { WritePlan } from './write-plan.js';

interface Planning {
  readonly schema: Schema;
  readonly plannedAhead?: WritePlan;
}

/** The plan of the body of a write: the one that was made ahead, where what is stored does not change it. */
export function planBody({ schema, plannedAhead: ahead }: Planning, body: Body): WritePlan {
  const inherits = Object.keys(body.inherited ?? {}).length > 0;
  return ahead?.action === body.action && ahead.partial === body.partial && !inherits
    ? ahead
    : planWrite(schema, body);
}
