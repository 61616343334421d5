import { unsupportedRoutes } from '../unsupported-routes.js';
import type { DoctorCheck } from './finding.js';

/** Routes of a Strapi project that answer 501 because of what their code uses. */
export const code: DoctorCheck = async ({ store }) =>
  (await unsupportedRoutes(store).list()).map((found) => ({ name: 'route-answers-501', ...found }));
