import type { AccessDeps } from '../../access/deps.js';
import { extraFields } from '../../access/extra-fields.js';
import type { Identity } from '../../access/identity.js';
import { checkInputKeys } from '../../documents/validate/input-keys.js';
import type { Schema } from '../../schema/types.js';
import type { RequestContext } from '../context.js';

/**
 * The body of a write of an account. What the project has added to accounts is held against the caller's grants as any content
 * is: no relation to what the caller may not see (rules A.16). Throws 400.
 */
export const accountBody = (
  ctx: RequestContext,
  identity: Identity,
  { deps, schema }: { readonly deps: AccessDeps; readonly schema: Schema },
): unknown => {
  const { body } = ctx.request;
  if (typeof body === 'object' && body !== null)
    checkInputKeys(extraFields(deps, { ...body }), deps.userType, schema, identity);
  return body;
};
