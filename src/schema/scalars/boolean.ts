import { asText } from '../../values/as-text.js';
import { notNil } from './rules.js';
import { fits, type Scalar, UNFIT } from './scalar.js';

const WORDS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ['true', true],
  ['t', true],
  ['1', true],
  [1, true],
  [true, true],
  ['false', false],
  ['f', false],
  ['0', false],
  [0, false],
  [false, false],
]);

/** Reads `true`, `t`, `1`, `false`, `f` and `0` of a query; undefined for anything else. */
export const readBoolean = (value: unknown): boolean | undefined => WORDS.get(value);

/** As `readBoolean`; any other value is true unless it is falsy. */
export const forceBoolean = (value: unknown): boolean => readBoolean(value) ?? Boolean(value);

export const boolean: Scalar = {
  stored: 'boolean',
  neverUnique: true,
  readDefault: (value) => (typeof value === 'boolean' ? value : UNFIT),
  defaultWords: 'true or false',
  fromQuery: (value) => fits(forceBoolean(value)),
  fromBody: (value) => {
    // As in Strapi, a list of one value is that value.
    const text = asText(value);
    if (/^(?:true|1)$/i.test(text)) return true;
    return /^(?:false|0)$/i.test(text) ? false : value;
  },
  rule: (attribute, strict) => ({ ...notNil(attribute, strict), type: ['boolean', 'null'] }),
  answerType: 'boolean',
  described: { operand: 'Boolean', answer: { type: 'boolean' }, query: { type: 'boolean' } },
};
