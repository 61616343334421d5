import { createContext, Script } from 'node:vm';

/** Milliseconds that a pattern of a schema may look at one value. */
const PATIENCE = 100;

/**
 * A repeated group, whatever is in it, or two repetitions: such patterns may take a time that grows with a power of the text's length,
 * or doubles with each character.
 */
const MAY_EXPLODE = /\)[*+{]|[*+}].*[*+}]|\\[1-9]/s;

/** Texts that no pattern takes long for. */
const SHORT = 20;
/** Longer texts may take long for a single repetition, too: it is tried at each of their places. */
const LONG = 2000;

const mayTakeLong = ({ source }: RegExp, { length }: string): boolean =>
  length > LONG ? /[*+}]/.test(source) : length > SHORT && MAY_EXPLODE.test(source);

const script = new Script('pattern.test(text)');

/** The error is one of the other context, so no `instanceof` tells what it is. */
const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

/** Whether a string matches a schema's pattern; not, where that cannot be told in time. Its `g` and `y` flags mean nothing here. */
export function testsWithin(pattern: RegExp, text: string): boolean {
  const own = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''));
  if (!mayTakeLong(pattern, text)) return own.test(text);
  try {
    return script.runInContext(createContext({ pattern: own, text }), { timeout: PATIENCE }) === true;
  } catch (error) {
    if (isTimeout(error)) return false;
    throw error;
  }
}
