import { listUnsupported } from '../code-values.js';
import type { DoctorCheck } from './finding.js';

/** Routes of a Strapi project that answer 501 because of what their code uses. */
export const code: DoctorCheck = async ({ store }) =>
  (await listUnsupported(store)).map(({ route, reason }) => ({ name: 'route-answers-501', route, reason }));
