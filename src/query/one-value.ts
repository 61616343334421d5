/** Recognizes queries whose text differs in a single value, such as a slug. */
import { hasEffect } from './check/root.js';
import type { QuerySettings } from './settings.js';

/** Longer texts are parsed in full each time. */
const LONGEST = 1000;
const MOST_PARAMETERS = 20;
/** Text that needs no decoding. */
const PLAIN = /^[\w.~-]{1,200}$/;

interface OneValue {
  /** The text without the value, and without parameters that have no effect. */
  readonly rest: string;
  readonly value: string;
}

/** Null if the text has no filter or several, or if the value needs decoding. */
export function oneValueOf(
  text: string,
  { strictParams, limits }: Pick<QuerySettings, 'strictParams' | 'limits'>,
): OneValue | null {
  if (text.length > LONGEST || !text.includes('filters')) return null;
  const parameters = text.split('&');
  if (parameters.length > Math.min(MOST_PARAMETERS, limits.parameterLimit, limits.maxBreadth)) return null;
  const rest: string[] = [];
  let found: string | null = null;
  for (const parameter of parameters) {
    const at = parameter.indexOf('=') + 1;
    const name = parameter.slice(0, at);
    const value = parameter.slice(at);
    if (name.startsWith('filters')) {
      if (found !== null || !PLAIN.test(value)) return null;
      found = value;
      rest.push(name);
    } else if (strictParams || !isIdle(name.slice(0, -1), value)) rest.push(parameter);
  }
  return found === null ? null : { rest: rest.join('&'), value: found };
}

const isIdle = (name: string, value: string): boolean =>
  PLAIN.test(name) && PLAIN.test(value) && !hasEffect(name);
