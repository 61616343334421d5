/** Queries whose texts differ in one value alone, such as the slug that is looked for. */
import { isLookedAt } from './check/root.js';
import type { QuerySettings } from './settings.js';

/** Longer texts are read as a whole each time. */
const LONGEST = 1000;
const MOST_PARAMETERS = 20;
/** What stands for itself in the text of a query. */
const PLAIN = /^[\w.~-]{1,200}$/;

interface OneValue {
  /** The text without the value, and without parameters that nothing looks at. */
  readonly rest: string;
  readonly value: string;
}

/** Null for a text of no filter or of several, and where the value may mean more than it says. */
export function oneValueOf(
  text: string,
  { strictParams, limits }: Pick<QuerySettings, 'strictParams' | 'limits'>,
): OneValue | null {
  if (text.length > LONGEST || !text.includes('filters')) return null;
  const parameters = text.split('&');
  if (parameters.length > Math.min(MOST_PARAMETERS, limits.parameterLimit, limits.maxBreadth)) return null;
  const rest: string[] = [];
  let value: string | null = null;
  for (const parameter of parameters) {
    const at = parameter.indexOf('=') + 1;
    const name = parameter.slice(0, at);
    const said = parameter.slice(at);
    if (name.startsWith('filters')) {
      if (value !== null || !PLAIN.test(said)) return null;
      value = said;
      rest.push(name);
    } else if (strictParams || !isIdle(name.slice(0, -1), said)) rest.push(parameter);
  }
  return value === null ? null : { rest: rest.join('&'), value };
}

const isIdle = (name: string, said: string): boolean =>
  PLAIN.test(name) && PLAIN.test(said) && !isLookedAt(name);
