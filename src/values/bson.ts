/** Set on every value of the bson package, and on nothing that came as JSON. */
const BSON_VERSION = Symbol.for('@@mdb.bson.version');

/**
 * Whether `value` is a BSON value (of this type) and not an object that merely says so: whatever a caller sends may hold a key
 * `_bsontype`. By its name, not its class, since the driver has a copy of the package of its own.
 */
export const isBson = (value: unknown, type?: string): boolean =>
  typeof value === 'object' &&
  value !== null &&
  BSON_VERSION in value &&
  '_bsontype' in value &&
  (type === undefined || value._bsontype === type);
