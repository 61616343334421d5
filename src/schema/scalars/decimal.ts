import { Decimal128 } from 'bson';
import { isBson } from '../../values/bson.js';
import { float, ifNumber } from './float.js';
import { fits, type Scalar } from './scalar.js';

export const decimal: Scalar = {
  ...float,
  stored: 'decimal',
  fromQuery: (value) =>
    isBson(value, 'Decimal128')
      ? fits(value)
      : ifNumber(value, (number, text) =>
          fits(Decimal128.fromStringWithRounding(/^[+-]?\d+(\.\d+)?$/.test(text) ? text : String(number))),
        ),
  store: (value) => Decimal128.fromString(String(value)),
};
