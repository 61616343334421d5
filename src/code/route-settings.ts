import { normalName } from '../schema/names.js';
import { isObject } from '../values/plain-object.js';
import { UNKNOWN } from './static-value.js';

/** What the `config` of a route requires. */
export interface Settings {
  readonly open: boolean;
  readonly scope: string | null;
  /** Requirements that Mangrove cannot meet, so that the route is closed. */
  readonly unmet: readonly Unmet[];
}

interface Unmet {
  /** `api::restaurant.is-owner`, or the key that is not supported. */
  readonly name: string;
  readonly because: string;
  readonly policy?: true;
}

const NONE: Settings = { open: false, scope: null, unmet: [] };

/** Reads the `config` of one route: `auth`, `policies`, `middlewares` (rules J.2). */
export function readSettings(config: unknown, { api }: { readonly api: string }): Settings {
  if (!isObject(config))
    return { ...NONE, unmet: [{ name: 'config', because: 'the route’s "config" is computed' }] };
  const auth = readAuth(config['auth']);
  return {
    ...auth,
    unmet: [
      ...auth.unmet,
      ...requirementsOf(config['policies'], 'policy', api),
      ...requirementsOf(config['middlewares'], 'middleware', api),
    ],
  };
}

function readAuth(auth: unknown): Settings {
  if (auth === undefined || auth === null || auth === true) return NONE;
  if (auth === false) return { ...NONE, open: true };
  const scope = isObject(auth) ? auth['scope'] : UNKNOWN;
  const plain = isObject(auth) && Object.keys(auth).every((key) => key === 'scope');
  if (plain && scope === undefined) return NONE;
  if (plain && Array.isArray(scope) && scope.length === 1 && typeof scope[0] === 'string')
    return { ...NONE, scope: scope[0] };
  return {
    ...NONE,
    unmet: [{ name: 'auth', because: 'its "auth" requires something Mangrove does not support' }],
  };
}

/** The policies or middlewares in a list, by full name. */
function requirementsOf(list: unknown, kind: 'policy' | 'middleware', api: string): readonly Unmet[] {
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) return [{ name: kind, because: `which ${kind} it uses is computed` }];
  return list.map((item) => {
    const given = isObject(item) ? (item['name'] ?? item['resolve']) : item;
    if (typeof given !== 'string')
      return {
        name: kind,
        because: `it uses a ${kind} defined in the route`,
        ...(kind === 'policy' && { policy: true }),
      };
    const name = given.includes('::') || given.includes('/') ? given : `api::${normalName(api)}.${given}`;
    return { name, because: `it uses the ${kind} ${name}`, ...(kind === 'policy' && { policy: true }) };
  });
}
