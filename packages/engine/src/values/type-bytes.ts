/** BSON's type bytes, which precede the name of each field. No value has 0. */
export const DOUBLE = 0x01;
export const STRING = 0x02;
export const DOCUMENT = 0x03;
export const ARRAY = 0x04;
export const BINARY = 0x05;
export const UNDEFINED_TYPE = 0x06;
export const OBJECT_ID = 0x07;
export const BOOLEAN = 0x08;
export const DATE = 0x09;
export const NULL = 0x0a;
export const REGEX = 0x0b;
/** A DBPointer: a namespace and an ObjectId. */
export const POINTER = 0x0c;
export const CODE = 0x0d;
export const SYMBOL = 0x0e;
export const SCOPED_CODE = 0x0f;
export const INT = 0x10;
export const TIMESTAMP = 0x11;
export const LONG = 0x12;
export const DECIMAL = 0x13;
export const MIN_KEY = 0xff;
export const MAX_KEY = 0x7f;

const OF_TYPE: Readonly<Record<number, number>> = {
  [DOUBLE]: 8,
  [UNDEFINED_TYPE]: 0,
  [OBJECT_ID]: 12,
  [DATE]: 8,
  [NULL]: 0,
  [INT]: 4,
  [TIMESTAMP]: 8,
  [LONG]: 8,
  [DECIMAL]: 16,
  [MAX_KEY]: 0,
  [MIN_KEY]: 0,
};

/** By type byte, how many bytes a value takes; undefined for types without a fixed size, and for booleans, which are checked. */
export const SIZES: readonly (number | undefined)[] = Array.from({ length: 256 }, (_, type) => OF_TYPE[type]);
