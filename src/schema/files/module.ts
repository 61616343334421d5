import { pathToFileURL } from 'node:url';
import { codeOf } from '../../values/code-of.js';
import { isPlainObject } from '../../values/plain-object.js';
import { pathAliases } from './path-aliases.js';

/** The default export of a JavaScript or TypeScript file of a project. */
interface LoadedModule {
  readonly value: unknown;
  /**
   * Packages that the file or its imports require but that are not installed; what they export is undefined.
   */
  readonly missing: readonly string[];
}

function target(): undefined {
  return undefined;
}

/**
 * Stands in for a package that is not installed: every property and call returns the stand-in itself, and as
 * text it is empty.
 */
const absent: unknown = new Proxy(target, {
  get: (_, key) => (key === Symbol.toPrimitive ? () => '' : key === 'then' ? undefined : absent),
  apply: () => absent,
  construct: () => Object(absent),
});

const BARE = /Cannot find (?:module|package) '([^'./][^']*)'/;
const MOST_MISSING = 100;

/** The name of the package that could not be resolved; undefined for any other error. */
const missingName = (error: unknown): string | undefined => {
  const code = codeOf(error);
  return code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND'
    ? BARE.exec(String((error as Error).message))?.[1]
    : undefined;
};

/**
 * Loads an ES module or CommonJS file, whatever the package says, in JavaScript or TypeScript. Packages that
 * are not installed are replaced by a stand-in and listed in `missing`.
 * @throws Error if the file cannot be read or parsed
 */
export async function loadModule(file: string): Promise<LoadedModule> {
  if (!/\.[cm]?ts$/.test(file)) {
    const native = await import(pathToFileURL(file).href).catch(() => undefined);
    if (native !== undefined) return { value: native.default, missing: [] };
  }
  const { createJiti } = await import('jiti');
  const alias = await pathAliases(file);
  const virtualModules: Record<string, unknown> = {};
  for (;;) {
    const jiti = createJiti(file, {
      fsCache: false,
      moduleCache: false,
      alias,
      virtualModules,
    });
    try {
      const value = await jiti.import(file, { default: true });
      return { value: withoutAbsent(value), missing: Object.keys(virtualModules) };
    } catch (error) {
      const name = missingName(error);
      if (name === undefined || name in virtualModules || Object.keys(virtualModules).length >= MOST_MISSING)
        throw error;
      virtualModules[name] = absent;
    }
  }
}

/** Removes members that came from a stand-in; also for the results of config functions. */
export function withoutAbsent(value: unknown): unknown {
  if (value === absent) return undefined;
  if (Array.isArray(value)) return value.filter((item) => item !== absent).map(withoutAbsent);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== absent)
      .map(([key, inner]) => [key, withoutAbsent(inner)]),
  );
}
