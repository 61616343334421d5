import type { Descriptions } from './models.js';
import type { BuiltInServices } from './plugin-services.js';
import type { Registry } from './registry.js';
import type { CodeFile, Values } from './types.js';
import { refuse, withRefused } from './unsupported.js';

interface Around {
  readonly models: Descriptions;
  readonly config: Values;
  readonly builtIn: BuiltInServices;
  /** Whether Strapi has the plugin in this project; Mangrove may lack it. */
  readonly isInstalled: (name: string) => boolean;
  /** Has the services and controllers that extensions changed or added. */
  readonly extended: Registry;
  /** The routers of a plugin; undefined if it has none. */
  readonly routes: (uid: string) => Values | undefined;
  readonly strapi: () => object;
}

/** `strapi.plugin(name)`: the plugins that Mangrove and the project have, with what extensions made of them; any other that is installed throws. */
export function pluginsOf({
  models,
  config,
  builtIn,
  isInstalled,
  extended,
  routes,
  strapi,
}: Around): (name: string) => unknown {
  const made = new Map<string, unknown>();
  const make = (name: string): unknown => {
    const at = `plugin('${name}')`;
    const uid = `plugin::${name}`;
    const own = builtIn(name) ?? (extended.find('plugin', uid) ? {} : refuse(at));
    const part = (kind: 'service' | 'controller', one: string): unknown =>
      extended.instance(kind, `${uid}.${one}`, strapi());
    const service = (one: string): unknown =>
      part('service', one) ?? own[one] ?? refuse(`${at}.service('${one}')`);
    /** The name of a part of this plugin. */
    const nameIn = (file: CodeFile): string | [] =>
      file.uid.startsWith(`${uid}.`) ? file.uid.slice(uid.length + 1) : [];
    const names = (): readonly string[] => [...Object.keys(own), ...extended.of('service').flatMap(nameIn)];
    const get = config['get'];
    return withRefused<Values>(
      at,
      {
        get services() {
          return withRefused<Values>(
            `${at}.services`,
            Object.fromEntries(names().map((one) => [one, service(one)])),
            'all',
          );
        },
        service,
        get controllers() {
          const names = extended.of('controller').flatMap(nameIn);
          return withRefused<Values>(
            `${at}.controllers`,
            Object.fromEntries(names.map((one) => [one, part('controller', one)])),
            'all',
          );
        },
        get routes() {
          return routes(uid) ?? refuse(`${at}.routes`);
        },
        controller: (one: string) => part('controller', one) ?? refuse(`${at}.controller('${one}')`),
        config: (path: string, standard?: unknown) =>
          typeof get === 'function' ? get(`${uid}.${path}`, standard) : standard,
        contentType: (one: string) => models.contentTypes[`${uid}.${one}`],
        get contentTypes() {
          const own = Object.keys(models.contentTypes).filter((one) => one.startsWith(`${uid}.`));
          return Object.fromEntries(
            own.map((one) => [one.slice(uid.length + 1), models.contentTypes[one]] as const),
          );
        },
      },
      'all',
    );
  };
  return (name) => {
    // As in Strapi, one that is not installed is not there.
    if ((builtIn(name) === null || name === 'graphql') && !isInstalled(name)) return undefined;
    const known = made.get(name) ?? make(name);
    made.set(name, known);
    return known;
  };
}
